#include "acceptance/trial.hpp"

#include <algorithm>

namespace onceswap::acceptance {

namespace json = boost::json;

namespace {

std::string counts_text(const std::vector<std::int64_t>& counts) {
    std::string text;
    for (const std::int64_t count : counts)
        text += (text.empty() ? "" : ", ") + std::to_string(count);
    return "[" + text + "]";
}

/// EXCHANGE, or RENAME where there was no target.
Statement kind_of(const Entry& entry) {
    return entry.query.starts_with("RENAME") ? Statement::rename : Statement::exchange;
}

/// Whether the report names it among the orphans.
bool is_listed(const Answer& answer, const Table& table) {
    const json::value* orphans = answer.report.if_contains("orphans");
    return orphans != nullptr && std::ranges::any_of(orphans->as_array(), [&](const json::value& orphan) {
               return orphan.at("name").as_string() == std::string_view(table.name);
           });
}

} // namespace

void Trial::note(const std::string& what, json::value value) {
    evidence_.push_back(json::object{{"what", what}, {"seen", std::move(value)}});
}

void Trial::demand(bool holds, const std::string& what) {
    if (!holds)
        throw Failed(what);
}

Answer Trial::call(const Call& call) {
    Answer answer = cluster_.call(call);
    note(std::string(text(call.verb)), answer.report);
    return answer;
}

Answer Trial::publish(const std::string& invocation, std::uint64_t rows) {
    Call publication(Verb::publish);
    publication.invocation = invocation;
    publication.rows = rows;
    return call(publication);
}

void Trial::demand_word(const Answer& answer, std::string_view word) {
    const json::value* detail = nullptr;
    if (const json::value* verdict = answer.report.if_contains("verdict"); verdict != nullptr)
        detail = verdict->as_object().if_contains("detail");
    demand(
        answer.word == word,
        "the verdict is " + answer.word + ", not " + std::string(word) + "; stopped by '" + answer.stopped +
            "'" + (detail != nullptr && detail->is_string() ? ": " + std::string(detail->get_string()) : "")
    );
}

std::vector<Entry> Trial::publications() {
    std::vector<Entry> publications;
    for (Entry& entry : cluster_.entries())
        if (entry.token.find("-publish-") != std::string::npos &&
            std::ranges::find(publications, entry.token, &Entry::token) == publications.end())
            publications.push_back(std::move(entry));
    return publications;
}

std::vector<std::string> Trial::publishing_tokens() {
    std::vector<std::string> tokens;
    for (Entry& entry : publications())
        tokens.push_back(std::move(entry.token));
    return tokens;
}

Executions Trial::executions() {
    Executions sum;
    sum.per_member.assign(cluster_.members(), 0);
    for (const Entry& entry : publications()) {
        const auto counts = cluster_.executed(entry.token, kind_of(entry));
        if (!counts) {
            sum.known = false;
            continue;
        }
        for (std::size_t i = 0; i < counts->size(); ++i)
            sum.per_member[i] += (*counts)[i];
    }
    return sum;
}

void Trial::demand_at_most_once() {
    for (const Entry& entry : publications()) {
        const auto counts = cluster_.executed(entry.token, kind_of(entry));
        if (!counts)
            continue;
        demand(
            std::ranges::all_of(*counts, [](std::int64_t count) { return count <= 1; }),
            entry.token + " was executed more than once: " + counts_text(*counts)
        );
    }
}

void Trial::demand_published(
    const Answer& answer, const std::string& before, std::uint64_t rows, std::size_t publications
) {
    demand_word(answer, "COMPLETED");
    demand(answer.stopped.empty(), "stopped by " + answer.stopped);
    const auto tokens = publishing_tokens();
    demand(
        tokens.size() == publications,
        std::to_string(tokens.size()) + " publishing statements are in the queue, not " +
            std::to_string(publications)
    );
    std::size_t entries = 0;
    for (const Entry& entry : cluster_.entries())
        entries += entry.token.find("-publish-") != std::string::npos ? 1U : 0U;
    demand(entries == publications, std::to_string(entries) + " entries carry a publishing token");
    const Executions executed = executions();
    const std::vector<std::int64_t> once(cluster_.members(), static_cast<std::int64_t>(publications));
    demand(
        !executed.known || executed.per_member == once,
        "executions per member are " + counts_text(executed.per_member) + ", not " + counts_text(once)
    );
    const std::string after = target(0);
    demand(!after.empty() && after != before, "the target's uuid is still '" + after + "'");
    for (std::size_t member = 0; member < cluster_.members(); ++member) {
        const std::string on = " on member " + std::to_string(member);
        demand(target(member) == after, "another target" + on);
        demand(
            cluster_.rows(member, "target") == static_cast<std::int64_t>(rows),
            "the target has other rows" + on
        );
        for (const Table& table : cluster_.tables(member))
            demand(
                table.uuid != before && (!table.name.starts_with("onceswap_") || is_listed(answer, table)),
                table.name + " is left" + on
            );
    }
}

void Trial::demand_untouched(const std::string& before) {
    const Executions executed = executions();
    demand(
        !executed.known ||
            std::ranges::all_of(executed.per_member, [](std::int64_t count) { return count == 0; }),
        "a publishing statement was executed: " + counts_text(executed.per_member)
    );
    for (std::size_t member = 0; member < cluster_.members(); ++member)
        demand(
            target(member) == before, "the target of member " + std::to_string(member) + " is another one"
        );
}

void Trial::demand_kept(const std::string& uuid) {
    for (std::size_t member = 0; member < cluster_.members(); ++member) {
        const auto tables = cluster_.tables(member);
        demand(
            std::ranges::any_of(tables, [&](const Table& table) { return table.uuid == uuid; }),
            uuid + " is gone from member " + std::to_string(member)
        );
    }
}

} // namespace onceswap::acceptance
