#include "protocol/digest.hpp"
#include "protocol/queue_evidence.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace onceswap::protocol;

constexpr const char* token = "onceswap-v1-0123456789abcdef0123-publish-1-00112233445566778899aabbccddeeff";
constexpr const char* sent = "EXCHANGE TABLES `d`.`t` AND `d`.`onceswap_x` ON CLUSTER `c`";
constexpr const char* stored = "EXCHANGE TABLES d.t AND d.onceswap_x ON CLUSTER c";
constexpr const char* entry7 = "query-0000000007";
constexpr const char* entry8 = "query-0000000008";

Inventory inventory_of(std::uint32_t members) {
    std::vector<ClusterRow> rows;
    for (std::uint32_t i = 1; i <= members; ++i)
        rows.push_back(
            {"c", 1, i, "ch" + std::to_string(i), "10.0.0." + std::to_string(i), 9000, i == 1, true}
        );
    return Inventory::from_rows("c", rows).value();
}

QueueRow base_row(const std::string& host) {
    QueueRow row;
    row.entry = entry7;
    row.entry_version = 5;
    row.cluster = "c";
    row.query = stored;
    row.settings = {{"log_comment", token}, {"distributed_ddl_task_timeout", "30"}};
    row.host = host;
    row.port = 9000;
    row.status = "Inactive";
    return row;
}

QueueRow finished(const std::string& host, std::int64_t code = 0, std::string text = {}) {
    QueueRow row = base_row(host);
    row.status = "Finished";
    row.exception_code = code;
    row.exception_text = code == 0 ? "" : text.empty() ? "Code: " + std::to_string(code) + ". Failed" : text;
    return row;
}

QueueRow with_status(const std::string& host, const char* status) {
    QueueRow row = base_row(host);
    row.status = status;
    return row;
}

QueueRow of_entry(QueueRow row, const char* entry) {
    row.entry = entry;
    return row;
}

QueueReading reads(std::vector<QueueRow> rows) {
    return {true, {}, std::move(rows)};
}

QueueReading fails(std::string problem) {
    return {false, std::move(problem), {}};
}

ExpectedEntry unbound() {
    return {token, sent, "c", {}, {}};
}

ExpectedEntry bound() {
    return {token, sent, "c", entry7, sha256_hex(stored)};
}

BOOST_AUTO_TEST_SUITE(queue_evidence)

BOOST_AUTO_TEST_CASE(every_combination_of_one_row) {
    using Text = std::optional<std::string>;
    using Number = std::optional<std::int64_t>;
    const std::vector<Text> statuses{
        std::nullopt,
        "Inactive",
        "Active",
        "Finished",
        "Removing",
        "Unknown",
        "",
        "finished",
        "FINISHED",
        "Finished ",
        "Done",
    };
    const std::vector<Number> codes{std::nullopt, 0, 1, 57, 65535, 65536, -1, std::int64_t{1} << 40};
    const std::vector<Text> texts{std::nullopt, "", "Code: 57. DB::Exception"};
    std::size_t successes = 0;
    std::size_t failures = 0;
    std::size_t open = 0;
    for (const Text& status : statuses)
        for (const Number& code : codes)
            for (const Text& text : texts) {
                QueueRow row;
                row.status = status;
                row.exception_code = code;
                row.exception_text = text;
                const RowResult result = normalize_row(row);
                // Written as the table of the page: one line of it may claim the row.
                const bool in_progress = (status == "Inactive" || status == "Active") &&
                                         code == std::nullopt && text == std::nullopt;
                const bool success = status == "Finished" && code == 0 && text == "";
                const bool failure =
                    status == "Finished" && (code == 1 || code == 57 || code == 65535) && text && text != "";
                const RowResult expected = in_progress ? RowResult::in_progress
                                           : success   ? RowResult::success
                                           : failure   ? RowResult::failure
                                                       : RowResult::unknown;
                BOOST_TEST_CONTEXT(
                    "status " << status.value_or("NULL") << " code "
                              << (code ? std::to_string(*code) : "NULL") << " text " << text.value_or("NULL")
                )
                BOOST_TEST((result == expected));
                successes += result == RowResult::success;
                failures += result == RowResult::failure;
                open += result == RowResult::in_progress;
            }
    BOOST_TEST(successes == 1U);
    BOOST_TEST(failures == 3U);
    BOOST_TEST(open == 2U);
}

// Every combination of three members' rows: any unknown dominates, then in progress, then failure, then
// success.
BOOST_AUTO_TEST_CASE(aggregate_dominance) {
    const Inventory inventory = inventory_of(3);
    const auto row = [](const std::string& host, RowResult result) {
        switch (result) {
        case RowResult::in_progress:
            return with_status(host, "Active");
        case RowResult::success:
            return finished(host);
        case RowResult::failure:
            return finished(host, 60);
        case RowResult::unknown:
            return with_status(host, "Removing");
        }
        return base_row(host);
    };
    const std::vector<RowResult> results{
        RowResult::unknown, RowResult::in_progress, RowResult::failure, RowResult::success
    };
    for (const RowResult a : results)
        for (const RowResult b : results)
            for (const RowResult c : results) {
                const std::vector<QueueRow> rows{row("ch1", a), row("ch2", b), row("ch3", c)};
                const EntryReading reading = read_entry(inventory, entry7, rows);
                RowResult expected = RowResult::success;
                for (const RowResult candidate : results) // in order of dominance
                    if (candidate == a || candidate == b || candidate == c) {
                        expected = candidate;
                        break;
                    }
                BOOST_TEST((reading.aggregate == expected));
                BOOST_TEST(reading.members.size() == 3U);
                BOOST_TEST((reading.members[1].result == b));
                BOOST_TEST((reading.problems.empty() != (expected == RowResult::unknown)));
            }
}

BOOST_AUTO_TEST_CASE(the_host_set_must_be_exact) {
    const Inventory inventory = inventory_of(2);
    QueueRow no_host = finished("ch2");
    no_host.host.reset();
    QueueRow no_port = finished("ch2");
    no_port.port.reset();
    QueueRow other_port = finished("ch2");
    other_port.port = 9440;

    struct Row {
        const char* what;
        std::vector<QueueRow> rows;
        const char* problem;
    };

    const std::vector<Row> table{
        {"nothing", {}, "ch1:9000 has no row"},
        {"missing", {finished("ch1")}, "ch2:9000 has no row"},
        {"extra", {finished("ch1"), finished("ch2"), finished("ch3")}, "ch3:9000 is no member"},
        {"extra for missing", {finished("ch1"), finished("ch3")}, "ch3:9000 is no member"},
        {"the host's other name",
         {finished("ch1"), finished("ch2"), finished("ch2.local")},
         "ch2.local:9000 is no member"},
        {"another port", {finished("ch1"), other_port}, "ch2:9440 is no member"},
        {"duplicate", {finished("ch1"), finished("ch2"), finished("ch2")}, "ch2:9000 has more than one row"},
        {"duplicate that disagrees",
         {finished("ch1"), finished("ch2"), finished("ch2", 57)},
         "ch2:9000 has more than one row"},
        {"no host", {finished("ch1"), no_host}, "a row without host"},
        {"no port", {finished("ch1"), no_port}, "a row without host"},
    };
    for (const Row& row : table) {
        BOOST_TEST_CONTEXT(row.what) {
            const EntryReading reading = read_entry(inventory, entry7, row.rows);
            BOOST_TEST((reading.aggregate == RowResult::unknown));
            BOOST_TEST((std::ranges::find(reading.problems, row.problem) != reading.problems.end()));
            BOOST_TEST(reading.members.size() == 2U);
        }
    }
    const std::vector<QueueRow> with_other_entry{
        finished("ch2"), of_entry(finished("ch3"), entry8), finished("ch1")
    };
    BOOST_TEST((read_entry(inventory, entry7, with_other_entry).aggregate == RowResult::success));
}

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

BOOST_AUTO_TEST_CASE(a_receipt_keeps_codes_and_the_first_texts) {
    const Inventory inventory = inventory_of(12);
    std::vector<QueueRow> rows;
    for (int i = 1; i <= 12; ++i)
        rows.push_back(i == 3 ? finished("ch3") : finished("ch" + std::to_string(i), 100 + i));
    const EntryReading reading = read_entry(inventory, entry7, rows);
    BOOST_REQUIRE((reading.aggregate == RowResult::failure));
    const Receipt receipt = make_receipt(reading, 42);
    BOOST_TEST(receipt.observed_at == 42);
    BOOST_REQUIRE(receipt.hosts.size() == 12U);
    BOOST_TEST(is_failure(receipt));
    std::size_t heads = 0;
    for (std::size_t i = 0; i < 12; ++i) {
        const HostReceipt& host = receipt.hosts[i];
        BOOST_TEST((host.at == inventory.members()[i].at));
        BOOST_TEST(host.code == (i == 2 ? 0 : 101 + i));
        BOOST_TEST(host.exception.sha256.empty() == (i == 2));
        heads += !host.exception.head.empty();
    }
    BOOST_TEST(heads == limits::exception_heads);
    BOOST_TEST(receipt.hosts[0].exception.head == "Code: 101. Failed");
    const QueueConclusion again = conclude_queue(inventory, bound(), receipt, {});
    BOOST_TEST(text(again.evidence) == text(QueueEvidence::failure));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
