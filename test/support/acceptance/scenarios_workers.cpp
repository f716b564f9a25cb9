// DDL workers that stand still, die, fail or run a statement twice.
#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

namespace {

Call brief_publication() {
    Call publication(Verb::publish);
    publication.brief = true;
    return publication;
}

void worker_stopped(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().hold_worker(1, WorkerPoint::before_active, Statement::exchange);
    trial.call(brief_publication()); // its time is over while it waits for the hosts
    trial.demand_word(trial.status(), "PARTIAL_IN_PROGRESS");
    trial.demand(trial.target(0) != before, "member 0 has not swapped");
    trial.demand(trial.target(1) == before, "member 1 has swapped");
    trial.cluster().release_worker(1);
    trial.demand_published(trial.call(Call(Verb::resume)), before, 20);
}

/// Every member has swapped; one has not said so yet.
void worker_race(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().hold_worker(1, WorkerPoint::after_execute, Statement::exchange);
    trial.call(brief_publication());
    trial.demand_word(trial.status(), "AWAITING_RECEIPT");
    for (std::size_t member = 0; member < trial.cluster().members(); ++member)
        trial.demand(trial.target(member) != before, "a member has not swapped");
    // Another worker takes over while the first entry is still open.
    trial.call(brief_publication());
    trial.demand(trial.publishing_tokens().size() == 1, "a second statement was sent");
    trial.cluster().release_worker(1);
    trial.demand_published(trial.call(Call(Verb::resume)), before, 20);
}

void member_stopped(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().crash_member(1, WorkerPoint::before_active, Statement::exchange);
    trial.call(brief_publication());
    trial.demand_word(trial.status(), "OUTCOME_UNKNOWN");
    trial.cluster().start_member(1);
    trial.demand_published(trial.call(Call(Verb::resume)), before, 20);
}

/// No row of the queue shows that a member ran the statement twice, and so not at all.
void executed_twice(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().crash_member(1, WorkerPoint::after_execute, Statement::exchange);
    trial.call(brief_publication());
    trial.cluster().start_member(1);
    Call resume(Verb::resume);
    resume.brief = true;
    trial.call(resume);
    const Answer end = trial.status();
    trial.demand_word(end, "PARTIAL_TERMINAL");
    trial.demand(trial.target(0) != before && trial.target(1) == before, "member 1 did not go back");
    trial.demand_kept(before);
    trial.demand_kept(trial.target(0));
    trial.demand(trial.publishing_tokens().size() == 1, "a second statement was sent");
}

void terminal_error(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().hold_worker(1, WorkerPoint::before_active, Statement::exchange);
    trial.call(brief_publication());
    const Answer seen = trial.status();
    trial.demand_word(seen, "PARTIAL_IN_PROGRESS");
    const std::string& database = trial.cluster().database();
    const std::string error =
        trial.cluster().outsider(1, "DROP TABLE " + database + "." + seen.candidate, "");
    trial.demand(error.empty(), "the outsider was refused: " + error);
    trial.cluster().release_worker(1);
    Call resume(Verb::resume);
    resume.brief = true;
    trial.call(resume);
    const Answer end = trial.status();
    trial.demand(
        end.word == "PARTIAL_TERMINAL" || end.word == "OUTCOME_UNKNOWN", "the verdict is " + end.word
    );
    trial.demand(trial.target(0) != before && trial.target(1) == before, "the targets are others");
    trial.demand(trial.publishing_tokens().size() == 1, "a second statement was sent");
    trial.demand_at_most_once();
}

void every_row(Trial& trial) {
    struct Row {
        const char* status;
        std::optional<int> code;
        const char* text;
    };

    static const Row rows[] = {
        {"Inactive", std::nullopt, ""},
        {"Active", std::nullopt, ""},
        {"Finished", 0, ""},
        {"Finished", 60, "Code: 60. DB::Exception: no such table"},
        {"Finished", 60, ""},
        {"Finished", 0, "text"},
        {"Finished", std::nullopt, ""},
        {"Active", 0, ""},
        {"Inactive", 60, "text"},
        {"Removing", std::nullopt, ""},
        {"Removing", 0, ""},
        {"Unknown", std::nullopt, ""},
        {"NULL", std::nullopt, ""},
        {"Done", 0, ""}
    };
    const std::string before = trial.target(0);
    trial.cluster().hold_worker(1, WorkerPoint::before_active, Statement::exchange);
    trial.call(brief_publication());
    trial.demand_word(trial.status(), "PARTIAL_IN_PROGRESS");
    for (const Row& row : rows) {
        trial.cluster().show_queue_row(1, row.status, row.code, row.text);
        const Answer answer = trial.status();
        const std::string shown = std::string(row.status) + " " +
                                  (row.code ? std::to_string(*row.code) : "NULL") + " '" + row.text + "'";
        // Member 0 has swapped and member 1 has not, whatever the queue says about it.
        const bool waits = !row.code && (std::string_view(row.status) == "Inactive" ||
                                         std::string_view(row.status) == "Active");
        const bool ended = std::string_view(row.status) == "Finished" && row.code &&
                           (*row.code == 0) == std::string_view(row.text).empty();
        const std::string_view wanted = waits   ? "PARTIAL_IN_PROGRESS"
                                        : ended ? "PARTIAL_TERMINAL"
                                                : "OUTCOME_UNKNOWN";
        trial.demand(
            answer.word == wanted,
            "with the row " + shown + " the verdict is " + answer.word + ", not " + std::string(wanted)
        );
    }
    trial.demand_kept(before);
    trial.demand(trial.publishing_tokens().size() == 1, "a second statement was sent");
}

} // namespace

void add_workers(std::vector<Scenario>& all) {
    all.emplace_back(
        "worker_stopped",
        "one worker stands still: PARTIAL_IN_PROGRESS, then the original entry converges",
        std::vector<Need>{Need::ddl_worker},
        worker_stopped
    );
    all.emplace_back(
        "worker_race",
        "a member has swapped and not said so, while another client goes on",
        std::vector<Need>{Need::ddl_worker},
        worker_race
    );
    all.emplace_back(
        "member_stopped",
        "a whole member is gone: unavailable, then committed",
        std::vector<Need>{Need::worker_crash},
        member_stopped
    );
    all.emplace_back(
        "executed_twice",
        "a member dies between execution and status and swaps back",
        std::vector<Need>{Need::worker_crash},
        executed_twice
    );
    all.emplace_back(
        "terminal_error_on_one_member",
        "one host cannot swap",
        std::vector<Need>{Need::ddl_worker, Need::outsider},
        terminal_error
    );
    all.emplace_back(
        "every_queue_row",
        "every status, code and text of a host's row",
        std::vector<Need>{Need::ddl_worker, Need::queue_rows},
        every_row
    );
}

} // namespace onceswap::acceptance
