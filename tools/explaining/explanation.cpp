#include "tools/explaining/explanation.hpp"

#include "protocol/error_code.hpp"
#include "protocol/report.hpp"
#include "protocol/verdict.hpp"
#include "tools/explaining/error_pages.hpp"

#include <algorithm>

namespace onceswap::explaining {

namespace {

using protocol::Code;

constexpr std::string_view prefix = "ONCESWAP_";

Explanation of_code(Code code) {
    Explanation explanation;
    explanation.name = protocol::stable_name(code);
    explanation.kind = "code";
    explanation.exit_code = protocol::exit_code(code);
    explanation.meaning = protocol::meaning(code);
    explanation.next_safe_action = protocol::next_safe_action(code);
    explanation.what_not_to_do = protocol::what_not_to_do(code);
    explanation.page = error_page(explanation.name);
    return explanation;
}

struct Row {
    std::string_view name;
    std::string_view kind;
    int exit_code; ///< -1: none
    std::string_view meaning;
    std::string_view next;
    std::string_view avoid;
};

// What is no stable code. The verdicts here are those that no code explains; docs/cli/exit-codes.md has the
// exit codes.
constexpr Row rows[] = {
    {"COMPLETED",
     "verdict",
     0,
     "The new generation is the target on every member, and what had to be cleaned up is cleaned up.",
     "",
     ""},
    {"COMMITTED",
     "verdict",
     0,
     "The new generation is the target on every member, and that is recorded; the old one is still there.",
     "Run `resume` to clean up, or `close --keep-predecessor` to keep the old generation.",
     "Do not drop the old generation by hand while a cleanup may run."},
    {"COMPLETABLE",
     "verdict",
     0,
     "The new generation is the target on every member and nothing of the old one remains; only the record "
     "does not say so yet.",
     "Run `resume`: it writes the record.",
     ""},
    {"ABANDONED",
     "verdict",
     6,
     "The operation was given up before anything was dispatched; every member has the old generation.",
     "Publish again with a new invocation id.",
     ""},
    {"PENDING",
     "state",
     -1,
     "The member's target is the old generation, the candidate's name holds the new.",
     "",
     ""},
    {"ASIDE",
     "state",
     -1,
     "The target is the new generation; the old one is under its name for dropping.",
     "",
     ""},
    {"CLEANED", "state", -1, "The target is the new generation, and the old one is gone.", "", ""},
    {"KEPT_OLD", "state", -1, "The target is the old generation, and the new one was set aside.", "", ""},
    {"FOREIGN",
     "state",
     -1,
     "The names hold something that this publication did not put there; the row's text says what differs.",
     "Find out who changed the tables before anything else.",
     "Do not drop or rename anything by name."},
    {"UNAVAILABLE",
     "state",
     -1,
     "The member did not answer, or another server answered for it; the row's text says why.",
     "Bring the member back, or give an endpoint for it, and read again.",
     "Do not take it for a member that has not swapped."},
    {"0", "exit code", 0, "Published on every member; `doctor` and `plan`: nothing refuses.", "", ""},
    {"1", "exit code", 1, "This program, its network or its input failed; standard error says how.", "", ""},
    {"2",
     "exit code",
     2,
     "The command line, a variable, the configuration or a password file is not valid.",
     "",
     ""},
    {"3",
     "exit code",
     3,
     "Something is still going on, or the time for waiting is over; that is no failure.",
     "Run `watch` or `resume`.",
     "Do not start the publication anew."},
    {"4",
     "exit code",
     4,
     "What became of the publication is not known.",
     "Read the verdict's reason and bring back what is missing.",
     "Do not repeat the DDL and do not drop either generation."},
    {"5",
     "exit code",
     5,
     "The members hold different generations, and nothing will change that by itself.",
     "Decide by the matrix which generation is served, and run `retire`.",
     "Do not send an EXCHANGE `ON CLUSTER`."},
    {"6", "exit code", 6, "It is proven that nothing was published, or there is no record.", "", ""},
    {"7",
     "exit code",
     7,
     "The slot belongs to another operation, or the target was changed by somebody else.",
     "Look at it with `status`, without a pin.",
     ""},
    {"8",
     "exit code",
     8,
     "The admission refused before anything was done.",
     "Run `doctor`: it says what refuses, where, and the remedy.",
     ""},
    {"9",
     "exit code",
     9,
     "The publication is committed, and its cleanup was refused or missed by a member.",
     "Remove the cause and run `resume`, or `close --keep-predecessor`.",
     ""},
    {"130",
     "exit code",
     130,
     "Stopped by SIGINT: only the waiting stopped.",
     "Run the command that was printed.",
     ""},
    {"143",
     "exit code",
     143,
     "Stopped by SIGTERM: only the waiting stopped.",
     "Run the command that was printed.",
     ""},
};

Explanation of_row(const Row& row) {
    Explanation explanation;
    explanation.name = row.name;
    explanation.kind = row.kind;
    if (row.exit_code >= 0)
        explanation.exit_code = row.exit_code;
    explanation.meaning = row.meaning;
    explanation.next_safe_action = row.next;
    explanation.what_not_to_do = row.avoid;
    return explanation;
}

std::string upper_without_prefix(std::string_view word) {
    std::string upper(word);
    for (char& c : upper)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '-' ? '_' : c;
    return upper.starts_with(prefix) ? upper.substr(prefix.size()) : upper;
}

/// Headings without their marks; the rest as it is.
std::string without_marks(std::string_view page) {
    std::string out;
    bool at_line_start = true;
    for (std::size_t at = 0; at < page.size(); ++at) {
        if (at_line_start && page[at] == '#') {
            at = page.find_first_not_of("# ", at);
            if (at == std::string_view::npos)
                break;
        }
        out += page[at];
        at_line_start = page[at] == '\n';
    }
    return out;
}

} // namespace

std::optional<Explanation> explanation_of(std::string_view word) {
    const std::string name = upper_without_prefix(word);
    for (const Row& row : rows)
        if (row.name == name)
            return of_row(row);
    const auto code = protocol::code_from_name(name);
    return code ? std::optional<Explanation>(of_code(*code)) : std::nullopt;
}

std::vector<Explanation> all_explanations() {
    std::vector<Explanation> all;
    for (const Code code : protocol::all_codes())
        all.push_back(of_code(code));
    for (const Row& row : rows)
        all.push_back(of_row(row));
    return all;
}

std::string explanation_text(const Explanation& explanation) {
    if (!explanation.page.empty())
        return without_marks(explanation.page);
    std::string out = explanation.name + "\n\n" + explanation.meaning;
    if (explanation.kind != "exit code" && explanation.exit_code)
        out += " Exit code " + std::to_string(*explanation.exit_code) + ".";
    out += "\n";
    if (!explanation.next_safe_action.empty())
        out += "\nNext safe action\n" + explanation.next_safe_action + "\n";
    if (!explanation.what_not_to_do.empty())
        out += "\nWhat not to do\n" + explanation.what_not_to_do + "\n";
    return out;
}

} // namespace onceswap::explaining
