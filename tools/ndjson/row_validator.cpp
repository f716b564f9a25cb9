#include "tools/ndjson/row_validator.hpp"

#include "tools/ndjson/row_handler.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <utility>

namespace onceswap::ndjson {

namespace {

/// Where the `count`-th token of a line begins, from 1. The text up to there is JSON. Runs once, after an
/// error.
std::size_t column_of_token(std::string_view line, std::size_t count) {
    std::size_t begin = 0;
    for (std::size_t at = 0; at < line.size() && count > 0;) {
        const char c = line[at];
        if (c == ' ' || c == '\t' || c == '\r' || c == ':' || c == ',' || c == ']' || c == '}') {
            ++at;
            continue;
        }
        begin = at;
        --count;
        if (c == '"') {
            for (++at; at < line.size() && line[at] != '"'; ++at)
                if (line[at] == '\\')
                    ++at;
            ++at;
        } else if (c == '{' || c == '[') {
            ++at;
        } else {
            while (at < line.size() && std::string_view(" \t\r,]}").find(line[at]) == std::string_view::npos)
                ++at;
        }
    }
    return begin + 1;
}

std::string reason(const boost::system::error_code& error) {
    namespace json = boost::json;
    if (error == json::error::incomplete)
        return "malformed JSON: the line ends inside the object";
    if (error == json::error::extra_data)
        return "something follows the object; one JSON object on each line";
    if (error == json::error::too_deep)
        return "nested more than 32 levels deep";
    if (error == json::error::syntax)
        return "malformed JSON";
    return "malformed JSON: " + error.message();
}

} // namespace

struct RowValidator::Parser {
    explicit Parser(std::vector<Column> columns) : json(boost::json::parse_options{}, std::move(columns)) {}

    boost::json::basic_parser<RowHandler> json;
};

RowValidator::RowValidator(std::vector<Column> columns)
    : parser_(std::make_unique<Parser>(std::move(columns))) {}

RowValidator::~RowValidator() = default;
RowValidator::RowValidator(RowValidator&&) noexcept = default;
RowValidator& RowValidator::operator=(RowValidator&&) noexcept = default;

std::optional<LineError> RowValidator::check(std::string_view line) {
    auto& json = parser_->json;
    RowHandler& handler = json.handler();
    json.reset();
    handler.begin_row();
    boost::system::error_code error;
    const std::size_t used = json.write_some(false, line.data(), line.size(), error);
    if (!error && used < line.size())
        error = boost::json::error::extra_data;
    if (!error)
        return std::nullopt;
    LineError result;
    if (!handler.problem().empty()) {
        result.column = column_of_token(line, handler.tokens());
        result.what = handler.problem();
    } else {
        result.column = used + 1;
        result.what = reason(error);
    }
    return result;
}

} // namespace onceswap::ndjson
