#include "protocol/row_decoding.hpp"

#include <boost/json/parser.hpp>

#include <algorithm>

namespace onceswap::protocol {

namespace {

namespace json = boost::json;

constexpr std::size_t max_depth = 8;
constexpr std::size_t bytes_per_node = 8; // about what answers have; only saves growing

Failure malformed(std::size_t line, const std::string& what) {
    return {Code::generation_unknown, "malformed answer, line " + std::to_string(line) + ": " + what};
}

/// Where and why a line is no JSON: what another parser says, which counts columns and has words for it.
Failure not_json(std::size_t line_number, std::string_view line) {
    json::parse_options options;
    options.max_depth = max_depth;
    json::parser parser({}, options);
    boost::system::error_code error;
    const std::size_t consumed = parser.write_some(line.data(), line.size(), error);
    return malformed(
        line_number,
        "column " + std::to_string(consumed + 1) + ": " + (error ? error.message() : "text after the value")
    );
}

// A header line is an array of strings.
bool read_header(JsonView line, std::vector<std::string_view>& out) {
    bool all_texts = true;
    out.reserve(line.size());
    line.for_each_element([&](JsonView value) {
        const auto text = value.text();
        all_texts = all_texts && text;
        out.push_back(text.value_or(std::string_view()));
    });
    return all_texts && !out.empty();
}

} // namespace

struct ResultSet::Content {
    std::string body;
    JsonText json;
    std::vector<std::size_t> lines; ///< where each row is
};

Result<ResultSet> ResultSet::parse(std::string_view given, std::size_t max_rows) {
    if (given.size() > max_body_bytes)
        return malformed(1, "more than " + std::to_string(max_body_bytes) + " bytes");
    if (given.empty() || given.back() != '\n')
        return malformed(
            static_cast<std::size_t>(std::ranges::count(given, '\n')) + 1,
            "the last line has no end, the answer is cut"
        );

    const auto content = std::make_shared<Content>();
    content->body = given;
    content->json.reserve(given.size() / bytes_per_node);
    ResultSet result;
    std::size_t line_number = 0;
    for (std::string_view rest = content->body; !rest.empty();) {
        ++line_number;
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        if (line_number > 2 && result.rows_ == max_rows)
            return malformed(line_number, "more than " + std::to_string(max_rows) + " rows");

        const auto place = content->json.add(line, max_depth);
        if (!place)
            return not_json(line_number, line);
        const JsonView value = content->json.at(*place);
        if (value.kind() != JsonView::Kind::array)
            return malformed(line_number, "not an array");

        if (line_number == 1) {
            if (!read_header(value, result.names_))
                return malformed(line_number, "not a line of column names");
            for (auto name = result.names_.begin(); name != result.names_.end(); ++name) {
                if (std::find(result.names_.begin(), name, *name) != name)
                    return malformed(line_number, "column " + std::string(*name) + " twice");
            }
        } else if (line_number == 2) {
            if (!read_header(value, result.types_) || result.types_.size() != result.names_.size())
                return malformed(line_number, "not a type for each column");
        } else {
            if (value.size() != result.names_.size())
                return malformed(
                    line_number,
                    std::to_string(value.size()) + " values for " + std::to_string(result.names_.size()) +
                        " columns"
                );
            content->lines.push_back(*place);
            ++result.rows_;
        }
    }
    if (line_number < 2)
        return malformed(line_number, "no line of types");
    result.content_ = content;
    return result;
}

JsonView ResultSet::cell(std::size_t row, std::size_t column) const {
    if (column >= names_.size() || row >= rows_)
        return {};
    const JsonView::Node* at = content_->json.at(content_->lines[row]).node() + 1;
    for (; column != 0; --column)
        at += at->nodes;
    return JsonView(at);
}

JsonView ResultSet::cell(std::size_t row, std::string_view column) const {
    return cell(row, static_cast<std::size_t>(std::ranges::find(names_, column) - names_.begin()));
}

} // namespace onceswap::protocol
