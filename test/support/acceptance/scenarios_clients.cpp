// Clients that are killed or told to stop while the cluster has one of their requests, and what comes next.
#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

namespace {

struct Place {
    const char* name;
    Statement statement;
    unsigned nth;
};

constexpr Place places[] = {
    {"prepared", Statement::record_write, 1},
    {"dispatching", Statement::record_write, 2},
    {"exchange", Statement::exchange, 1},
    {"committed", Statement::record_write, 3},
    {"rename", Statement::rename, 1},
    {"drop", Statement::drop, 1},
    {"completed", Statement::record_write, 6}
};

/// From the write that permits the EXCHANGE to the EXCHANGE itself nobody but the client that is gone could
/// say whether it was sent.
bool is_the_window(const Place& place, Moment moment) {
    return (place.statement == Statement::record_write && place.nth == 2 && moment == Moment::done) ||
           (place.statement == Statement::exchange && moment == Moment::arrived);
}

void killed_at(Trial& trial, const Place& place, Moment moment) {
    const std::string before = trial.target(0);
    trial.cluster().killed(Call(Verb::publish), place.statement, place.nth, moment);
    Call again(Verb::publish);
    again.brief = is_the_window(place, moment);
    const Answer answer = trial.call(again);
    if (is_the_window(place, moment)) {
        trial.demand_word(answer, "OUTCOME_UNKNOWN");
        trial.demand(trial.publishing_tokens().empty(), "a publishing statement was sent");
        trial.demand_untouched(before);
        return;
    }
    trial.demand_published(answer, before, 20);
}

/// What was permitted is still sent; what was sent is still waited for by whoever comes next.
void stopped_at(Trial& trial, const Place& place, Moment moment) {
    const std::string before = trial.target(0);
    const Answer ended = trial.cluster().stopped(Call(Verb::publish), place.statement, place.nth, moment);
    trial.note("stopped", ended.report);
    trial.demand(!ended.word.empty(), "it said nothing");
    trial.demand(
        ended.word == "COMPLETED" || !ended.stopped.empty(), "it ended with " + ended.word + " for no reason"
    );
    trial.demand_published(trial.publish(), before, 20);
}

void abandoned(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().killed(Call(Verb::publish), Statement::record_write, 2, Moment::arrived);
    trial.demand_word(trial.call(Call(Verb::abandon)), "ABANDONED");
    trial.demand_untouched(before);
    trial.demand_published(trial.publish("run-2"), before, 20);
}

void refused_before_ddl(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().refuse_before_ddl();
    Answer answer = trial.publish();
    if (answer.word != "COMPLETED")
        answer = trial.publish();
    trial.demand(trial.cluster().all_fired(), "nothing was refused");
    trial.demand_published(answer, before, 20);
}

} // namespace

void add_clients(std::vector<Scenario>& all) {
    for (const Place& place : places) {
        for (const Moment moment : {Moment::arrived, Moment::done}) {
            const std::string when = moment == Moment::arrived ? "never_arrived" : "done";
            all.emplace_back(
                std::string("killed_at_") + place.name + "_" + when,
                moment == Moment::arrived ? "kill -9; the request is never executed; the same run again"
                                          : "kill -9; the request took effect; the same run again",
                std::vector<Need>{Need::client_gone},
                [place, moment](Trial& trial) { killed_at(trial, place, moment); }
            );
        }
    }
    for (const Place& place : places) {
        all.emplace_back(
            std::string("stopped_at_") + place.name,
            "told to end while the member has the request; the same run again",
            std::vector<Need>{Need::client_stopped},
            [place](Trial& trial) { stopped_at(trial, place, Moment::done); }
        );
    }
    all.emplace_back(
        "abandoned",
        "what was prepared and never dispatched is given up; the next operation takes the slot",
        std::vector<Need>{Need::client_gone},
        abandoned
    );
    all.emplace_back(
        "refused_between_cas_and_ddl",
        "the connection of the EXCHANGE is refused after the write that permits it",
        std::vector<Need>{Need::unsent},
        refused_before_ddl
    );
}

} // namespace onceswap::acceptance
