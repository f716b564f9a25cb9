// What one member shows of an entry: its rows, and what they say together.
#include "queue_rows.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace onceswap::protocol;
using namespace onceswap::testing;

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
