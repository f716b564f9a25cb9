#include "tools/cli/table_name.hpp"

#include <algorithm>
#include <optional>

namespace onceswap::cli {

namespace {

constexpr std::size_t longest_part = 206; // what ClickHouse can turn into a file name

/// Takes one identifier from the front; nullopt: a quote that does not end.
std::optional<std::string> take_part(std::string_view& text) {
    std::string part;
    if (text.empty() || text.front() != '`') {
        const std::size_t end = std::min(text.find('.'), text.size());
        part = text.substr(0, end);
        text.remove_prefix(end);
        return part;
    }
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (text[at] == '\\' && at + 1 < text.size())
            part += text[++at];
        else if (text[at] == '`') {
            text.remove_prefix(at + 1);
            return part;
        } else
            part += text[at];
    }
    return std::nullopt;
}

std::string quoted_where_needed(const std::string& part) {
    if (part.find_first_of(".`\\") == std::string::npos)
        return part;
    std::string out = "`";
    for (const char c : part) {
        if (c == '`' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + "`";
}

bool has_control_character(const std::string& part) {
    return std::any_of(part.begin(), part.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

} // namespace

boost::system::result<protocol::TargetName, std::string> parse_table_name(std::string_view given) {
    std::string_view rest = given;
    const auto database = take_part(rest);
    if (!database || database->empty() || rest.empty() || rest.front() != '.')
        return std::string("expected DATABASE.TABLE");
    rest.remove_prefix(1);
    const auto table = take_part(rest);
    if (!table || table->empty() || !rest.empty())
        return std::string("expected DATABASE.TABLE (a part with a dot goes in back-quotes)");
    if (database->size() > longest_part || table->size() > longest_part)
        return std::string("a name is longer than 206 bytes");
    if (has_control_character(*database) || has_control_character(*table))
        return std::string("a name has a control character");
    protocol::TargetName name;
    name.database = *database;
    name.table = *table;
    return name;
}

std::string text(const protocol::TargetName& name) {
    return quoted_where_needed(name.database) + "." + quoted_where_needed(name.table);
}

} // namespace onceswap::cli
