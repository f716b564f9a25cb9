#include "protocol/answer_reading.hpp"

#include <algorithm>
#include <charconv>

namespace onceswap::protocol::answer {

namespace {

using Kind = JsonView::Kind;

const JsonView::Node null_node;
const JsonView null_value(&null_node);

template <class T>
std::optional<T> parse_whole(std::string_view digits) {
    T number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return number;
}

// "not a number", but with the reason that a reader of the log needs: NULL, a fraction, a text, out of range.
std::string shown(JsonView value) {
    switch (value.kind()) {
    case Kind::null:
        return "NULL";
    case Kind::boolean:
        return "a boolean";
    case Kind::integer:
        return "the number " + std::to_string(*value.integer());
    case Kind::unsigned_integer:
        return "the number " + std::to_string(*value.unsigned_integer());
    case Kind::fraction:
        return "a fraction or a number beyond 64 bits";
    case Kind::string:
        return "a text of " + std::to_string(value.text()->size()) + " bytes";
    case Kind::array:
        return "an array";
    case Kind::object:
        return "an object";
    }
    return "nothing known";
}

/// Whether `type` begins with `part`, which is taken away then.
bool take(std::string_view& type, std::string_view part) {
    if (!type.starts_with(part))
        return false;
    type.remove_prefix(part.size());
    return true;
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

std::string read_text(JsonView value, const Place& place, Problem& problem) {
    const auto text = value.text();
    if (!text) {
        problem.note(place.text() + ": not a text but " + shown(value));
        return {};
    }
    return std::string(*text);
}

std::int64_t
read_signed(JsonView value, std::int64_t min, std::int64_t max, const Place& place, Problem& problem) {
    std::optional<std::int64_t> number = value.integer();
    if (const auto quoted = value.text())
        number = parse_whole<std::int64_t>(*quoted);
    if (number && *number >= min && *number <= max)
        return *number;
    problem.note(
        place.text() + ": not an integer from " + std::to_string(min) + " to " + std::to_string(max) +
        " but " + shown(value)
    );
    return 0;
}

std::uint64_t read_unsigned(JsonView value, std::uint64_t max, const Place& place, Problem& problem) {
    std::optional<std::uint64_t> number = value.unsigned_integer();
    if (const auto plain = value.integer(); plain && *plain >= 0)
        number = static_cast<std::uint64_t>(*plain);
    else if (const auto quoted = value.text())
        number = parse_whole<std::uint64_t>(*quoted);
    if (number && *number <= max)
        return *number;
    problem.note(place.text() + ": not an integer from 0 to " + std::to_string(max) + " but " + shown(value));
    return 0;
}

Tuple::Tuple(
    JsonView value, AnswerColumns columns, std::string_view list, std::size_t element, Problem& problem
)
    : value_(value), next_(value.node() + 1), columns_(columns), list_(list), element_(element),
      problem_(problem) {
    if (value.size() != columns.size())
        problem.note(
            std::string(list) + "[" + std::to_string(element) + "]: " + shown(value) + " with " +
            std::to_string(value.size()) + " fields where " + std::to_string(columns.size()) +
            " were asked for"
        );
}

/// The fields are asked for in the order in which they are written: mostly the next one is the one.
JsonView Tuple::value(std::string_view field) const {
    JsonView found;
    if (value_.kind() == Kind::object) {
        if (taken_ == value_.size() || next_->text != field) {
            next_ = value_.node() + 1;
            for (taken_ = 0; taken_ < value_.size() && next_->text != field; ++taken_)
                next_ += 1 + next_[1].nodes;
        }
        if (taken_ < value_.size()) {
            found = JsonView(next_ + 1);
            next_ += 1 + next_[1].nodes;
            ++taken_;
        }
    } else if (value_.kind() == Kind::array) {
        const auto column = static_cast<std::size_t>(
            std::ranges::find(columns_, field, &AnswerColumn::name) - columns_.begin()
        );
        std::size_t at = 0;
        value_.for_each_element([&](JsonView element) {
            if (at++ == column)
                found = element;
        });
    }
    if (found)
        return found;
    problem_.note(place(field).text() + ": missing");
    return null_value;
}

std::string Tuple::text(std::string_view field) const {
    return read_text(value(field), place(field), problem_);
}

std::optional<std::string> Tuple::optional_text(std::string_view field) const {
    const JsonView cell = value(field);
    if (cell.is_null())
        return std::nullopt;
    return read_text(cell, place(field), problem_);
}

Uuid Tuple::uuid(std::string_view field) const {
    const JsonView cell = value(field);
    const auto text = cell.text();
    if (!text)
        problem_.note(place(field).text() + ": not a text but " + shown(cell));
    const auto uuid = Uuid::parse(text.value_or(std::string_view()));
    if (!uuid)
        problem_.note(place(field).text() + ": not a UUID");
    return uuid.value_or(Uuid());
}

bool Tuple::flag(std::string_view field) const {
    return read_unsigned(value(field), 1, place(field), problem_) == 1;
}

std::vector<std::string> Tuple::texts(std::string_view field) const {
    const JsonView cell = value(field);
    std::vector<std::string> out;
    if (cell.kind() == Kind::array) {
        out.reserve(cell.size());
        cell.for_each_element([&](JsonView element) {
            out.push_back(read_text(element, place(field), problem_));
        });
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

std::optional<std::size_t> Answer::find(std::string_view column) const {
    if (has(column))
        return static_cast<std::size_t>(
            std::ranges::find(result_->names(), column) - result_->names().begin()
        );
    problem_.note(std::string(column) + ": missing");
    return std::nullopt;
}

JsonView Answer::cell(std::string_view column, std::string_view type) const {
    const auto at = find(column);
    if (!at || result_->rows() == 0)
        return null_value;
    const std::string_view shown_type = result_->types()[*at];
    if (shown_type != type && plain_type(shown_type) != type &&
        !(type == "UInt64" && shown_type == "Nullable(UInt64)")) {
        problem_.note(std::string(column) + ": the type is not " + std::string(type));
        return null_value;
    }
    return result_->cell(0, *at);
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
    const auto at = find(column);
    JsonView value = null_value;
    if (at && result_->rows() != 0) {
        const std::string_view type = result_->types()[*at];
        if (is_list_type(type, columns) || plain_type(type) == list_type(columns))
            value = result_->cell(0, *at);
        else
            problem_.note(std::string(column) + ": the type is not " + list_type(columns));
    }
    std::vector<Tuple> out;
    if (value.kind() == Kind::array) {
        out.reserve(value.size());
        value.for_each_element([&](JsonView element) {
            out.emplace_back(element, columns, column, out.size(), problem_);
        });
    } else {
        problem_.note(std::string(column) + ": not a list but " + shown(value));
    }
    return out;
}

bool is_list_type(std::string_view type, AnswerColumns columns) {
    if (!take(type, "Array(Tuple("))
        return false;
    for (const AnswerColumn& column : columns) {
        if (&column != columns.data() && !take(type, ", "))
            return false;
        if (!take(type, column.name) || !take(type, " ") || !take(type, column.type))
            return false;
    }
    return type == "))";
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
