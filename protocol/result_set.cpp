#include "protocol/row_decoding.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/storage_ptr.hpp>

#include <algorithm>

namespace onceswap::protocol {

namespace {

namespace json = boost::json;

constexpr std::size_t max_depth = 8;

Failure malformed(std::size_t line, const std::string& what) {
    return {Code::generation_unknown, "malformed answer, line " + std::to_string(line) + ": " + what};
}

// A header line is an array of strings.
bool read_header(const json::array& line, std::vector<std::string>& out) {
    for (const json::value& value : line) {
        const json::string* text = value.if_string();
        if (text == nullptr)
            return false;
        out.emplace_back(text->data(), text->size());
    }
    return !out.empty();
}

} // namespace

Result<ResultSet> ResultSet::parse(std::string_view body, std::size_t max_rows) {
    if (body.size() > max_body_bytes)
        return malformed(1, "more than " + std::to_string(max_body_bytes) + " bytes");
    if (body.empty() || body.back() != '\n')
        return malformed(
            static_cast<std::size_t>(std::ranges::count(body, '\n')) + 1,
            "the last line has no end, the answer is cut"
        );

    // All rows share one resource that frees them at once with the last of them.
    const auto memory = json::make_shared_resource<json::monotonic_resource>();
    json::parse_options options;
    options.max_depth = max_depth;
    json::parser parser({}, options);

    ResultSet result;
    std::size_t line_number = 0;
    for (std::string_view rest = body; !rest.empty();) {
        ++line_number;
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        if (line_number > 2 && result.rows_.size() == max_rows)
            return malformed(line_number, "more than " + std::to_string(max_rows) + " rows");

        parser.reset(memory);
        boost::system::error_code error;
        const std::size_t consumed = parser.write_some(line.data(), line.size(), error);
        if (error || consumed < line.size())
            return malformed(
                line_number,
                "column " + std::to_string(consumed + 1) + ": " +
                    (error ? error.message() : "text after the value")
            );
        json::value value = parser.release();
        json::array* cells = value.if_array();
        if (cells == nullptr)
            return malformed(line_number, "not an array");

        if (line_number == 1) {
            if (!read_header(*cells, result.names_))
                return malformed(line_number, "not a line of column names");
            for (auto name = result.names_.begin(); name != result.names_.end(); ++name) {
                if (std::find(result.names_.begin(), name, *name) != name)
                    return malformed(line_number, "column " + *name + " twice");
            }
        } else if (line_number == 2) {
            if (!read_header(*cells, result.types_) || result.types_.size() != result.names_.size())
                return malformed(line_number, "not a type for each column");
        } else {
            if (cells->size() != result.names_.size())
                return malformed(
                    line_number,
                    std::to_string(cells->size()) + " values for " + std::to_string(result.names_.size()) +
                        " columns"
                );
            result.rows_.push_back(std::move(*cells));
        }
    }
    if (line_number < 2)
        return malformed(line_number, "no line of types");
    return result;
}

const boost::json::value* ResultSet::cell(std::size_t row, std::string_view column) const {
    const auto name = std::ranges::find(names_, column);
    if (name == names_.end() || row >= rows_.size())
        return nullptr;
    return &rows_[row][static_cast<std::size_t>(name - names_.begin())];
}

} // namespace onceswap::protocol
