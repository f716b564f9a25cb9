#include "protocol/authority_record.hpp"
#include "protocol/digest.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/payload_json.hpp"
#include "record_generator.hpp"
#include "row_encoding.hpp"

#include <boost/test/unit_test.hpp>

namespace {

using namespace onceswap::protocol;
using namespace onceswap::testing;

/// A row that holds the record whether or not it is one that may be written: columns and digest fit, rules
/// may not.
AuthorityRow forged(const AuthorityRecord& record) {
    AuthorityRow row;
    row.target_key = record.target_key;
    row.operation_id = record.operation_id;
    row.fence_token = record.fence_token;
    row.phase = text(record.phase);
    row.dispatch_epoch = record.dispatch_epoch;
    row.payload = payload_text(record);
    row.payload_sha256 = sha256_hex(row.payload);
    return row;
}

struct Defect {
    const char* name;
    Phase phase;
    void (*make)(AuthorityRecord&);
    const char* reason; ///< part of the detail
};

/// Every optional part of the phase is there, two to five members.
AuthorityRecord example(Phase phase) {
    for (std::uint64_t seed = 1;; ++seed) {
        AuthorityRecord record = RecordGenerator(seed).record(phase);
        const bool rich = record.predecessor && record.canary && record.error && record.orphans.size() >= 2 &&
                          record.retained.size() >= 2 && record.recent.size() >= 2;
        const bool needs_receipts =
            phase == Phase::set_aside_dispatching || phase == Phase::cleanup_dispatching;
        const bool receipts =
            !needs_receipts || (current_attempt(record)->receipt && record.set_aside.size() >= 2 &&
                                is_failure(*record.publication->receipt));
        const bool bound = phase != Phase::dispatching || record.publication->receipt;
        if (rich && receipts && bound)
            return record;
    }
}

HostReceipt& first_failing(Receipt& receipt) {
    for (HostReceipt& host : receipt.hosts)
        if (host.code != 0)
            return host;
    throw std::logic_error("no host failed");
}

HostReceipt succeeded(HostPort at) {
    return {std::move(at), 0, {}};
}

constexpr Phase any = Phase::prepared;
constexpr Phase cleanup = Phase::cleanup_dispatching;
constexpr Phase aside = Phase::set_aside_dispatching;

const std::vector<Defect> defects{
    {"target key of another target",
     any,
     [](AuthorityRecord& r) { r.target_key = sha256_hex("x"); },
     "target_key"},
    {"another cluster name", any, [](AuthorityRecord& r) { r.cluster += "x"; }, "target_key"},
    {"no cluster", any, [](AuthorityRecord& r) { r.cluster.clear(); }, "cluster"},
    {"no database", any, [](AuthorityRecord& r) { r.target.database.clear(); }, "database"},
    {"no target", any, [](AuthorityRecord& r) { r.target.table.clear(); }, "target"},
    {"long target", any, [](AuthorityRecord& r) { r.target.table = std::string(256, 't'); }, "target"},
    {"short operation id", any, [](AuthorityRecord& r) { r.operation_id.pop_back(); }, "operation_id"},
    {"upper-case operation id", any, [](AuthorityRecord& r) { r.operation_id.back() = 'A'; }, "operation_id"},
    {"plan digest", any, [](AuthorityRecord& r) { r.plan_digest = "plan"; }, "plan_digest"},
    {"inventory digest", any, [](AuthorityRecord& r) { r.inventory_digest.clear(); }, "inventory_digest"},
    {"long fence token", any, [](AuthorityRecord& r) { r.fence_token += "0"; }, "fence_token"},
    {"write id", any, [](AuthorityRecord& r) { r.write_id[3] = 'g'; }, "write_id"},
    {"candidate of another operation",
     any,
     [](AuthorityRecord& r) {
         r.candidate = candidate_name(r.target_key, sha256_hex("x"), 1);
         r.aside = aside_name(r.candidate);
     },
     "candidate"},
    {"candidate of another target",
     any,
     [](AuthorityRecord& r) {
         r.candidate = candidate_name(sha256_hex("x"), r.operation_id, 1);
         r.aside = aside_name(r.candidate);
     },
     "candidate"},
    {"the target as candidate",
     any,
     [](AuthorityRecord& r) {
         r.candidate = r.target.table;
         r.aside = aside_name(r.candidate);
     },
     "candidate"},
    {"candidate with a tail",
     any,
     [](AuthorityRecord& r) {
         r.candidate += "0";
         r.aside = aside_name(r.candidate);
     },
     "candidate"},
    {"aside is the candidate", any, [](AuthorityRecord& r) { r.aside = r.candidate; }, "aside"},
    {"aside is the target", any, [](AuthorityRecord& r) { r.aside = r.target.table; }, "aside"},
    {"time before the epoch", any, [](AuthorityRecord& r) { r.created_at = -1; }, "created_at"},
    {"time after the year 9999", any, [](AuthorityRecord& r) { r.updated_at = 253'402'300'800; }, "updated_at"
    },

    {"one member", any, [](AuthorityRecord& r) { r.members.resize(1); }, "members"},
    {"no members", any, [](AuthorityRecord& r) { r.members.clear(); }, "members"},
    {"member twice", any, [](AuthorityRecord& r) { r.members[1].at = r.members[0].at; }, "members"},
    {"server twice",
     any,
     [](AuthorityRecord& r) { r.members[1].server_uuid = r.members[0].server_uuid; },
     "members"},
    {"nil server", any, [](AuthorityRecord& r) { r.members[1].server_uuid = Uuid(); }, "members"},
    {"replica number twice",
     any,
     [](AuthorityRecord& r) { r.members[1].replica_num = r.members[0].replica_num; },
     "members"},
    {"members out of order", any, [](AuthorityRecord& r) { std::swap(r.members[0], r.members[1]); }, "members"
    },
    {"member without host", any, [](AuthorityRecord& r) { r.members[0].at.host.clear(); }, "members"},
    {"member without port", any, [](AuthorityRecord& r) { r.members[0].at.port = 0; }, "members"},

    {"nil desired uuid", any, [](AuthorityRecord& r) { r.desired.uuid = Uuid(); }, "desired"},
    {"nil predecessor uuid", any, [](AuthorityRecord& r) { r.predecessor->uuid = Uuid(); }, "predecessor"},
    {"desired without engine", any, [](AuthorityRecord& r) { r.desired.engine_full.clear(); }, "desired"},
    {"desired without schema", any, [](AuthorityRecord& r) { r.desired.schema_digest.clear(); }, "desired"},
    {"desired without keeper", any, [](AuthorityRecord& r) { r.desired.zookeeper_name.clear(); }, "desired"},
    {"predecessor without path",
     any,
     [](AuthorityRecord& r) { r.predecessor->zookeeper_path.clear(); },
     "predecessor"},
    {"both generations one uuid",
     any,
     [](AuthorityRecord& r) { r.predecessor->uuid = r.desired.uuid; },
     "desired"},
    {"both generations one path",
     any,
     [](AuthorityRecord& r) { r.predecessor->zookeeper_path = r.desired.zookeeper_path; },
     "desired"},

    {"orphan that is not ours", any, [](AuthorityRecord& r) { r.orphans[0].name = "users"; }, "orphans"},
    {"orphan that is the target",
     any,
     [](AuthorityRecord& r) { r.orphans[0].name = r.target.table; },
     "orphans"},
    {"orphan without uuid", any, [](AuthorityRecord& r) { r.orphans[0].uuid = Uuid(); }, "orphans"},
    {"orphan twice", any, [](AuthorityRecord& r) { r.orphans[1].name = r.orphans[0].name; }, "orphans"},
    {"orphan is the live candidate",
     any,
     [](AuthorityRecord& r) { r.orphans[0].name = r.candidate; },
     "orphans"},
    {"retained is the live aside", any, [](AuthorityRecord& r) { r.retained[0].name = r.aside; }, "retained"},
    {"retained that is not ours",
     any,
     [](AuthorityRecord& r) { r.retained[0].name = "onceswap_"; },
     "retained"},
    {"recent id", any, [](AuthorityRecord& r) { r.recent[0].operation_id = "x"; }, "recent"},
    {"recent twice",
     any,
     [](AuthorityRecord& r) { r.recent[1].operation_id = r.recent[0].operation_id; },
     "recent"},
    {"recent holds the operation itself",
     any,
     [](AuthorityRecord& r) { r.recent[0].operation_id = r.operation_id; },
     "recent"},
    {"recent unsettled", any, [](AuthorityRecord& r) { r.recent[0].outcome = Phase::dispatching; }, "recent"},
    {"recent from the future",
     any,
     [](AuthorityRecord& r) { r.recent.back().epoch = r.dispatch_epoch; },
     "recent"},
    {"recent out of order",
     any,
     [](AuthorityRecord& r) { std::swap(r.recent[0].epoch, r.recent[1].epoch); },
     "recent"},
    {"canary without a version", any, [](AuthorityRecord& r) { r.canary->versions.pop_back(); }, "canary"},
    {"canary with an empty version", any, [](AuthorityRecord& r) { r.canary->versions[0].clear(); }, "canary"
    },
    {"canary with a nil server", any, [](AuthorityRecord& r) { r.canary->servers[0] = Uuid(); }, "canary"},
    {"canary with a server twice",
     any,
     [](AuthorityRecord& r) { r.canary->servers[0] = r.canary->servers[1]; },
     "canary"},
    {"canary entry", any, [](AuthorityRecord& r) { r.canary->entry = "query-1"; }, "canary"},
    {"error code", any, [](AuthorityRecord& r) { r.error->code = "lower"; }, "error"},
    {"error without code", any, [](AuthorityRecord& r) { r.error->code.clear(); }, "error"},
    {"error summary", any, [](AuthorityRecord& r) { r.error->summary = std::string(513, 'x'); }, "error"},

    {"prepared with a set-aside", any, [](AuthorityRecord& r) { r.set_aside.resize(1); }, "PREPARED"},
    {"prepared with a cleanup", any, [](AuthorityRecord& r) { r.cleanup.resize(1); }, "PREPARED"},
    {"prepared with a retirement", any, [](AuthorityRecord& r) { r.retire.resize(1); }, "PREPARED"},
    {"dispatching without a token",
     Phase::dispatching,
     [](AuthorityRecord& r) { r.publication.reset(); },
     "DISPATCHING"},
    {"dispatching after a set-aside",
     aside,
     [](AuthorityRecord& r) { r.phase = Phase::dispatching; },
     "DISPATCHING"},
    {"committed without receipt",
     Phase::committed,
     [](AuthorityRecord& r) { r.publication->receipt.reset(); },
     "COMMITTED"},
    {"committed without publication",
     Phase::committed,
     [](AuthorityRecord& r) { r.publication.reset(); },
     "COMMITTED"},
    {"set aside without a commit's receipt",
     aside,
     [](AuthorityRecord& r) { r.publication->receipt.reset(); },
     "SET_ASIDE"},
    {"set aside without an attempt", aside, [](AuthorityRecord& r) { r.set_aside.clear(); }, "SET_ASIDE"},
    {"set aside and retiring", aside, [](AuthorityRecord& r) { r.retire = r.set_aside; }, "SET_ASIDE"},
    {"cleanup without the set-aside's receipt",
     cleanup,
     [](AuthorityRecord& r) { r.set_aside.back().receipt.reset(); },
     "CLEANUP"},
    {"cleanup without a set-aside", cleanup, [](AuthorityRecord& r) { r.set_aside.clear(); }, "CLEANUP"},
    {"cleanup without an attempt", cleanup, [](AuthorityRecord& r) { r.cleanup.clear(); }, "CLEANUP"},
    {"retiring without an attempt", Phase::retiring, [](AuthorityRecord& r) { r.retire.clear(); }, "RETIRING"
    },
    {"retiring without a publication",
     Phase::retiring,
     [](AuthorityRecord& r) { r.publication.reset(); },
     "RETIRING"},
    {"completed without a publication",
     Phase::completed,
     [](AuthorityRecord& r) { r.publication.reset(); },
     "COMPLETED"},
    {"completed from cleanup without receipt",
     cleanup,
     [](AuthorityRecord& r) {
         r.phase = Phase::completed;
         r.cleanup.back().receipt.reset();
     },
     "COMPLETED"},
    {"completed from set-aside", aside, [](AuthorityRecord& r) { r.phase = Phase::completed; }, "COMPLETED"},
    {"abandoned after a set-aside", aside, [](AuthorityRecord& r) { r.phase = Phase::abandoned; }, "ABANDONED"
    },

    {"epoch ran ahead of the attempt",
     Phase::dispatching,
     [](AuthorityRecord& r) { ++r.dispatch_epoch; },
     "dispatch_epoch"},
    {"epoch ran ahead of the cleanup",
     cleanup,
     [](AuthorityRecord& r) { ++r.dispatch_epoch; },
     "dispatch_epoch"},
    {"epoch ran ahead of the commit",
     Phase::committed,
     [](AuthorityRecord& r) { ++r.dispatch_epoch; },
     "dispatch_epoch"},
    {"attempt of an epoch that never was",
     Phase::completed,
     [](AuthorityRecord& r) {
         r.dispatch_epoch = 0;
         r.recent.clear();
     },
     "epoch"},
    {"attempt of epoch zero",
     Phase::completed,
     [](AuthorityRecord& r) { r.publication->epoch = 0; },
     "publish"},
    {"attempts out of order",
     aside,
     [](AuthorityRecord& r) { std::swap(r.set_aside[0], r.set_aside[1]); },
     "aside"},
    {"set-aside before the publication",
     aside,
     [](AuthorityRecord& r) { std::swap(r.set_aside.front().epoch, r.publication->epoch); },
     "epoch"},
    {"too many attempts",
     aside,
     [](AuthorityRecord& r) { r.set_aside.insert(r.set_aside.begin(), 17, r.set_aside[0]); },
     "too many"},
    {"garbage token",
     Phase::dispatching,
     [](AuthorityRecord& r) { r.publication->token = "token"; },
     "malformed token"},
    {"token of another action",
     Phase::dispatching,
     [](AuthorityRecord& r) {
         auto token = *CorrelationToken::parse(r.publication->token);
         token.action = Action::cleanup;
         r.publication->token = token.text();
     },
     "another action"},
    {"token of another epoch",
     Phase::dispatching,
     [](AuthorityRecord& r) {
         auto token = *CorrelationToken::parse(r.publication->token);
         ++token.epoch;
         r.publication->token = token.text();
     },
     "another epoch"},
    {"token of another operation",
     Phase::dispatching,
     [](AuthorityRecord& r) {
         auto token = *CorrelationToken::parse(r.publication->token);
         token.operation = std::string(20, 'f');
         r.publication->token = token.text();
     },
     "another operation"},
    {"entry without digest",
     Phase::dispatching,
     [](AuthorityRecord& r) { r.publication->query_digest.clear(); },
     "digest"},
    {"digest without entry",
     Phase::dispatching,
     [](AuthorityRecord& r) { r.publication->entry.clear(); },
     "digest"},
    {"entry name",
     Phase::dispatching,
     [](AuthorityRecord& r) { r.publication->entry = "query-00000000x1"; },
     "entry"},
    {"query digest",
     Phase::dispatching,
     [](AuthorityRecord& r) { r.publication->query_digest = "d"; },
     "query_digest"},
    {"receipt of no entry",
     Phase::dispatching,
     [](AuthorityRecord& r) {
         r.publication->entry.clear();
         r.publication->query_digest.clear();
     },
     "receipt of no entry"},
    {"receipt of an earlier attempt",
     aside,
     [](AuthorityRecord& r) {
         r.set_aside.front().entry = "query-0000000001";
         r.set_aside.front().query_digest = sha256_hex("q");
         r.set_aside.front().receipt = r.set_aside.back().receipt;
     },
     "earlier attempt"},
    {"receipt lacks a member",
     cleanup,
     [](AuthorityRecord& r) { r.publication->receipt->hosts.pop_back(); },
     "member"},
    {"receipt has a host too many",
     cleanup,
     [](AuthorityRecord& r) { r.publication->receipt->hosts.push_back(succeeded({"extra", 9000})); },
     "member"},
    {"receipt time",
     cleanup,
     [](AuthorityRecord& r) { r.publication->receipt->observed_at = -1; },
     "observed_at"},
    {"success with an exception",
     cleanup,
     [](AuthorityRecord& r) { first_failing(*r.publication->receipt).code = 0; },
     "exception"},
    {"failure without an exception",
     cleanup,
     [](AuthorityRecord& r) { first_failing(*r.publication->receipt).exception.sha256.clear(); },
     "exception"},
    {"long exception head",
     cleanup,
     [](AuthorityRecord& r) {
         first_failing(*r.publication->receipt).exception.head = std::string(257, 'x');
     },
     "head"},
    {"exception head with a control character",
     cleanup,
     [](AuthorityRecord& r) { first_failing(*r.publication->receipt).exception.head = "a\nb"; },
     "head"},
    {"sixty-five members",
     any,
     [](AuthorityRecord& r) {
         while (r.members.size() <= limits::members) {
             const auto number = static_cast<std::uint32_t>(r.members.size() + 100);
             std::array<std::uint8_t, 16> bytes{};
             bytes[15] = static_cast<std::uint8_t>(number);
             r.members.push_back({{"h" + std::to_string(number), 9000}, number, Uuid(bytes)});
         }
     },
     "members"},
    {"sixty-five recent operations",
     any,
     [](AuthorityRecord& r) { r.recent.resize(limits::recent_operations + 1, r.recent.front()); },
     "recent"},
    {"too many orphans",
     any,
     [](AuthorityRecord& r) { r.orphans.resize(limits::listed_tables + 1, r.orphans[0]); },
     "orphans"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(authority_record)

BOOST_AUTO_TEST_CASE(a_record_that_breaks_a_rule_is_neither_written_nor_believed) {
    for (const Defect& defect : defects) {
        BOOST_TEST_CONTEXT(defect.name << ", phase " << text(defect.phase)) {
            AuthorityRecord record = example(defect.phase);
            BOOST_TEST(refusal(forged(record)).empty());
            defect.make(record);
            const auto row = encode_record(record);
            BOOST_REQUIRE(!row.has_value());
            BOOST_TEST((row.error().code == Code::authority_invalid));
            BOOST_TEST(row.error().detail.find(defect.reason) != std::string::npos, row.error().detail);
            BOOST_TEST(!refusal(forged(record)).empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(invalid_utf8_is_not_written) {
    using Change = void (*)(AuthorityRecord&);
    const std::vector<Change> table{
        [](AuthorityRecord& r) { r.cluster = "\xff"; },
        [](AuthorityRecord& r) { r.target.table = "\xc0\x80"; },
        [](AuthorityRecord& r) { r.members[0].at.host = "\xed\xa0\x80"; },
        [](AuthorityRecord& r) { r.desired.engine_full = "\x80"; },
        [](AuthorityRecord& r) { r.desired.zookeeper_path = "\xf5\x80\x80\x80"; },
        [](AuthorityRecord& r) { r.error->summary = "\xe2\x82"; },
        [](AuthorityRecord& r) { r.canary->versions[0] = "\xfe"; },
    };
    for (const Change change : table) {
        AuthorityRecord record = example(Phase::prepared);
        change(record);
        const auto row = encode_record(record);
        BOOST_REQUIRE(!row.has_value());
        BOOST_TEST((row.error().code == Code::authority_invalid));
    }
}

BOOST_AUTO_TEST_CASE(what_only_the_verdict_may_judge_decodes) {
    AuthorityRecord prepared = example(Phase::dispatching);
    prepared.phase = Phase::prepared;
    BOOST_TEST(refusal(forged(prepared)).empty());
    for (const Phase phase : {Phase::set_aside_dispatching, Phase::cleanup_dispatching}) {
        AuthorityRecord record = example(phase);
        record.predecessor.reset();
        BOOST_TEST(refusal(forged(record)).empty());
    }
}

BOOST_AUTO_TEST_CASE(each_phase_has_one_word) {
    for (const Phase phase : all_phases) {
        BOOST_TEST((phase_from_text(text(phase)) == phase));
        const std::string lower = "x" + std::string(text(phase));
        BOOST_TEST(!phase_from_text(lower).has_value());
    }
    for (const char* word : {"", "prepared", "PREPARED ", "UNKNOWN"})
        BOOST_TEST(!phase_from_text(word).has_value());
}

BOOST_AUTO_TEST_CASE(the_current_attempt_is_the_one_of_the_phase) {
    struct Row {
        Phase phase;
        const char* action;
    };

    for (const Row row :
         {Row{Phase::prepared, ""},
          Row{Phase::dispatching, "publish"},
          Row{Phase::committed, ""},
          Row{Phase::set_aside_dispatching, "aside"},
          Row{Phase::cleanup_dispatching, "cleanup"},
          Row{Phase::retiring, "retire"},
          Row{Phase::completed, ""},
          Row{Phase::abandoned, ""}}) {
        BOOST_TEST_CONTEXT(text(row.phase)) {
            const AuthorityRecord record = RecordGenerator(3).record(row.phase);
            const DdlAttempt* attempt = current_attempt(record);
            const bool expected = *row.action != '\0';
            BOOST_TEST((attempt != nullptr) == expected);
            BOOST_TEST(is_dispatching(row.phase) == expected);
            if (attempt != nullptr) {
                BOOST_TEST(text(CorrelationToken::parse(attempt->token)->action) == row.action);
                BOOST_TEST(attempt->epoch == record.dispatch_epoch);
            }
        }
    }
    AuthorityRecord record = example(Phase::prepared);
    for (const Phase phase : all_phases) {
        record.phase = phase;
        BOOST_TEST(current_attempt(record) == nullptr); // nothing was dispatched, whatever the phase says
    }
}

BOOST_AUTO_TEST_CASE(an_exception_is_kept_short_and_identified_whole) {
    const ExceptionDigest none = digest_exception("");
    BOOST_TEST(none.head.empty());
    BOOST_TEST(none.sha256.empty());

    const std::string text = "Code: 60. DB::Exception: Table d.t does not exist.\n\tStack \x7f";
    const ExceptionDigest brief = digest_exception(text);
    BOOST_TEST(brief.head == "Code: 60. DB::Exception: Table d.t does not exist.  Stack  ");
    BOOST_TEST(brief.sha256 == sha256_hex(text));

    const std::string long_text = std::string(255, 'a') + "\xc3\xa9 and more";
    BOOST_TEST(digest_exception(long_text).head == std::string(255, 'a'));
    BOOST_TEST(digest_exception(long_text).sha256 == sha256_hex(long_text));
    BOOST_TEST(digest_exception(long_text + "!").head == digest_exception(long_text).head);
    BOOST_TEST(digest_exception(long_text + "!").sha256 != digest_exception(long_text).sha256);
    BOOST_TEST(
        digest_exception("a\xff\xc3(").head == "a?"
                                               "?("
    );
}

BOOST_AUTO_TEST_CASE(a_receipt_fails_with_its_first_failing_host) {
    Receipt receipt;
    BOOST_TEST(!is_failure(receipt));
    receipt.hosts = {succeeded({"a", 1}), succeeded({"b", 1})};
    BOOST_TEST(!is_failure(receipt));
    receipt.hosts[1].code = 60;
    BOOST_TEST(is_failure(receipt));
}

BOOST_AUTO_TEST_SUITE_END()
