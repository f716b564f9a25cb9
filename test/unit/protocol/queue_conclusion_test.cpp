// What follows from the readings of all members and from the receipt in the record.
#include "queue_rows.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace onceswap::protocol;
using namespace onceswap::testing;

struct Case {
    const char* what;
    ExpectedEntry expected;
    std::vector<QueueReading> readings;
    QueueEvidence evidence;
};

QueueRow altered(QueueRow row, auto change) {
    change(row);
    return row;
}

} // namespace

BOOST_AUTO_TEST_SUITE(queue_conclusion)

BOOST_AUTO_TEST_CASE(what_the_members_show_together) {
    const Inventory inventory = inventory_of(2);
    const std::vector<QueueRow> open{with_status("ch1", "Active"), base_row("ch2")};
    const std::vector<QueueRow> half{finished("ch1"), base_row("ch2")};
    const std::vector<QueueRow> done{finished("ch1"), finished("ch2")};
    const std::vector<QueueRow> failed{finished("ch1"), finished("ch2", 60)};
    const std::vector<QueueRow> removing{with_status("ch1", "Removing"), with_status("ch2", "Removing")};
    const auto other_query = [](QueueRow row) {
        row.query = "EXCHANGE TABLES d.t AND d.onceswap_y ON CLUSTER c";
        return row;
    };
    const auto respelled = [](QueueRow row) {
        row.query = "EXCHANGE  TABLES d.t AND d.onceswap_x ON CLUSTER c";
        return row;
    };
    const auto other_token = [](QueueRow row) {
        row.settings["log_comment"] =
            "onceswap-v1-0123456789abcdef0123-publish-1-ffffffffffffffffffffffffffffffff";
        return row;
    };
    const auto no_token = [](QueueRow row) {
        row.settings.clear();
        return row;
    };
    const std::vector<QueueRow> weird{finished("ch1"), with_status("ch2", "Weird")};
    using enum QueueEvidence;
    const std::vector<Case> table{
        // none, gone, unreadable
        {"nobody asked", unbound(), {}, unreadable},
        {"nobody could read", unbound(), {fails("ch1: 999"), fails("ch2: 62")}, unreadable},
        {"bound, nobody could read", bound(), {fails("ch1: 999")}, unreadable},
        {"no entry", unbound(), {reads({}), reads({})}, none},
        {"no entry on the one that reads", unbound(), {reads({}), fails("ch2: 62")}, none},
        {"bound entry is gone", bound(), {reads({}), reads({})}, gone},
        {"another operation's entry",
         unbound(),
         {reads({other_token(finished("ch1")), other_token(finished("ch2"))})},
         none},
        {"same statement without a token",
         unbound(),
         {reads({no_token(finished("ch1")), no_token(finished("ch2"))})},
         none},
        // one entry
        {"open", unbound(), {reads(open)}, in_progress},
        {"half", unbound(), {reads(half)}, in_progress},
        {"done", unbound(), {reads(done)}, success},
        {"failed", unbound(), {reads(failed)}, failure},
        {"bound and open", bound(), {reads(open)}, in_progress},
        {"bound and done", bound(), {reads(done)}, success},
        {"removing", bound(), {reads(removing)}, unknown_rows},
        {"weird", unbound(), {reads(weird)}, unknown_rows},
        {"stored text with other spaces",
         unbound(),
         {reads({respelled(finished("ch1")), respelled(finished("ch2"))})},
         success},
        {"one member unreadable", unbound(), {reads(done), fails("ch2: timeout")}, success},
        {"a host is missing", unbound(), {reads({finished("ch1")})}, unknown_rows},
        {"a host is missing, bound", bound(), {reads({finished("ch1")})}, QueueEvidence::changed},
        {"an extra host",
         unbound(),
         {reads({finished("ch1"), finished("ch2"), finished("ch9")})},
         unknown_rows},
        {"an extra host, bound",
         bound(),
         {reads({finished("ch1"), finished("ch2"), finished("ch9")})},
         QueueEvidence::changed},
        {"an extra host that only one member shows",
         unbound(),
         {reads(done), reads({finished("ch1"), finished("ch2"), finished("ch9")})},
         unknown_rows},
        // several
        {"two entries",
         unbound(),
         {reads(
             {finished("ch1"),
              finished("ch2"),
              of_entry(finished("ch1"), entry8),
              of_entry(finished("ch2"), entry8)}
         )},
         several},
        {"two entries on one of two members",
         unbound(),
         {reads(done), reads({finished("ch1"), finished("ch2"), of_entry(base_row("ch1"), entry8)})},
         several},
        {"bound and another",
         bound(),
         {reads(
             {finished("ch1"),
              finished("ch2"),
              of_entry(finished("ch1"), entry8),
              of_entry(finished("ch2"), entry8)}
         )},
         several},
        {"bound, but only another",
         bound(),
         {reads({of_entry(finished("ch1"), entry8), of_entry(finished("ch2"), entry8)})},
         several},
        {"a newer entry is not taken",
         unbound(),
         {reads(
             {of_entry(finished("ch1"), entry8),
              of_entry(finished("ch2"), entry8),
              finished("ch1", 57),
              finished("ch2", 57)}
         )},
         several},
        // changed
        {"another statement",
         unbound(),
         {reads({other_query(finished("ch1")), other_query(finished("ch2"))})},
         QueueEvidence::changed},
        {"another statement, bound",
         bound(),
         {reads({other_query(finished("ch1")), other_query(finished("ch2"))})},
         QueueEvidence::changed},
        {"another text than bound",
         bound(),
         {reads({respelled(finished("ch1")), respelled(finished("ch2"))})},
         QueueEvidence::changed},
        {"another token in the bound entry",
         bound(),
         {reads({other_token(finished("ch1")), other_token(finished("ch2"))})},
         QueueEvidence::changed},
        {"another statement on one row",
         unbound(),
         {reads({finished("ch1"), other_query(finished("ch2"))})},
         QueueEvidence::changed},
        {"the token on one row only",
         unbound(),
         {reads({finished("ch1"), no_token(finished("ch2"))})},
         QueueEvidence::changed},
        {"another cluster",
         unbound(),
         {reads(
             {altered(
                  finished("ch1"),
                  [](auto& r) { r.query = "EXCHANGE TABLES d.t AND d.onceswap_x ON CLUSTER c2"; }
              ),
              altered(
                  finished("ch2"),
                  [](auto& r) { r.query = "EXCHANGE TABLES d.t AND d.onceswap_x ON CLUSTER c2"; }
              )}
         )},
         QueueEvidence::changed},
        {"the cluster column is evidence only",
         unbound(),
         {reads(
             {altered(finished("ch1"), [](auto& r) { r.cluster = ""; }),
              altered(finished("ch2"), [](auto& r) { r.cluster = ""; })}
         )},
         success},
        {"other settings on one row",
         unbound(),
         {reads(
             {finished("ch1"), altered(finished("ch2"), [](auto& r) { r.settings["max_memory_usage"] = "1"; })
             }
         )},
         QueueEvidence::changed},
        {"two format versions in one entry",
         unbound(),
         {reads({finished("ch1"), altered(finished("ch2"), [](auto& r) { r.entry_version = 7; })})},
         QueueEvidence::changed},
        // lag is not divergence
        {"one shows none yet", unbound(), {reads({}), reads(open)}, in_progress},
        {"one shows none any more", bound(), {reads(done), reads({})}, success},
        {"one lags", unbound(), {reads(open), reads(done)}, success},
        {"one lags, other order", unbound(), {reads(done), reads(open)}, success},
        {"each is ahead for one host",
         unbound(),
         {reads({finished("ch1"), base_row("ch2")}), reads({base_row("ch1"), finished("ch2", 60)})},
         failure},
        {"read before the cleaner came", bound(), {reads(done), reads(removing)}, success},
        {"read before the cleaner came, other order", bound(), {reads(removing), reads(done)}, success},
        {"half read before the cleaner came", bound(), {reads(half), reads(removing)}, unknown_rows},
        {"a weird status beside the end", unbound(), {reads(done), reads(weird)}, unknown_rows},
        {"a weird status between", unbound(), {reads(removing), reads(weird), reads(done)}, unknown_rows},
        // divergence
        {"different ends", unbound(), {reads(done), reads(failed)}, diverged},
        {"different codes",
         unbound(),
         {reads(failed), reads({finished("ch1"), finished("ch2", 57)})},
         diverged},
        {"different ends among three", unbound(), {reads(done), reads(open), reads(failed)}, diverged},
        {"different entries",
         unbound(),
         {reads(done), reads({of_entry(finished("ch1"), entry8), of_entry(finished("ch2"), entry8)})},
         diverged},
        {"different texts",
         unbound(),
         {reads(done), reads({respelled(finished("ch1")), respelled(finished("ch2"))})},
         diverged},
        {"the same code with another spelling of the text",
         unbound(),
         {reads(failed), reads({finished("ch1"), finished("ch2", 60, "Code: 60. Failed?")})},
         failure},
    };
    for (const Case& row : table) {
        std::vector<std::size_t> order(row.readings.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        do {
            std::vector<QueueReading> readings;
            for (const std::size_t i : order)
                readings.push_back(row.readings[i]);
            BOOST_TEST_CONTEXT(row.what) {
                const QueueConclusion conclusion =
                    conclude_queue(inventory, row.expected, std::nullopt, readings);
                BOOST_TEST(text(conclusion.evidence) == text(row.evidence));
                const bool explained = is_terminal(conclusion.evidence) ||
                                       conclusion.evidence == in_progress || conclusion.evidence == none ||
                                       conclusion.evidence == gone || readings.empty() ||
                                       !conclusion.problems.empty();
                BOOST_TEST(explained);
                if (is_terminal(conclusion.evidence)) {
                    BOOST_REQUIRE(conclusion.reading);
                    BOOST_TEST(conclusion.reading->entry == entry7);
                    BOOST_TEST(conclusion.query_digest.size() == 64U);
                }
            }
        } while (std::next_permutation(order.begin(), order.end()));
    }
}

BOOST_AUTO_TEST_CASE(binding_takes_the_digest_of_the_stored_text) {
    const Inventory inventory = inventory_of(2);
    const std::vector<QueueReading> readings{reads({finished("ch2"), base_row("ch1")})};
    const QueueConclusion conclusion = conclude_queue(inventory, unbound(), std::nullopt, readings);
    BOOST_REQUIRE(conclusion.reading);
    BOOST_TEST(conclusion.query_digest == sha256_hex(stored));
    BOOST_TEST(text(conclusion.reading->members[0].at) == "ch1:9000");
    BOOST_TEST(conclusion.reading->members[0].status == "Inactive");
    BOOST_TEST(conclusion.reading->members[1].status == "Finished");
}

BOOST_AUTO_TEST_CASE(the_receipt_wins) {
    const Inventory inventory = inventory_of(2);
    const Receipt good{{{{"ch1", 9000}, 0, {}}, {{"ch2", 9000}, 0, {}}}, 1'700'000'000};
    const Receipt bad{
        {{{"ch2", 9000}, 60, digest_exception("Code: 60. Gone")}, {{"ch1", 9000}, 0, {}}}, 1'700'000'000
    };
    const std::vector<std::vector<QueueReading>> whatever{
        {},
        {reads({})},
        {fails("no")},
        {reads({finished("ch1", 57), finished("ch2", 57)})},
        {reads({finished("ch1"), of_entry(finished("ch1"), entry8)})},
        {reads({with_status("ch1", "Removing")})},
    };
    for (const auto& readings : whatever) {
        BOOST_TEST(
            text(conclude_queue(inventory, bound(), good, readings).evidence) == text(QueueEvidence::success)
        );
        const QueueConclusion failed = conclude_queue(inventory, bound(), bad, readings);
        BOOST_TEST(text(failed.evidence) == text(QueueEvidence::failure));
        BOOST_REQUIRE(failed.reading);
        BOOST_TEST(text(failed.reading->members[0].at) == "ch1:9000");
        BOOST_TEST(failed.reading->members[1].code == 60);
        BOOST_TEST(failed.query_digest == bound().query_digest);
    }
    const std::vector<Receipt> of_others{
        {},
        {{{{"ch1", 9000}, 0, {}}}, 0},
        {{{{"ch1", 9000}, 0, {}}, {{"ch1", 9000}, 0, {}}}, 0},
        {{{{"ch1", 9000}, 0, {}}, {{"ch3", 9000}, 0, {}}}, 0},
        {{{{"ch1", 9000}, 0, {}}, {{"ch2", 9000}, 0, {}}, {{"ch3", 9000}, 0, {}}}, 0},
    };
    for (const Receipt& receipt : of_others)
        BOOST_TEST(
            text(conclude_queue(inventory, bound(), receipt, {}).evidence) ==
            text(QueueEvidence::unknown_rows)
        );
}

BOOST_AUTO_TEST_SUITE_END()
