#include "tools/cli/advice.hpp"

#include "tools/cli/verb_table.hpp"

#include <algorithm>
#include <array>

namespace onceswap::cli {

namespace {

// A verb leaves its list with the change that gives it a function in the program's main.cpp.
constexpr std::array<Verb, 0> refresh_load_later{};
constexpr std::array<Verb, 0> reconcile_watch_later{};

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

std::span<const Verb> later_verbs(Program program) {
    switch (program) {
    case Program::refresh_load:
        return refresh_load_later;
    case Program::reconcile_watch:
        return reconcile_watch_later;
    }
    return {};
}

bool is_missing(std::string_view verb) {
    bool known = false;
    for (const Program program : {Program::refresh_load, Program::reconcile_watch}) {
        for (const Verb each : verbs_of(program)) {
            if (text(each) != verb)
                continue;
            const auto later = later_verbs(program);
            if (std::find(later.begin(), later.end(), each) == later.end())
                return false;
            known = true;
        }
    }
    return known;
}

std::string with_missing_verbs(std::string_view text) {
    std::string missing;
    for (const Program program : {Program::refresh_load, Program::reconcile_watch}) {
        for (const Verb verb : later_verbs(program)) {
            const std::string_view name = cli::text(verb);
            if (is_missing(name) && names(text, name))
                missing += (missing.empty() ? "`" : ", `") + std::string(name) + "`";
        }
    }
    std::string out(text);
    if (!missing.empty())
        out += " (not in this version of the tools: " + missing + ")";
    return out;
}

} // namespace onceswap::cli
