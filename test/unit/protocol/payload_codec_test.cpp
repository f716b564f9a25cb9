#include "protocol/canonical_json.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/digest.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/payload_json.hpp"
#include "record_generator.hpp"
#include "row_encoding.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace {

using namespace onceswap::protocol;
using namespace onceswap::testing;

AuthorityRow with_document(const AuthorityRow& row, const boost::json::value& document) {
    return with_payload(row, canonical_json(document));
}

/// One record of each phase, all small enough to be mutilated byte by byte.
std::vector<AuthorityRecord> samples() {
    std::vector<AuthorityRecord> out;
    for (const Phase phase : all_phases)
        out.push_back(RecordGenerator(7).record(phase));
    return out;
}

/// JSON pointers of every node below `value`, the root (an empty pointer) first.
void collect_pointers(
    const boost::json::value& value, const std::string& here, std::vector<std::string>& out
) {
    out.push_back(here);
    if (const auto* object = value.if_object())
        for (const auto& pair : *object)
            collect_pointers(pair.value(), here + '/' + std::string(pair.key()), out);
    if (const auto* array = value.if_array())
        for (std::size_t i = 0; i < array->size(); ++i)
            collect_pointers((*array)[i], here + '/' + std::to_string(i), out);
}

boost::json::value& node(boost::json::value& root, const std::string& pointer) {
    return pointer.empty() ? root : root.at_pointer(pointer);
}

bool is_nullable(const std::string& pointer) {
    const auto ends = [&pointer](std::string_view name) { return pointer.ends_with(name); };
    return ends("/predecessor") || ends("/publication") || ends("/receipt") || ends("/canary") ||
           ends("/error");
}

bool same_type(const boost::json::value& a, const boost::json::value& b) {
    const auto is_integer = [](const boost::json::value& value) {
        return value.is_int64() || value.is_uint64();
    };
    return a.kind() == b.kind() || (is_integer(a) && is_integer(b));
}

} // namespace

BOOST_AUTO_TEST_SUITE(payload_codec)

BOOST_AUTO_TEST_CASE(what_is_encoded_is_decoded) {
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
        for (const Phase phase : all_phases) {
            BOOST_TEST_CONTEXT("seed " << seed << ", phase " << text(phase)) {
                const AuthorityRecord record = RecordGenerator(seed).record(phase);
                const AuthorityRow row = encoded(record);
                const auto decoded = decode_row(row);
                BOOST_REQUIRE_MESSAGE(
                    decoded.has_value(), (decoded ? std::string() : decoded.error().detail)
                );
                BOOST_TEST((*decoded == record));
                BOOST_TEST((encoded(*decoded) == row));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(the_columns_repeat_the_payload) {
    const AuthorityRecord record = RecordGenerator(7).record(Phase::cleanup_dispatching);
    const AuthorityRow row = encoded(record);
    BOOST_TEST(row.target_key == record.target_key);
    BOOST_TEST(row.operation_id == record.operation_id);
    BOOST_TEST(row.fence_token == record.fence_token);
    BOOST_TEST(row.phase == "CLEANUP_DISPATCHING");
    BOOST_TEST(row.dispatch_epoch == record.dispatch_epoch);
    BOOST_TEST(row.payload_sha256 == sha256_hex(row.payload));
    BOOST_TEST(row.version == 0);
    BOOST_TEST(row.payload.find("\"schema\":\"onceswap.publication/1\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_largest_record_fits) {
    for (const Phase phase : all_phases) {
        BOOST_TEST_CONTEXT("phase " << text(phase)) {
            const AuthorityRecord record = RecordGenerator(1, true).record(phase);
            const AuthorityRow row = encoded(record);
            const std::size_t worst = worst_case_payload_bytes(record);
            BOOST_TEST(row.payload.size() <= worst);
            BOOST_TEST(worst <= limits::payload_bytes);
            BOOST_TEST_MESSAGE("worst case " << worst << " bytes");
            const auto decoded = decode_row(row);
            BOOST_REQUIRE_MESSAGE(decoded.has_value(), (decoded ? std::string() : decoded.error().detail));
            BOOST_TEST((*decoded == record));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_record_that_could_outgrow_its_row_is_not_prepared) {
    AuthorityRecord record = RecordGenerator(1, true).record(Phase::prepared);
    record.desired.engine_full += std::string(limits::payload_bytes / 2, 'x');
    BOOST_TEST(worst_case_payload_bytes(record) > limits::payload_bytes);
    const auto row = encode_record(record);
    BOOST_REQUIRE(!row.has_value());
    BOOST_TEST((row.error().code == Code::authority_invalid));
    BOOST_TEST(row.error().detail.find("can grow to") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(lengths_are_those_of_the_text) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        for (const bool largest : {false, true}) {
            const AuthorityRecord record = RecordGenerator(seed, largest).any_record();
            BOOST_TEST_CONTEXT("seed " << seed << ", largest " << largest) {
                BOOST_TEST(payload_bytes(record) == payload_text(record).size());
                AuthorityRecord longer = record;
                longer.orphans.assign(2, NamedTable{record.aside, record.desired.uuid});
                AuthorityRecord shorter = record;
                shorter.orphans.assign(1, NamedTable{record.aside, record.desired.uuid});
                BOOST_TEST(
                    payload_bytes(longer) - payload_bytes(shorter) ==
                    element_bytes(longer.orphans.front()) + 1
                );
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(the_worst_case_is_the_length_of_the_longest_record) {
    // The record that nothing can outgrow, built whole: every list full, every text at its longest.
    const AuthorityRecord record = RecordGenerator(3).record(Phase::prepared);
    AuthorityRecord full = record;
    full.phase = Phase::set_aside_dispatching;
    full.dispatch_epoch = record.dispatch_epoch + 1'000'000;
    full.created_at = full.updated_at = 253'402'300'799;
    if (!full.canary) {
        full.canary.emplace();
        full.canary->versions.assign(record.members.size(), std::string(limits::version_bytes, '9'));
        full.canary->servers.assign(record.members.size(), Uuid());
        full.canary->entry = "query-9999999999";
    }
    Receipt receipt;
    receipt.observed_at = full.created_at;
    for (const RecordedMember& member : record.members) {
        HostReceipt host;
        host.at = member.at;
        host.code = 65535;
        host.exception.sha256 = std::string(64, 'f');
        if (receipt.hosts.size() < limits::exception_heads)
            host.exception.head = std::string(limits::exception_head_bytes, '"');
        receipt.hosts.push_back(host);
    }
    const auto attempt = [&](Action action) {
        DdlAttempt one;
        one.epoch = full.dispatch_epoch;
        one.token = CorrelationToken{std::string(20, 'f'), action, one.epoch, std::string(32, 'f')}.text();
        one.query_digest = std::string(64, 'f');
        one.entry = "query-9999999999";
        one.result = HolderResult::outcome_unknown;
        return one;
    };
    const auto attempts = [&](Action action) {
        std::vector<DdlAttempt> all(limits::attempts_per_action, attempt(action));
        all.back().receipt = receipt;
        return all;
    };
    full.publication = attempt(Action::publish);
    full.publication->receipt = receipt;
    full.set_aside = attempts(Action::aside);
    full.cleanup = attempts(Action::cleanup);
    full.retire.clear();
    full.orphans.assign(limits::listed_tables, NamedTable{record.aside, Uuid()});
    full.retained = full.orphans;
    full.recent.assign(
        limits::recent_operations,
        RecentOperation{std::string(64, 'f'), Phase::completed, full.dispatch_epoch}
    );
    full.error = RecordedError{
        std::string(limits::error_code_bytes, 'X'), std::string(limits::error_summary_bytes, '"')
    };
    BOOST_TEST(payload_text(full).size() == worst_case_payload_bytes(record));
}

BOOST_AUTO_TEST_CASE(no_reachable_record_outgrows_the_worst_case) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) {
            const AuthorityRecord record = RecordGenerator(seed).any_record();
            BOOST_TEST(encoded(record).payload.size() <= worst_case_payload_bytes(record));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_payload_that_is_too_long_is_refused_before_it_is_read) {
    AuthorityRow row = encoded(samples().front());
    BOOST_TEST(
        refusal(with_payload(row, std::string(limits::payload_bytes + 1, ' '))).find("too long") !=
        std::string::npos
    );
    AuthorityRecord record = RecordGenerator(1).record(Phase::committed);
    record.desired.engine_full = std::string(limits::payload_bytes, 'x');
    BOOST_TEST(!encode_record(record).has_value());
}

BOOST_AUTO_TEST_CASE(any_byte_that_differs_from_the_digest_blocks) {
    for (const AuthorityRecord& record : samples()) {
        const AuthorityRow row = encoded(record);
        for (std::size_t i = 0; i < row.payload.size(); ++i) {
            BOOST_TEST_CONTEXT("phase " << row.phase << ", byte " << i) {
                AuthorityRow changed = row;
                for (const int bit : {0, 1, 4, 5, 7}) {
                    changed.payload[i] = static_cast<char>(row.payload[i] ^ (1 << bit));
                    BOOST_REQUIRE(!refusal(changed).empty());
                }
                changed.payload = row.payload;
                changed.payload.erase(i, 1);
                BOOST_REQUIRE(!refusal(changed).empty());
                changed.payload = row.payload;
                changed.payload.insert(i, 1, row.payload[i]);
                BOOST_REQUIRE(!refusal(changed).empty());
                changed.payload = row.payload.substr(0, i);
                BOOST_REQUIRE(!refusal(changed).empty());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(any_byte_that_differs_under_its_own_digest_blocks_or_is_another_whole_record) {
    // A digit of staged_rows can be another valid digit. What must never happen: bytes that decode and would
    // be written differently, or that decode to the record they are not.
    for (const Phase phase : {Phase::prepared, Phase::dispatching, Phase::cleanup_dispatching}) {
        const AuthorityRecord record = RecordGenerator(11).record(phase);
        const AuthorityRow row = encoded(record);
        std::size_t blocked = 0;
        std::size_t whole = 0;
        const auto judge = [&](std::string payload, std::size_t at) {
            BOOST_TEST_CONTEXT("phase " << row.phase << ", byte " << at) {
                const AuthorityRow changed = with_payload(row, std::move(payload));
                const auto decoded = decode_row(changed);
                if (!decoded) {
                    ++blocked;
                    return;
                }
                ++whole;
                BOOST_REQUIRE((*decoded != record));
                BOOST_REQUIRE(payload_text(*decoded) == changed.payload);
            }
        };
        for (std::size_t i = 0; i < row.payload.size(); ++i) {
            std::string changed = row.payload;
            changed[i] = static_cast<char>(changed[i] ^ 1);
            judge(changed, i);
            judge(std::string(row.payload).erase(i, 1), i);
            judge(std::string(row.payload).insert(i, 1, ' '), i);
            if (i % 7 == 0)
                judge(row.payload.substr(0, i), i);
        }
        BOOST_TEST(blocked > whole);
        BOOST_TEST(whole > 0U); // the check above was exercised
    }
}

BOOST_AUTO_TEST_CASE(a_missing_and_an_unknown_field_block_in_every_object) {
    for (const AuthorityRecord& record : samples()) {
        const AuthorityRow row = encoded(record);
        const boost::json::value document = boost::json::parse(row.payload);
        std::vector<std::string> pointers;
        collect_pointers(document, "", pointers);
        for (const std::string& pointer : pointers) {
            boost::json::value whole = document;
            const auto* object = node(whole, pointer).if_object();
            if (object == nullptr)
                continue;
            BOOST_TEST_CONTEXT("phase " << row.phase << ", object '" << pointer << "'") {
                boost::json::value more = document;
                node(more, pointer).get_object()["unknown"] = 1;
                BOOST_TEST(refusal(with_document(row, more)).find("unknown field") != std::string::npos);
                for (const auto& pair : *object) {
                    boost::json::value less = document;
                    node(less, pointer).get_object().erase(pair.key());
                    BOOST_TEST(refusal(with_document(row, less)).find("missing") != std::string::npos);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(another_type_blocks_in_every_place) {
    const std::vector<boost::json::value> others{
        nullptr, true, -1, "text", boost::json::array{}, boost::json::object{}, ~std::uint64_t{0}
    };
    for (const AuthorityRecord& record : samples()) {
        const AuthorityRow row = encoded(record);
        const boost::json::value document = boost::json::parse(row.payload);
        std::vector<std::string> pointers;
        collect_pointers(document, "", pointers);
        for (const std::string& pointer : pointers) {
            for (const boost::json::value& other : others) {
                boost::json::value changed = document;
                if (same_type(node(changed, pointer), other) || (other.is_null() && is_nullable(pointer)))
                    continue;
                node(changed, pointer) = other;
                BOOST_TEST_CONTEXT("phase " << row.phase << ", " << pointer << " = " << other) {
                    BOOST_TEST(!refusal(with_document(row, changed)).empty());
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(text_that_means_the_same_blocks) {
    const AuthorityRow row = encoded(samples().front());
    const std::string& payload = row.payload;
    const auto replaced = [&payload](std::string_view what, std::string_view with) {
        const std::size_t at = payload.find(what);
        BOOST_REQUIRE(at != std::string::npos);
        return std::string(payload).replace(at, what.size(), with);
    };
    const std::vector<std::pair<const char*, std::string>> table{
        {"leading space", " " + payload},
        {"trailing line feed", payload + "\n"},
        {"space after colon", replaced("\"schema\":", "\"schema\": ")},
        {"needless escape", replaced("\"schema\"", "\"\\u0073chema\"")},
        {"escaped slash", replaced("publication/1", "publication\\/1")},
        {"duplicate key", replaced("{\"aside\"", "{\"aside\":\"x\",\"aside\"")},
        {"duplicate of the same value",
         replaced(
             "\"schema\":\"onceswap.publication/1\"",
             "\"schema\":\"onceswap.publication/1\",\"schema\":\"onceswap.publication/1\""
         )},
        {"fraction", replaced("\"created_at\":1", "\"created_at\":1.0e0")},
        {"leading zero", replaced("\"created_at\":", "\"created_at\":0")},
        {"explicit sign", replaced("\"created_at\":", "\"created_at\":+")},
        {"negative zero", replaced("\"staged_rows\":", "\"staged_rows\":-0")},
        {"two documents", payload + payload},
        {"byte order mark", "\xef\xbb\xbf" + payload},
        {"zero byte", payload + std::string(1, '\0')},
        {"other schema", replaced("onceswap.publication/1", "onceswap.publication/2")},
        {"upper-case uuid", replaced("\"server_uuid\":\"", "\"server_uuid\":\"A")},
        {"nothing", ""},
        {"empty object", "{}"},
        {"list", "[]"},
    };
    BOOST_TEST(refusal(row).empty());
    for (const auto& [name, changed] : table)
        BOOST_TEST_CONTEXT(name) {
            BOOST_TEST(!refusal(with_payload(row, changed)).empty());
        }
}

BOOST_AUTO_TEST_CASE(a_column_that_disagrees_blocks) {
    using Change = void (*)(AuthorityRow&);
    const std::vector<std::pair<const char*, Change>> table{
        {"target_key",
         [](AuthorityRow& row) { row.target_key.back() = row.target_key.back() == '0' ? '1' : '0'; }},
        {"operation_id", [](AuthorityRow& row) { row.operation_id.clear(); }},
        {"fence_token", [](AuthorityRow& row) { row.fence_token += '0'; }},
        {"phase", [](AuthorityRow& row) { row.phase = row.phase == "PREPARED" ? "COMMITTED" : "PREPARED"; }},
        {"dispatch_epoch", [](AuthorityRow& row) { ++row.dispatch_epoch; }},
        {"payload_sha256", [](AuthorityRow& row) { row.payload_sha256.pop_back(); }},
        {"payload_sha256",
         [](AuthorityRow& row) {
             std::transform(
                 row.payload_sha256.begin(),
                 row.payload_sha256.end(),
                 row.payload_sha256.begin(),
                 [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c; }
             );
         }},
    };
    for (const AuthorityRecord& record : samples()) {
        for (const auto& [column, change] : table) {
            BOOST_TEST_CONTEXT("phase " << text(record.phase) << ", column " << column) {
                AuthorityRow row = encoded(record);
                change(row);
                BOOST_TEST(refusal(row).starts_with(column));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(the_version_is_the_servers) {
    AuthorityRow row = encoded(samples().front());
    row.version = 17;
    BOOST_TEST(refusal(row).empty());
}

BOOST_AUTO_TEST_CASE(a_refusal_names_no_value) {
    AuthorityRow row = encoded(samples().front());
    std::string payload = row.payload;
    payload.insert(payload.size() - 1, ",\"secret\":\"swordfish\"");
    BOOST_TEST(refusal(with_payload(row, payload)).find("swordfish") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
