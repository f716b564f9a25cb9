#include "tools/reconcile_watch/doctor_rendering.hpp"

#include "protocol/timestamp.hpp"
#include "protocol/utf8.hpp"
#include "tools/cli/status_table.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace onceswap::reconcile_watch {

namespace json = boost::json;
using protocol::DoctorLine;
using protocol::Standing;

namespace {

constexpr std::size_t text_bytes = 4096;

std::string_view color_of(Standing standing) {
    switch (standing) {
    case Standing::pass:
        return "\x1b[32m";
    case Standing::warn:
        return "\x1b[33m";
    case Standing::refuse:
        return "\x1b[31m";
    case Standing::not_known:
        return "\x1b[35m";
    }
    return {};
}

std::string word(Standing standing, const cli::Terminal& terminal) {
    constexpr std::size_t widest = 9;
    std::string padded(text(standing));
    padded.resize(widest, ' ');
    return terminal.color ? std::string(color_of(standing)) + padded + "\x1b[0m" : padded;
}

/// Each line of a remedy under a bar, so that its end can be seen.
std::string with_bar(const std::string& remedy) {
    std::string out;
    for (std::size_t at = 0; at < remedy.size();) {
        const std::size_t end = std::min(remedy.find('\n', at), remedy.size());
        out += "           | " + cli::printable(remedy.substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return out;
}

/// Lines that say the same: of one rule on several members, or of several rules for one reason.
struct Group {
    const DoctorLine* first = nullptr;
    std::vector<std::string> members;
    std::vector<std::string_view> rules;
    bool one_remedy = true; ///< for all members
};

template <class Name>
std::string joined(const std::vector<Name>& names) {
    std::string out;
    for (const Name& name : names)
        out += (out.empty() ? "" : ", ") + cli::printable(name);
    return out;
}

std::string entry(const Group& group, const cli::Terminal& terminal) {
    const DoctorLine& line = *group.first;
    const protocol::RuleRow& row = protocol::row_of(line.rule);
    const bool one_rule = group.rules.size() == 1;
    std::string out = word(line.standing, terminal) + "  ";
    out += one_rule ? std::string(row.name) + "  " + std::string(protocol::stable_name(row.code))
                    : std::to_string(group.rules.size()) + " rules";
    if (!group.members.empty())
        out += "  " + joined(group.members);
    out += "\n           " + cli::printable(line.seen) + "\n";
    if (!one_rule)
        out += "           " + joined(group.rules) + "\n";
    out += with_bar(line.remedy);
    return group.one_remedy ? out : out + "           | The same on each of the others.\n";
}

void join(
    std::vector<Group>& groups, const DoctorLine& line, bool (*same)(const DoctorLine&, const DoctorLine&)
) {
    const auto found =
        std::ranges::find_if(groups, [&](const Group& group) { return same(*group.first, line); });
    Group& group = found == groups.end() ? groups.emplace_back() : *found;
    if (group.first == nullptr)
        group.first = &line;
    const std::string_view rule = protocol::text(line.rule);
    if (!line.host.empty() && std::ranges::find(group.members, line.host) == group.members.end())
        group.members.push_back(line.host);
    if (std::ranges::find(group.rules, rule) == group.rules.end())
        group.rules.push_back(rule);
    group.one_remedy = group.one_remedy && line.remedy == group.first->remedy;
}

bool same_finding(const DoctorLine& a, const DoctorLine& b) {
    return a.rule == b.rule && a.seen == b.seen && a.host.empty() == b.host.empty();
}

bool same_gap(const DoctorLine& a, const DoctorLine& b) {
    return same_finding(a, b) || (a.host == b.host && a.seen == b.seen && a.remedy == b.remedy);
}

std::string entries_of(Standing standing, const engine::Checklist& list, const cli::Terminal& terminal) {
    std::vector<Group> groups;
    for (const DoctorLine& line : list.diagnosis.lines)
        if (line.standing == standing)
            join(groups, line, standing == Standing::not_known ? same_gap : same_finding);
    std::string out;
    for (const Group& group : groups)
        out += entry(group, terminal);
    return out;
}

/// One line for each rule; those that have nothing to look at share one.
std::string passes(const engine::Checklist& list, const cli::Terminal& terminal) {
    std::string out;
    std::map<std::string, std::vector<std::string_view>> idle;
    for (const DoctorLine& line : list.diagnosis.lines) {
        if (line.standing != Standing::pass)
            continue;
        const protocol::RuleRow& row = protocol::row_of(line.rule);
        if (line.seen.empty())
            out += word(line.standing, terminal) + "  " + std::string(row.name) + ": " +
                   std::string(row.question) + "\n";
        else
            idle[line.seen].push_back(row.name);
    }
    for (const auto& [why, rules] : idle)
        out += word(Standing::pass, terminal) + "  " + std::to_string(rules.size()) + " rules: " + why + "\n";
    return out;
}

std::map<Standing, std::size_t> counts(const engine::Checklist& list) {
    std::map<Standing, std::size_t> counted{
        {Standing::pass, 0}, {Standing::warn, 0}, {Standing::refuse, 0}, {Standing::not_known, 0}
    };
    for (const DoctorLine& line : list.diagnosis.lines)
        ++counted[line.standing];
    return counted;
}

std::string_view outcome(const engine::Checklist& list) {
    if (list.diagnosis.refused_with)
        return "refused";
    return list.diagnosis.undecided ? "unknown" : "pass";
}

std::string sentence(const engine::Checklist& list) {
    const protocol::Diagnosis& diagnosis = list.diagnosis;
    if (diagnosis.refused_with)
        return "a publication would be refused with " +
               std::string(protocol::stable_name(*diagnosis.refused_with)) + ". " +
               std::string(protocol::next_safe_action(*diagnosis.refused_with));
    if (diagnosis.undecided)
        return "nothing refuses, but something that decides could not be read: see what is not known.";
    const bool clean = std::ranges::all_of(diagnosis.lines, [](const DoctorLine& line) {
        return line.standing == Standing::pass;
    });
    return clean ? "a publication would be admitted."
                 : "a publication would be admitted; read the warnings and what is not known before it.";
}

std::string clean(std::string_view text) {
    return protocol::printable_head(text, text_bytes);
}

} // namespace

std::string doctor_text(const engine::Checklist& list, const cli::Terminal& terminal) {
    const protocol::AdmissionFacts& facts = list.facts.facts;
    std::size_t answered = 0;
    for (const protocol::EndpointFacts& endpoint : facts.endpoints)
        answered += endpoint.catalogue ? 1U : 0U;
    std::string out = "Checklist: " + cli::printable(facts.target.database + "." + facts.target.table) +
                      " on " + cli::printable(facts.cluster) + ", user " + cli::printable(list.facts.user) +
                      ", " + std::to_string(answered) + " of " + std::to_string(facts.endpoints.size()) +
                      " endpoints answer\n\n";
    for (const std::string& part :
         {entries_of(Standing::refuse, list, terminal),
          entries_of(Standing::warn, list, terminal),
          entries_of(Standing::not_known, list, terminal),
          passes(list, terminal)})
        out += part.empty() ? "" : part + "\n";
    const auto counted = counts(list);
    out += "Verdict:   " + std::to_string(counted.at(Standing::refuse)) + " refuse, " +
           std::to_string(counted.at(Standing::warn)) + " warn, " +
           std::to_string(counted.at(Standing::not_known)) + " not known, " +
           std::to_string(counted.at(Standing::pass)) + " pass: " + sentence(list) + "\n";
    return out;
}

std::string doctor_error_line(const engine::Checklist& list) {
    const protocol::Diagnosis& diagnosis = list.diagnosis;
    const auto line_with = [&](auto wanted) { return std::ranges::find_if(diagnosis.lines, wanted); };
    const auto told = [&](protocol::Code code, auto line, const std::string& more) {
        std::string out = std::string(protocol::stable_name(code)) + ": ";
        if (line != diagnosis.lines.end())
            out += (line->host.empty() ? "" : cli::printable(line->host) + ": ") + cli::printable(line->seen);
        return out + more;
    };
    if (diagnosis.refused_with) {
        const auto leading = line_with([&](const DoctorLine& line) {
            return line.standing == Standing::refuse &&
                   protocol::code_of(line.rule) == *diagnosis.refused_with;
        });
        const std::size_t refused = counts(list).at(Standing::refuse);
        return told(
            *diagnosis.refused_with,
            leading,
            refused > 1 ? " (and " + std::to_string(refused - 1) + " more)" : std::string()
        );
    }
    if (!diagnosis.undecided)
        return {};
    const auto unread = line_with([](const DoctorLine& line) {
        return line.standing == Standing::not_known && protocol::row_of(line.rule).decides;
    });
    return told(protocol::Code::outcome_unknown, unread, {});
}

json::object doctor_document(const engine::Checklist& list, int exit_code) {
    const protocol::AdmissionFacts& facts = list.facts.facts;
    json::object document;
    document["schema_version"] = 1;
    document["cluster"] = clean(facts.cluster);
    document["database"] = clean(facts.target.database);
    document["table"] = clean(facts.target.table);
    document["user"] = clean(list.facts.user);
    document["observed_at"] = protocol::rfc3339(list.observed_at);
    document["exit_code"] = exit_code;
    document["outcome"] = outcome(list);
    document["refused_with"] = nullptr;
    if (list.diagnosis.refused_with)
        document["refused_with"] = protocol::stable_name(*list.diagnosis.refused_with);
    json::object counted;
    for (const auto& [standing, count] : counts(list))
        counted[standing == Standing::not_known ? "not_known" : text(standing)] = count;
    document["counts"] = std::move(counted);
    json::array lines;
    for (const DoctorLine& line : list.diagnosis.lines) {
        const protocol::RuleRow& row = protocol::row_of(line.rule);
        json::object one;
        one["rule"] = row.name;
        one["standing"] = line.standing == Standing::not_known ? "not_known" : text(line.standing);
        one["code"] = protocol::stable_name(row.code);
        one["member"] = nullptr;
        if (!line.host.empty())
            one["member"] = clean(line.host);
        one["question"] = row.question;
        one["seen"] = clean(line.seen);
        one["remedy"] = line.remedy;
        lines.push_back(std::move(one));
    }
    document["lines"] = std::move(lines);
    return document;
}

} // namespace onceswap::reconcile_watch
