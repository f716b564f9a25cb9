#include "tools/ndjson/row_handler.hpp"

#include "tools/ndjson/value_rules.hpp"

#include <boost/json/error.hpp>

#include <algorithm>
#include <utility>

namespace onceswap::ndjson {

namespace {

constexpr std::size_t longest_name_shown = 64;

/// A key for a message: control characters and the rest of a very long one are left out.
std::string shown(std::string_view key) {
    std::string out = "`";
    for (const char c : key.substr(0, longest_name_shown))
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    return out + (key.size() > longest_name_shown ? "...`" : "`");
}

} // namespace

RowHandler::RowHandler(std::vector<Column> columns)
    : columns_(std::move(columns)), seen_in_row_(columns_.size(), 0) {
    for (std::size_t at = 0; at < columns_.size(); ++at)
        by_name_.emplace(columns_[at].name, at);
}

void RowHandler::begin_row() {
    ++row_;
    stack_.clear();
    text_.clear();
    text_open_ = false;
    problem_.clear();
    tokens_ = 0;
}

const ColumnType* RowHandler::expected() const {
    const Frame& frame = stack_.back();
    switch (frame.shape) {
    case Shape::row:
        return &columns_[frame.index].type;
    case Shape::array:
        return &frame.type->arguments[0];
    case Shape::map:
        return &frame.type->arguments[1];
    case Shape::tuple_array:
    case Shape::tuple_object:
        return &frame.type->arguments[frame.index];
    case Shape::anything:
        return nullptr;
    }
    return nullptr;
}

std::string RowHandler::name_of_value() const {
    return stack_.empty() ? std::string{} : shown(columns_[stack_.front().index].name) + ": ";
}

bool RowHandler::fail(std::string problem, Error& error) {
    problem_ = std::move(problem);
    error = boost::json::error::syntax; // only says that the parse ends here; problem_ says why
    return false;
}

/// The verdict on one scalar that has been judged against expected().
bool RowHandler::accept(std::string problem, Error& error) {
    if (!problem.empty())
        return fail(name_of_value() + problem, error);
    return true;
}

/// In a tuple written as an array every value belongs to the next element.
bool RowHandler::next_tuple_element(Error& error) {
    Frame& frame = stack_.back();
    if (frame.shape != Shape::tuple_array)
        return true;
    ++frame.index;
    if (frame.index < frame.type->arguments.size())
        return true;
    const std::string size = std::to_string(frame.type->arguments.size());
    return fail(name_of_value() + "more than the " + size + " elements of " + frame.type->text, error);
}

bool RowHandler::on_object_begin(Error& error) {
    ++tokens_;
    if (stack_.empty()) {
        stack_.push_back({Shape::row, nullptr, 0});
        return true;
    }
    if (!next_tuple_element(error))
        return false;
    const ColumnType* type = expected();
    if (type == nullptr || type->kind == TypeKind::opaque) {
        stack_.push_back({Shape::anything, nullptr, 0});
        return true;
    }
    if (type->kind == TypeKind::map) {
        stack_.push_back({Shape::map, type, 0});
        return true;
    }
    if (type->kind == TypeKind::tuple && !type->names.empty()) {
        stack_.push_back({Shape::tuple_object, type, 0});
        return true;
    }
    return fail(name_of_value() + "an object does not fit " + type->text, error);
}

bool RowHandler::on_array_begin(Error& error) {
    ++tokens_;
    if (stack_.empty())
        return fail("a row must be a JSON object, one on each line", error);
    if (!next_tuple_element(error))
        return false;
    const ColumnType* type = expected();
    if (type == nullptr || type->kind == TypeKind::opaque) {
        stack_.push_back({Shape::anything, nullptr, 0});
        return true;
    }
    if (type->kind == TypeKind::array) {
        stack_.push_back({Shape::array, type, 0});
        return true;
    }
    if (type->kind == TypeKind::tuple) {
        constexpr auto before_first =
            std::numeric_limits<std::size_t>::max(); // next_tuple_element makes it 0
        stack_.push_back({Shape::tuple_array, type, before_first});
        return true;
    }
    return fail(name_of_value() + "an array does not fit " + type->text, error);
}

bool RowHandler::leave() {
    stack_.pop_back();
    return true;
}

bool RowHandler::on_array_end(std::size_t size, Error& error) {
    const Frame& frame = stack_.back();
    if (frame.shape == Shape::tuple_array && size != frame.type->arguments.size()) {
        const std::string wanted = std::to_string(frame.type->arguments.size());
        return fail(name_of_value() + "fewer than the " + wanted + " elements of " + frame.type->text, error);
    }
    return leave();
}

bool RowHandler::on_key_part(std::string_view part, std::size_t, Error&) {
    if (!text_open_) {
        ++tokens_;
        text_open_ = true;
        text_.clear();
    }
    text_.append(part);
    return true;
}

bool RowHandler::on_key(std::string_view part, std::size_t, Error& error) {
    if (text_open_) {
        text_.append(part);
        part = text_;
        text_open_ = false;
    } else {
        ++tokens_;
    }
    Frame& frame = stack_.back();
    switch (frame.shape) {
    case Shape::row:
        return row_key(part, error);
    case Shape::map: {
        const std::string problem = check_text(frame.type->arguments[0], part);
        return problem.empty() || fail(name_of_value() + "key: " + problem, error);
    }
    case Shape::tuple_object: {
        const auto& names = frame.type->names;
        const auto found = std::find(names.begin(), names.end(), part);
        if (found == names.end())
            return fail(name_of_value() + "no element " + shown(part) + " in " + frame.type->text, error);
        frame.index = static_cast<std::size_t>(found - names.begin());
        return true;
    }
    case Shape::array:
    case Shape::tuple_array:
    case Shape::anything:
        return true;
    }
    return true;
}

bool RowHandler::row_key(std::string_view key, Error& error) {
    Frame& frame = stack_.back();
    // Rows mostly name their columns in the table's order: look there before asking the map.
    std::size_t at =
        frame.index < columns_.size() && columns_[frame.index].name == key ? frame.index : columns_.size();
    if (at == columns_.size() && frame.index + 1 < columns_.size() && columns_[frame.index + 1].name == key)
        at = frame.index + 1;
    if (at == columns_.size()) {
        const auto found = by_name_.find(key);
        if (found == by_name_.end())
            return fail("unknown field " + shown(key) + ": the table has no such column", error);
        at = found->second;
    }
    const Column& column = columns_[at];
    if (column.default_kind == "MATERIALIZED" || column.default_kind == "ALIAS")
        return fail(
            "field " + shown(key) + " is a " + column.default_kind + " column and cannot be loaded", error
        );
    if (std::exchange(seen_in_row_[at], row_) == row_)
        return fail("field " + shown(key) + " is there twice", error);
    frame.index = at;
    return true;
}

bool RowHandler::on_string_part(std::string_view part, std::size_t, Error& error) {
    if (stack_.empty()) {
        ++tokens_;
        return fail("a row must be a JSON object, one on each line", error);
    }
    if (!text_open_) {
        ++tokens_;
        text_open_ = true;
        text_.clear();
        if (!next_tuple_element(error))
            return false;
    }
    const ColumnType* type = expected();
    if (type != nullptr && type->kind != TypeKind::string && type->kind != TypeKind::opaque)
        text_.append(part);
    return true;
}

bool RowHandler::on_string(std::string_view part, std::size_t, Error& error) {
    if (stack_.empty()) {
        ++tokens_;
        return fail("a row must be a JSON object, one on each line", error);
    }
    if (text_open_) {
        text_.append(part);
        part = text_;
        text_open_ = false;
    } else {
        ++tokens_;
        if (!next_tuple_element(error))
            return false;
    }
    const ColumnType* type = expected();
    if (type == nullptr || type->kind == TypeKind::string)
        return true;
    return accept(check_text(*type, part), error);
}

bool RowHandler::on_int64(std::int64_t value, std::string_view, Error& error) {
    ++tokens_;
    if (stack_.empty())
        return fail("a row must be a JSON object, one on each line", error);
    if (!next_tuple_element(error))
        return false;
    const ColumnType* type = expected();
    return type == nullptr || accept(check_integer(*type, value), error);
}

bool RowHandler::on_uint64(std::uint64_t value, std::string_view, Error& error) {
    ++tokens_;
    if (stack_.empty())
        return fail("a row must be a JSON object, one on each line", error);
    if (!next_tuple_element(error))
        return false;
    const ColumnType* type = expected();
    return type == nullptr || accept(check_integer(*type, value), error);
}

bool RowHandler::on_double(double value, std::string_view text, Error& error) {
    ++tokens_;
    if (stack_.empty())
        return fail("a row must be a JSON object, one on each line", error);
    if (!next_tuple_element(error))
        return false;
    const ColumnType* type = expected();
    return type == nullptr || accept(check_number(*type, value, text), error);
}

bool RowHandler::on_bool(bool, Error& error) {
    ++tokens_;
    if (stack_.empty())
        return fail("a row must be a JSON object, one on each line", error);
    if (!next_tuple_element(error))
        return false;
    const ColumnType* type = expected();
    return type == nullptr || accept(check_bool(*type), error);
}

bool RowHandler::on_null(Error& error) {
    ++tokens_;
    if (stack_.empty())
        return fail("a row must be a JSON object, one on each line", error);
    if (!next_tuple_element(error))
        return false;
    const ColumnType* type = expected();
    if (type == nullptr || type->nullable)
        return true;
    if (at_row() && !columns_[stack_.back().index].default_kind.empty())
        return true; // the server puts the default there
    return accept(
        "null does not fit " + type->text + ": it is not Nullable and the column has no DEFAULT", error
    );
}

} // namespace onceswap::ndjson
