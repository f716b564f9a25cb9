#include "tools/cli/advice.hpp"

#include <array>

namespace onceswap::cli {

namespace {

constexpr auto verbs = std::to_array<std::string_view>(
    {"stage", "retire", "close", "orphans", "watch", "doctor", "explain", "serve"}
);

/// `verb` at the beginning of a back-quoted command.
bool names(std::string_view text, std::string_view verb) {
    const std::string opened = "`" + std::string(verb);
    for (auto at = text.find(opened); at != std::string_view::npos; at = text.find(opened, at + 1)) {
        const auto end = at + opened.size();
        if (end < text.size() && (text[end] == '`' || text[end] == ' '))
            return true;
    }
    return false;
}

} // namespace

std::span<const std::string_view> later_verbs() {
    return verbs;
}

std::string with_missing_verbs(std::string_view text) {
    std::string missing;
    for (const std::string_view verb : verbs)
        if (names(text, verb))
            missing += (missing.empty() ? "`" : ", `") + std::string(verb) + "`";
    std::string out(text);
    if (!missing.empty())
        out += " (not in this version of the tools: " + missing + ")";
    return out;
}

} // namespace onceswap::cli
