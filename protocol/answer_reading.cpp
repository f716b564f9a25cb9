#include "protocol/answer_reading.hpp"

#include <algorithm>
#include <charconv>

namespace onceswap::protocol::answer {

namespace {

namespace json = boost::json;

const json::value null_value;

template <class T>
std::optional<T> parse_whole(std::string_view digits) {
    T number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return number;
}

// "not a number", but with the reason that a reader of the log needs: NULL, a fraction, a text, out of range.
std::string shown(const json::value& value) {
    switch (value.kind()) {
    case json::kind::null:
        return "NULL";
    case json::kind::bool_:
        return "a boolean";
    case json::kind::int64:
        return "the number " + std::to_string(value.get_int64());
    case json::kind::uint64:
        return "the number " + std::to_string(value.get_uint64());
    case json::kind::double_:
        return "a fraction or a number beyond 64 bits";
    case json::kind::string:
        return "a text of " + std::to_string(value.get_string().size()) + " bytes";
    case json::kind::array:
        return "an array";
    case json::kind::object:
        return "an object";
    }
    return "nothing known";
}

} // namespace

std::string Place::text() const {
    if (list.empty())
        return std::string(field);
    return std::string(list) + "[" + std::to_string(element) + "]." + std::string(field);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view digits, std::uint64_t max) {
    const auto number = parse_whole<std::uint64_t>(digits);
    if (!number || *number > max)
        return std::nullopt;
    return number;
}

std::string read_text(const json::value& value, const Place& place, Problem& problem) {
    const json::string* text = value.if_string();
    if (text == nullptr) {
        problem.note(place.text() + ": not a text but " + shown(value));
        return {};
    }
    return std::string(text->data(), text->size());
}

std::int64_t read_signed(
    const json::value& value, std::int64_t min, std::int64_t max, const Place& place, Problem& problem
) {
    std::optional<std::int64_t> number;
    if (const auto* plain = value.if_int64())
        number = *plain;
    else if (const auto* quoted = value.if_string())
        number = parse_whole<std::int64_t>({quoted->data(), quoted->size()});
    if (number && *number >= min && *number <= max)
        return *number;
    problem.note(
        place.text() + ": not an integer from " + std::to_string(min) + " to " + std::to_string(max) +
        " but " + shown(value)
    );
    return 0;
}

std::uint64_t
read_unsigned(const json::value& value, std::uint64_t max, const Place& place, Problem& problem) {
    std::optional<std::uint64_t> number;
    if (const auto* plain = value.if_int64(); plain != nullptr && *plain >= 0)
        number = static_cast<std::uint64_t>(*plain);
    else if (const auto* large = value.if_uint64())
        number = *large;
    else if (const auto* quoted = value.if_string())
        number = parse_whole<std::uint64_t>({quoted->data(), quoted->size()});
    if (number && *number <= max)
        return *number;
    problem.note(place.text() + ": not an integer from 0 to " + std::to_string(max) + " but " + shown(value));
    return 0;
}

Tuple::Tuple(
    const json::value& value,
    AnswerColumns columns,
    std::string_view list,
    std::size_t element,
    Problem& problem
)
    : value_(value), columns_(columns), list_(list), element_(element), problem_(problem) {
    const std::size_t fields = value.is_object()  ? value.get_object().size()
                               : value.is_array() ? value.get_array().size()
                                                  : 0;
    if (fields != columns.size())
        problem.note(
            std::string(list) + "[" + std::to_string(element) + "]: " + shown(value) + " with " +
            std::to_string(fields) + " fields where " + std::to_string(columns.size()) + " were asked for"
        );
}

const json::value& Tuple::value(std::string_view field) const {
    const json::value* found = nullptr;
    if (const json::object* object = value_.if_object()) {
        found = object->if_contains(field);
    } else if (const json::array* array = value_.if_array()) {
        const auto column = std::ranges::find(columns_, field, &AnswerColumn::name);
        found = array->if_contains(static_cast<std::size_t>(column - columns_.begin()));
    }
    if (found != nullptr)
        return *found;
    problem_.note(place(field).text() + ": missing");
    return null_value;
}

std::string Tuple::text(std::string_view field) const {
    return read_text(value(field), place(field), problem_);
}

std::optional<std::string> Tuple::optional_text(std::string_view field) const {
    const json::value& cell = value(field);
    if (cell.is_null())
        return std::nullopt;
    return read_text(cell, place(field), problem_);
}

Uuid Tuple::uuid(std::string_view field) const {
    const auto uuid = Uuid::parse(text(field));
    if (!uuid)
        problem_.note(place(field).text() + ": not a UUID");
    return uuid.value_or(Uuid());
}

bool Tuple::flag(std::string_view field) const {
    return read_unsigned(value(field), 1, place(field), problem_) == 1;
}

std::vector<std::string> Tuple::texts(std::string_view field) const {
    const json::value& cell = value(field);
    std::vector<std::string> out;
    if (const json::array* array = cell.if_array()) {
        for (const json::value& element : *array)
            out.push_back(read_text(element, place(field), problem_));
    } else {
        problem_.note(place(field).text() + ": not an array but " + shown(cell));
    }
    return out;
}

Answer::Answer(std::string_view body, Problem& problem) : problem_(problem) {
    auto parsed = ResultSet::parse(body);
    if (!parsed) {
        problem.note(parsed.error().detail);
        return;
    }
    result_ = std::move(*parsed);
    if (result_->rows() != 1) {
        problem.note(std::to_string(result_->rows()) + " rows where one identity row was asked for");
        return;
    }
    const std::string text = read_text(cell("server_uuid", "String"), {{}, 0, "server_uuid"}, problem);
    const auto uuid = Uuid::parse(text);
    if (!uuid || uuid->is_nil())
        problem.note("server_uuid: not the identity of a server");
    else
        server_uuid_ = *uuid;
}

bool Answer::has(std::string_view column) const {
    return result_ && std::ranges::find(result_->names(), column) != result_->names().end();
}

const json::value& Answer::cell(std::string_view column, std::string_view type) const {
    const json::value* found = result_ ? result_->cell(0, column) : nullptr;
    if (found == nullptr) {
        problem_.note(std::string(column) + ": missing");
        return null_value;
    }
    const auto at = std::ranges::find(result_->names(), column) - result_->names().begin();
    const std::string& shown_type = result_->types()[static_cast<std::size_t>(at)];
    if (plain_type(shown_type) != type && !(type == "UInt64" && shown_type == "Nullable(UInt64)")) {
        problem_.note(std::string(column) + ": the type is not " + std::string(type));
        return null_value;
    }
    return *found;
}

Identity Answer::identity() const {
    Identity identity;
    identity.server_uuid = server_uuid_;
    identity.version = read_text(cell("version", "String"), {{}, 0, "version"}, problem_);
    identity.host_name = read_text(cell("host_name", "String"), {{}, 0, "host_name"}, problem_);
    identity.tcp_port = read_number<std::uint16_t>(cell("tcp_port", "UInt16"), {{}, 0, "tcp_port"}, problem_);
    identity.now = read_number<std::uint32_t>(cell("now", "UInt32"), {{}, 0, "now"}, problem_);
    return identity;
}

std::uint64_t Answer::count(std::string_view column) const {
    return read_number<std::uint64_t>(cell(column, "UInt64"), {{}, 0, column}, problem_);
}

std::vector<Tuple> Answer::list(std::string_view column, AnswerColumns columns) const {
    const json::value& value = cell(column, list_type(columns));
    std::vector<Tuple> out;
    if (const json::array* elements = value.if_array()) {
        out.reserve(elements->size());
        for (const json::value& element : *elements)
            out.emplace_back(element, columns, column, out.size(), problem_);
    } else {
        problem_.note(std::string(column) + ": not a list but " + shown(value));
    }
    return out;
}

std::string list_type(AnswerColumns columns) {
    std::string type = "Array(Tuple(";
    bool first = true;
    for (const AnswerColumn& column : columns) {
        if (!first)
            type += ", ";
        first = false;
        type += column.name;
        type += ' ';
        type += column.type;
    }
    return type + "))";
}

std::string plain_type(std::string_view type) {
    std::string out;
    out.reserve(type.size());
    bool space = false;
    for (const char c : type) {
        if (c == ' ' || c == '\n' || c == '\t') {
            space = true;
            continue;
        }
        if (c == '`')
            continue;
        if (space && !out.empty() && out.back() != '(' && c != ')')
            out += ' ';
        space = false;
        out += c;
    }
    return out;
}

} // namespace onceswap::protocol::answer
