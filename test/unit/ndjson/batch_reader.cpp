#include "tools/ndjson/batch_reader.hpp"

#include "protocol/digest.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

using namespace onceswap;
using namespace onceswap::ndjson;

BOOST_AUTO_TEST_SUITE(batch_reader)

namespace {

/// Gives a text in pieces of a given size.
class TextSource final : public ByteSource {
  public:
    TextSource(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}

    protocol::Result<std::size_t> read(std::span<char> into) override {
        const std::size_t size = std::min({into.size(), piece_, text_.size() - at_});
        std::memcpy(into.data(), text_.data() + at_, size);
        at_ += size;
        return size;
    }

  private:
    std::string text_;
    std::size_t piece_;
    std::size_t at_ = 0;
};

RowValidator validator() {
    std::vector<Column> columns;
    columns.emplace_back("a", "UInt32", "");
    return RowValidator(std::move(columns));
}

struct Outcome {
    std::vector<std::string> batches;
    std::vector<std::uint64_t> rows;
    std::vector<std::uint64_t> first_lines;
    std::string error;
};

Outcome read_all(const std::string& text, std::size_t piece, BatchLimits limits = {}) {
    TextSource source(text, piece);
    BatchReader reader(source, validator(), "rows.ndjson", limits);
    Outcome outcome;
    for (;;) {
        auto batch = reader.next();
        if (!batch) {
            outcome.error = batch.error().detail;
            return outcome;
        }
        if (!batch->has_value())
            return outcome;
        BOOST_TEST((*batch)->number == outcome.batches.size());
        BOOST_TEST((*batch)->sha256 == protocol::sha256_hex((*batch)->text));
        outcome.batches.emplace_back((*batch)->text);
        outcome.rows.push_back((*batch)->rows);
        outcome.first_lines.push_back((*batch)->first_line);
    }
}

std::string rows_text(int count) {
    std::string text;
    for (int row = 0; row < count; ++row)
        text += "{\"a\":" + std::to_string(row) + "}\n";
    return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_cut_never_depends_on_how_bytes_arrive) {
    const std::string text = rows_text(1000);
    BatchLimits limits;
    limits.bytes = 500;
    limits.rows = 20;
    limits.piece = 64;
    const Outcome whole = read_all(text, 1'000'000, limits);
    BOOST_TEST(whole.batches.size() == 50);
    std::string joined;
    for (const std::string& batch : whole.batches)
        joined += batch;
    BOOST_TEST(joined == text);
    for (const std::size_t piece : {1UL, 2UL, 3UL, 7UL, 63UL, 64UL, 65UL, 499UL, 500UL}) {
        const Outcome pieces = read_all(text, piece, limits);
        BOOST_TEST(pieces.batches == whole.batches, "piece " << piece);
    }
}

BOOST_AUTO_TEST_CASE(byte_limit_cuts_at_a_line) {
    BatchLimits limits;
    limits.bytes = 20; // two lines of 8 bytes and a part of the third
    const Outcome outcome = read_all(rows_text(5), 100, limits);
    const std::vector<std::string> expected = {
        "{\"a\":0}\n{\"a\":1}\n", "{\"a\":2}\n{\"a\":3}\n", "{\"a\":4}\n"
    };
    BOOST_TEST(outcome.batches == expected);
    const std::vector<std::uint64_t> lines = {1, 3, 5};
    BOOST_TEST(outcome.first_lines == lines);
}

BOOST_AUTO_TEST_CASE(ends_blank_lines_and_marks) {
    const struct {
        std::string text;
        std::vector<std::string> batches;
        std::string error;
    } rows[] = {
        {"", {}, ""},
        {"\n \r\n\t\n", {}, ""},
        {"{\"a\":1}", {"{\"a\":1}"}, ""},
        {"{\"a\":1}\r\n", {"{\"a\":1}\r\n"}, ""},
        {"\n\n{\"a\":1}\n\n", {"\n\n{\"a\":1}\n\n"}, ""},
        {"\xEF\xBB\xBF{\"a\":1}\n", {"{\"a\":1}\n"}, ""},
        {"\xEF\xBB\xBF", {}, ""},
        {"\xEF\xBB", {}, "rows.ndjson:1:1: malformed JSON"},
        {"{\"a\":1}\n\xEF\xBB\xBF{\"a\":2}\n", {}, "rows.ndjson:2:1: malformed JSON"},
        {"{\"a\":1}\n\n{\"b\":2}\n", {}, "rows.ndjson:3:2: unknown field `b`: the table has no such column"},
        {"{\"a\":1}\n{\"a\":", {}, "rows.ndjson:2:6: malformed JSON: the line ends inside the object"},
        {std::string("\0\n", 2), {}, "rows.ndjson:1:1: malformed JSON"},
    };

    for (const auto& row : rows) {
        for (const std::size_t piece : {1UL, 2UL, 1000UL}) {
            const Outcome outcome = read_all(row.text, piece);
            BOOST_TEST_CONTEXT("text `" << row.text << "` in pieces of " << piece) {
                BOOST_TEST(outcome.batches == row.batches);
                BOOST_TEST(outcome.error == row.error);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_line_over_the_limit_is_an_error_and_a_line_at_the_limit_is_not) {
    BatchLimits limits;
    limits.bytes = 32;
    const std::string fits = "{\"a\":" + std::string(24, ' ') + "1}\n"; // 32 bytes with its newline
    BOOST_TEST(read_all("{\"a\":1}\n" + fits + "{\"a\":2}\n", 5, limits).error == "");
    const std::string over = "{\"a\":" + std::string(25, ' ') + "1}\n";
    BOOST_TEST(
        read_all("{\"a\":1}\n" + over, 5, limits).error == "rows.ndjson:2:1: the line is longer than 32 bytes"
    );
}

BOOST_AUTO_TEST_CASE(many_blank_lines_are_no_rows_and_no_recursion) {
    BatchLimits limits;
    limits.bytes = 64;
    const Outcome outcome = read_all(std::string(1'000'000, '\n') + "{\"a\":1}", 64, limits);
    BOOST_REQUIRE(outcome.rows.size() == 1);
    BOOST_TEST(outcome.rows[0] == 1);
    BOOST_TEST(outcome.error == "");
}

BOOST_AUTO_TEST_CASE(a_row_of_a_batch_has_its_line) {
    TextSource source("\n{\"a\":1}\n\n\n{\"a\":2}\r\n{\"a\":3}", 1000);
    BatchReader reader(source, validator(), "rows.ndjson");
    auto batch = reader.next();
    BOOST_REQUIRE(batch);
    BOOST_REQUIRE(batch->has_value());
    const std::uint64_t expected[] = {2, 5, 6, 6};
    for (std::uint64_t row = 1; row <= 4; ++row)
        BOOST_TEST(
            line_of_row((*batch)->text, (*batch)->first_line, row) == expected[row - 1], "row " << row
        );
}

BOOST_AUTO_TEST_SUITE_END()
