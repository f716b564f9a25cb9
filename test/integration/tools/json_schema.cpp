#include "json_schema.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <string_view>

namespace onceswap::testing {

namespace {

namespace json = boost::json;

class Validator {
  public:
    explicit Validator(const json::object& root) : root_(root) {}

    void check(const json::object& schema, const json::value& value, const std::string& path) {
        for (const auto& [keyword, rule] : schema) {
            if (keyword == "$ref")
                check(resolve(rule.as_string()), value, path);
            else if (keyword == "type")
                check_type(rule, value, path);
            else if (keyword == "const")
                demand(value == rule, path, "is not " + json::serialize(rule));
            else if (keyword == "enum")
                check_enum(rule.as_array(), value, path);
            else if (keyword == "pattern")
                check_pattern(rule.as_string(), value, path);
            else if (keyword == "required")
                check_required(rule.as_array(), value, path);
            else if (keyword == "properties")
                check_properties(schema, rule.as_object(), value, path);
            else if (keyword == "items")
                check_items(rule.as_object(), value, path);
            else if (keyword == "anyOf")
                check_any(rule.as_array(), value, path);
            else if (keyword == "minimum")
                demand(
                    value.is_number() && value.to_number<double>() >= rule.to_number<double>(),
                    path,
                    "is too small"
                );
            else if (keyword == "maximum")
                demand(
                    value.is_number() && value.to_number<double>() <= rule.to_number<double>(),
                    path,
                    "is too large"
                );
            else if (!is_annotation(keyword))
                throw std::logic_error(
                    "schema keyword that this checker does not know: " + std::string(keyword)
                );
        }
    }

    std::vector<std::string> found;

  private:
    static bool is_annotation(std::string_view keyword) {
        constexpr std::string_view known[] = {
            "$schema", "$id", "$defs", "title", "description", "additionalProperties"
        };
        return std::find(std::begin(known), std::end(known), keyword) != std::end(known);
    }

    void demand(bool holds, const std::string& path, const std::string& what) {
        if (!holds)
            found.push_back((path.empty() ? "/" : path) + ": " + what);
    }

    const json::object& resolve(std::string_view reference) const {
        constexpr std::string_view prefix = "#/$defs/";
        if (reference == "#")
            return root_;
        if (!reference.starts_with(prefix))
            throw std::logic_error("reference " + std::string(reference));
        return root_.at("$defs").as_object().at(reference.substr(prefix.size())).as_object();
    }

    static bool has_type(std::string_view name, const json::value& value) {
        if (name == "object")
            return value.is_object();
        if (name == "array")
            return value.is_array();
        if (name == "string")
            return value.is_string();
        if (name == "integer")
            return value.is_int64() || value.is_uint64();
        if (name == "boolean")
            return value.is_bool();
        if (name == "null")
            return value.is_null();
        throw std::logic_error("type " + std::string(name));
    }

    void check_type(const json::value& rule, const json::value& value, const std::string& path) {
        bool holds = false;
        if (rule.is_array()) {
            for (const json::value& each : rule.as_array())
                holds = holds || has_type(each.as_string(), value);
        } else {
            holds = has_type(rule.as_string(), value);
        }
        demand(holds, path, "is not of type " + json::serialize(rule) + " but " + json::serialize(value));
    }

    void check_any(const json::array& rules, const json::value& value, const std::string& path) {
        for (const json::value& rule : rules) {
            Validator one(root_);
            one.check(rule.as_object(), value, path);
            if (one.found.empty())
                return;
        }
        demand(false, path, "fits none of the alternatives");
    }

    void check_enum(const json::array& rule, const json::value& value, const std::string& path) {
        demand(
            std::find(rule.begin(), rule.end(), value) != rule.end(),
            path,
            "is none of " + json::serialize(rule)
        );
    }

    void check_pattern(const json::string& rule, const json::value& value, const std::string& path) {
        if (!value.is_string())
            return;
        const std::regex pattern{std::string(rule)};
        const std::string text(value.as_string());
        demand(std::regex_search(text, pattern), path, "`" + text + "` does not match " + std::string(rule));
    }

    void check_required(const json::array& rule, const json::value& value, const std::string& path) {
        if (!value.is_object())
            return;
        for (const json::value& name : rule)
            demand(
                value.as_object().contains(name.as_string()), path, "lacks " + std::string(name.as_string())
            );
    }

    void check_properties(
        const json::object& schema,
        const json::object& rule,
        const json::value& value,
        const std::string& path
    ) {
        if (!value.is_object())
            return;
        const json::value* additional = schema.if_contains("additionalProperties");
        for (const auto& [name, each] : value.as_object()) {
            const std::string below = path + "/" + std::string(name);
            if (const json::value* known = rule.if_contains(name))
                check(known->as_object(), each, below);
            else
                demand(additional == nullptr || additional->as_bool(), below, "is not described");
        }
    }

    void check_items(const json::object& rule, const json::value& value, const std::string& path) {
        if (!value.is_array())
            return;
        std::size_t at = 0;
        for (const json::value& each : value.as_array())
            check(rule, each, path + "/" + std::to_string(at++));
    }

    const json::object& root_;
};

} // namespace

std::vector<std::string> violations(const json::value& schema, const json::value& document) {
    Validator validator(schema.as_object());
    validator.check(schema.as_object(), document, "");
    return std::move(validator.found);
}

} // namespace onceswap::testing
