// What the record and the queue prove of each statement, and never more.
#include "tools/serving/mutations.hpp"

#include "protocol/digest.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

using namespace onceswap;
using namespace onceswap::serving;
using protocol::Action;
using protocol::HolderResult;

BOOST_AUTO_TEST_SUITE(mutations)

namespace {

constexpr std::int64_t read_at = 9'000;
const std::string operation(64, 'a');

std::string token(Action action, std::uint64_t epoch, std::uint8_t random = 1) {
    std::array<std::uint8_t, 16> bytes{};
    bytes.fill(random);
    return protocol::make_token(operation, action, epoch, bytes).text();
}

protocol::DdlAttempt attempt(Action action, std::uint64_t epoch) {
    protocol::DdlAttempt out;
    out.epoch = epoch;
    out.token = token(action, epoch);
    return out;
}

protocol::DdlAttempt bound(Action action, std::uint64_t epoch, const std::string& entry) {
    protocol::DdlAttempt out = attempt(action, epoch);
    out.entry = entry;
    out.query_digest = protocol::sha256_hex("EXCHANGE");
    return out;
}

protocol::Receipt receipt(std::int64_t at, std::uint16_t code_of_second = 0) {
    protocol::Receipt out;
    out.observed_at = at;
    out.hosts = {{{"ch-1", 9000}, 0, {}}, {{"ch-2", 9000}, code_of_second, {}}};
    return out;
}

protocol::AuthorityRecord record() {
    protocol::AuthorityRecord out;
    out.operation_id = operation;
    out.members = {{{"ch-1", 9000}, 1, {}}, {{"ch-2", 9000}, 2, {}}};
    out.updated_at = 5'000;
    return out;
}

protocol::AuthorityRecord dispatched(protocol::DdlAttempt publication) {
    protocol::AuthorityRecord out = record();
    out.phase = protocol::Phase::dispatching;
    out.publication = std::move(publication);
    return out;
}

protocol::QueueRow row(const std::string& log_comment, const std::string& host, const std::string& status) {
    protocol::QueueRow out;
    out.entry = "query-0000000007";
    out.query = "EXCHANGE";
    out.settings["log_comment"] = log_comment;
    out.query_create_time = 4'000;
    out.host = host;
    out.port = 9000;
    out.status = status;
    if (status == "Finished") {
        out.exception_code = 0;
        out.exception_text = "";
    }
    return out;
}

protocol::QueueRow failed(protocol::QueueRow out, std::int64_t code) {
    out.exception_code = code;
    out.exception_text = "Code: " + std::to_string(code);
    return out;
}

protocol::QueueReading reading(std::vector<protocol::QueueRow> rows) {
    protocol::QueueReading out;
    out.readable = true;
    out.rows = std::move(rows);
    return out;
}

/// One line for each: `publish 1 queued query-7 at 4000 by queue`.
std::string line(const Mutation& one) {
    std::ostringstream out;
    out << protocol::text(one.action) << ' ' << one.epoch << ' ' << text(one.step);
    if (!one.entry.empty())
        out << ' ' << one.entry;
    if (!one.outcome.empty())
        out << " (" << one.outcome << ')';
    for (const protocol::HostPort& host : one.hosts)
        out << ' ' << host.host;
    out << (one.at_latest ? " until " : " at ") << one.at << " by " << text(one.source);
    return out.str();
}

std::vector<std::string> lines(const std::vector<Mutation>& all) {
    std::vector<std::string> out;
    std::ranges::transform(all, std::back_inserter(out), line);
    return out;
}

using Lines = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_CASE(what_record_and_queue_prove) {
    const std::string mine = token(Action::publish, 1);
    const std::string permitted = "publish 1 permitted until 5000 by record";
    const std::string queued = "publish 1 queued query-0000000007 at 4000 by queue";
    const protocol::AuthorityRecord open = dispatched(attempt(Action::publish, 1));
    const protocol::AuthorityRecord known = dispatched(bound(Action::publish, 1, "query-0000000007"));
    const auto told = [](HolderResult result) {
        protocol::DdlAttempt out = attempt(Action::publish, 1);
        out.result = result;
        return dispatched(out);
    };

    auto settled = known;
    settled.publication->receipt = receipt(3'000, 60);

    auto cleaning = settled;
    cleaning.phase = protocol::Phase::cleanup_dispatching;
    cleaning.set_aside = {attempt(Action::aside, 2), bound(Action::aside, 3, "query-0000000009")};
    cleaning.set_aside[1].receipt = receipt(4'500);
    cleaning.cleanup = {attempt(Action::cleanup, 4)};

    protocol::QueueReading unreadable = reading({row(mine, "ch-1", "Finished")});
    unreadable.readable = false;
    protocol::QueueRow no_comment = row(mine, "ch-1", "Finished");
    no_comment.settings.clear();
    const std::string foreign = protocol::make_token(std::string(64, 'b'), Action::publish, 1, {}).text();
    protocol::QueueRow changed = row(mine, "ch-1", "Active");
    changed.query = "DROP";
    protocol::QueueRow no_host = row(mine, "ch-1", "Finished");
    no_host.host.reset();

    const struct {
        const char* what;
        protocol::AuthorityRecord record;
        std::vector<protocol::QueueReading> readings;
        Lines told;
    } rows[] = {
        {"nothing was dispatched", record(), {}, {}},
        {"a permit alone says nothing of a sending", open, {}, {permitted}},
        {"an unreadable queue says nothing", open, {unreadable}, {permitted}},
        {"an empty queue says nothing", open, {reading({})}, {permitted}},
        {"what the sender saw",
         told(HolderResult::not_sent),
         {},
         {permitted, "publish 1 result (not_sent) until 5000 by record"}},
        {"and did not see",
         told(HolderResult::outcome_unknown),
         {},
         {permitted, "publish 1 result (outcome_unknown) until 5000 by record"}},
        {"queued, not ended",
         open,
         {reading({row(mine, "ch-1", "Active"), row(mine, "ch-2", "Inactive")})},
         {permitted, queued}},
        {"one host ended",
         open,
         {reading({row(mine, "ch-1", "Finished"), row(mine, "ch-2", "Active")})},
         {permitted, queued, "publish 1 ended query-0000000007 (success) ch-1 until 9000 by queue"}},
        {"each with its own end",
         open,
         {reading({row(mine, "ch-1", "Finished"), failed(row(mine, "ch-2", "Finished"), 60)})},
         {permitted,
          queued,
          "publish 1 ended query-0000000007 (code 60) ch-2 until 9000 by queue",
          "publish 1 ended query-0000000007 (success) ch-1 until 9000 by queue"}},
        {"two readers say the same",
         open,
         {reading({row(mine, "ch-1", "Finished")}), reading({row(mine, "ch-1", "Finished")})},
         {permitted, queued, "publish 1 ended query-0000000007 (success) ch-1 until 9000 by queue"}},
        {"a reader that lags takes nothing back",
         open,
         {reading({row(mine, "ch-1", "Finished")}), reading({row(mine, "ch-1", "Active")})},
         {permitted, queued, "publish 1 ended query-0000000007 (success) ch-1 until 9000 by queue"}},
        {"two ends of one host are none",
         open,
         {reading({row(mine, "ch-1", "Finished"), failed(row(mine, "ch-1", "Finished"), 60)})},
         {permitted, queued}},
        {"a word that is not known ends nothing",
         open,
         {reading({row(mine, "ch-1", "Removing"), row(mine, "ch-2", "Done")})},
         {permitted, queued}},
        {"a code without its text ends nothing",
         open,
         {reading({[&] {
             auto odd = row(mine, "ch-1", "Finished");
             odd.exception_code = 60;
             return odd;
         }()})},
         {permitted, queued}},
        {"who is no member ended nothing",
         open,
         {reading({row(mine, "ch-9", "Finished")})},
         {permitted, queued}},
        {"nor who has no name", open, {reading({no_host})}, {permitted, queued}},
        {"another operation's rows",
         open,
         {reading({row(foreign, "ch-1", "Finished"), no_comment, row("by hand", "ch-1", "Finished")})},
         {permitted}},
        {"bound, and the queue has forgotten",
         known,
         {reading({})},
         {permitted, "publish 1 queued query-0000000007 until 5000 by record"}},
        {"bound, and changed since",
         known,
         {reading({changed})},
         {permitted, "publish 1 queued query-0000000007 (its text is not the recorded one) at 4000 by queue"}
        },
        {"a second entry with its token",
         dispatched(bound(Action::publish, 1, "query-0000000003")),
         {reading({row(mine, "ch-1", "Active")})},
         {permitted,
          "publish 1 queued query-0000000003 until 5000 by record",
          "publish 1 queued query-0000000007 (another entry than the record's) at 4000 by queue"}},
        {"a token that the record gave up",
         record(),
         {reading({row(mine, "ch-1", "Active")})},
         {"publish 1 queued query-0000000007 (the record names no such statement) at 4000 by queue"}},
        {"another token of the same epoch",
         open,
         {reading({row(token(Action::publish, 1, 2), "ch-1", "Active")})},
         {permitted, "publish 1 queued query-0000000007 (the record names no such statement) at 4000 by queue"
         }},
        {"a set-up needs no permit",
         record(),
         {reading({row(token(Action::setup, 0), "ch-1", "Finished")})},
         {"setup 0 queued query-0000000007 at 4000 by queue",
          "setup 0 ended query-0000000007 (success) ch-1 until 9000 by queue"}},
        {"the receipt counts, and bounds the permit",
         settled,
         {reading({row(mine, "ch-1", "Finished"), row(mine, "ch-2", "Finished")})},
         {"publish 1 permitted until 3000 by record",
          queued,
          "publish 1 ended query-0000000007 (code 60) ch-2 until 3000 by receipt",
          "publish 1 ended query-0000000007 (success) ch-1 until 3000 by receipt"}},
        {"each permit is bound by those after it",
         cleaning,
         {},
         {
             "publish 1 permitted until 3000 by record",
             "publish 1 queued query-0000000007 until 3000 by record",
             "publish 1 ended query-0000000007 (code 60) ch-2 until 3000 by receipt",
             "publish 1 ended query-0000000007 (success) ch-1 until 3000 by receipt",
             "aside 2 permitted until 4500 by record",
             "aside 3 permitted until 4500 by record",
             "aside 3 queued query-0000000009 until 4500 by record",
             "aside 3 ended query-0000000009 (success) ch-1 ch-2 until 4500 by receipt",
             "cleanup 4 permitted until 5000 by record",
         }},
    };

    for (const auto& row : rows) {
        BOOST_TEST_CONTEXT(row.what)
        BOOST_TEST(
            lines(mutations_of(row.record, row.readings, read_at)) == row.told,
            boost::test_tools::per_element()
        );
    }
}

BOOST_AUTO_TEST_CASE(what_is_known_keeps_its_time) {
    const std::string mine = token(Action::publish, 1);
    auto now = dispatched(attempt(Action::publish, 1));
    std::vector<Mutation> kept;
    const auto read = [&](std::vector<protocol::QueueRow> rows, std::int64_t at) {
        const std::vector<protocol::QueueReading> readings{reading(std::move(rows))};
        return merge_mutations(kept, mutations_of(now, readings, at), 64);
    };
    BOOST_TEST(!read({}, 5'001));
    BOOST_TEST(!read({row(mine, "ch-1", "Finished"), row(mine, "ch-2", "Active")}, 5'010));
    now.publication = bound(Action::publish, 1, "query-0000000007");
    now.updated_at = 5'020; // the binding, no second permit
    BOOST_TEST(!read({row(mine, "ch-1", "Finished"), row(mine, "ch-2", "Finished")}, 5'030));
    now.publication->receipt = receipt(5'040);
    now.updated_at = 5'040;
    BOOST_TEST(!read({}, 5'050)); // the queue has forgotten
    const Lines first{
        "publish 1 permitted until 5000 by record",
        "publish 1 queued query-0000000007 at 4000 by queue",
        "publish 1 ended query-0000000007 (success) ch-1 until 5010 by queue",
        "publish 1 ended query-0000000007 (success) ch-2 until 5030 by queue",
    };
    BOOST_TEST(lines(kept) == first, boost::test_tools::per_element());

    // A reader that begins now knows less.
    std::vector<Mutation> late;
    merge_mutations(late, mutations_of(now, {}, 6'000), 64);
    BOOST_TEST(line(late[0]) == "publish 1 permitted until 5040 by record");

    // The next operation comes after it, whatever its epochs and ids are.
    now = record();
    now.operation_id = std::string(64, '0');
    now.publication = attempt(Action::publish, 1);
    BOOST_TEST(!merge_mutations(kept, mutations_of(now, {}, 7'000), 64));
    BOOST_TEST(kept.size() == 5U);
    BOOST_TEST(kept.back().operation == std::string(20, '0'));
    // The oldest go, and reading them again does not bring them back in front.
    BOOST_TEST(merge_mutations(kept, mutations_of(now, {}, 7'001), 2));
    BOOST_TEST(merge_mutations(kept, mutations_of(now, {}, 7'002), 1));
    BOOST_TEST(!merge_mutations(kept, mutations_of(now, {}, 7'003), 1));
    BOOST_TEST(
        lines(kept) == Lines{"publish 1 permitted until 5000 by record"}, boost::test_tools::per_element()
    );
}

BOOST_AUTO_TEST_CASE(what_was_pushed_out_stays_out) {
    auto now = record();
    now.phase = protocol::Phase::retiring;
    for (std::uint64_t epoch = 1; epoch <= 16; ++epoch)
        now.retire.push_back(bound(Action::retire, epoch, "query-00000000" + std::to_string(10 + epoch)));
    std::vector<Mutation> kept;
    for (std::int64_t at = 0; at < 3; ++at) {
        BOOST_TEST(merge_mutations(kept, mutations_of(now, {}, 9'000 + at), 8));
        BOOST_TEST_REQUIRE(kept.size() == 8U);
        BOOST_TEST(kept.front().epoch == 13U);
        BOOST_TEST(kept.back().epoch == 16U);
    }
}

BOOST_AUTO_TEST_SUITE_END()
