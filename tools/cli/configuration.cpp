#include "protocol/utf8.hpp"
#include "tools/cli/option_table.hpp"
#include "tools/cli/raw_options.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace onceswap::cli {

namespace {

namespace json = boost::json;

std::optional<std::string> scalar(const json::value& value) {
    if (const json::string* string = value.if_string())
        return std::string(*string);
    if (const std::int64_t* number = value.if_int64())
        return std::to_string(*number);
    if (const bool* flag = value.if_bool())
        return std::string(*flag ? "true" : "false");
    return std::nullopt;
}

} // namespace

boost::system::result<void, std::string> add_configuration(std::string_view text, RawOptions& raw) {
    boost::system::error_code error;
    const json::value document = json::parse(text, error);
    if (error || !document.is_object())
        return std::string("not a JSON object");
    for (const auto& [key, value] : document.get_object()) {
        const std::string name(key);
        const auto table = option_table();
        const auto row = std::find_if(table.begin(), table.end(), [&](const OptionRow& each) {
            return each.name == name;
        });
        if (name == "password")
            return std::string("`password`: put it in a file of its own and name that as `password-file`");
        if (row == table.end() || name == "config")
            return "unknown key `" + protocol::printable_head(name, 64) + "`";
        if (row->command_line_only)
            return "`" + name + "` can only be said on the command line";
        std::vector<std::string> values;
        const json::array single = {value};
        const bool many = row->kind == OptionKind::list && value.is_array();
        for (const json::value& each : many ? value.get_array() : single) {
            auto one = scalar(each);
            if (!one)
                return "`" + name + "`: not a string, a whole number or a flag";
            values.push_back(std::move(*one));
        }
        if (row->kind == OptionKind::flag) {
            const auto flag = parse_flag(values.front());
            if (!flag)
                return "`" + name + "`: " + flag.error();
            values.front() = *flag ? "true" : "false";
        }
        raw.emplace(name, std::move(values)); // does nothing where something was said before
    }
    return {};
}

} // namespace onceswap::cli
