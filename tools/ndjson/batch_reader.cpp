#include "tools/ndjson/batch_reader.hpp"

#include "protocol/digest.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace onceswap::ndjson {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

} // namespace

std::uint64_t line_of_row(std::string_view text, std::uint64_t first_line, std::uint64_t row) {
    std::uint64_t line = first_line;
    std::uint64_t last = line;
    std::string_view rest = text;
    for (; !rest.empty(); ++line) {
        const std::size_t end = rest.find('\n');
        if (!is_blank(rest.substr(0, end))) {
            last = line;
            if (row <= 1)
                return line;
            --row;
        }
        if (end == std::string_view::npos)
            break;
        rest.remove_prefix(end + 1);
    }
    return last;
}

BatchReader::BatchReader(ByteSource& source, RowValidator validator, std::string name, BatchLimits limits)
    : source_(source), validator_(std::move(validator)), name_(std::move(name)), limits_(limits) {}

/// One piece more at the end of the buffer; false at the end of the input.
protocol::Result<bool> BatchReader::fill(char* buffer, std::size_t& used) {
    const std::size_t want = std::min(limits_.piece, limits_.bytes - used);
    const auto got = source_.read(std::span(buffer + used, want));
    if (!got)
        return got.error();
    used += *got;
    at_end_ = *got == 0;
    if (at_begin_ && (at_end_ || used >= byte_order_mark.size())) {
        at_begin_ = false;
        if (std::string_view(buffer, used).starts_with(byte_order_mark)) {
            used -= byte_order_mark.size();
            std::memmove(buffer, buffer + byte_order_mark.size(), used);
        }
    }
    return !at_end_;
}

std::optional<protocol::Failure> BatchReader::judge(std::string_view line, std::uint64_t& rows) {
    ++line_;
    if (is_blank(line))
        return std::nullopt;
    if (const auto error = validator_.check(line)) {
        const std::string where = name_ + ":" + std::to_string(line_) + ":" + std::to_string(error->column);
        return protocol::Failure(protocol::Code::input_malformed, where + ": " + error->what);
    }
    ++rows;
    return std::nullopt;
}

protocol::Result<std::optional<Batch>> BatchReader::next() {
    while (!at_end_ || !rest_.empty()) {
        auto batch = cut();
        if (!batch || batch->has_value())
            return batch; // nullopt: nothing but blank lines
    }
    return std::optional<Batch>{};
}

protocol::Result<std::optional<Batch>> BatchReader::cut() {
    std::string buffer(limits_.bytes, '\0');
    std::size_t used = rest_.size();
    std::memcpy(buffer.data(), rest_.data(), used);
    rest_.clear();
    const std::uint64_t first_line = line_ + 1;
    std::uint64_t rows = 0;
    std::size_t judged = 0;   // bytes of whole lines that were judged
    std::size_t searched = 0; // bytes that hold no further newline
    for (;;) {
        const void* newline = nullptr;
        while (!at_begin_ && rows < limits_.rows &&
               (newline = std::memchr(buffer.data() + searched, '\n', used - searched)) != nullptr) {
            const auto end = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer.data());
            if (auto failure = judge({buffer.data() + judged, end - judged}, rows))
                return *failure;
            judged = searched = end + 1;
        }
        if (rows >= limits_.rows)
            break;
        if (!at_begin_)
            searched = used;
        if (at_end_) { // a last line without a newline
            if (judged < used) {
                if (auto failure = judge({buffer.data() + judged, used - judged}, rows))
                    return *failure;
            }
            judged = used;
            break;
        }
        if (used == limits_.bytes) {
            if (judged > 0)
                break;
            const std::string where = name_ + ":" + std::to_string(line_ + 1) + ":1";
            const std::string most = std::to_string(limits_.bytes);
            return protocol::Failure(
                protocol::Code::input_malformed, where + ": the line is longer than " + most + " bytes"
            );
        }
        if (const auto more = fill(buffer.data(), used); !more)
            return more.error();
    }
    rest_.assign(buffer.data() + judged, used - judged);
    if (rest_.capacity() > 2 * limits_.piece && rest_.size() <= limits_.piece)
        rest_.shrink_to_fit();
    if (rows == 0)
        return std::optional<Batch>{};
    Batch batch;
    buffer.resize(judged);
    batch.text = std::move(buffer);
    batch.number = batches_++;
    batch.rows = rows;
    batch.first_line = first_line;
    batch.sha256 = protocol::sha256_hex(batch.text);
    return std::optional<Batch>(std::move(batch));
}

} // namespace onceswap::ndjson
