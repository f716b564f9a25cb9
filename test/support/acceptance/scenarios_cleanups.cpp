// A cleanup that a host refuses, and the operator's way out of every state.
#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

namespace {

Call publication_without_cleanup() {
    Call publication(Verb::publish);
    publication.cleanup = false;
    return publication;
}

void demand_one_target(Trial& trial, const std::string& wanted) {
    for (std::size_t member = 0; member < trial.cluster().members(); ++member)
        trial.demand(trial.target(member) == wanted, "another target on member " + std::to_string(member));
}

void refused_by_one_host(Trial& trial) {
    const std::string before = trial.target(0);
    const Answer committed = trial.call(publication_without_cleanup());
    trial.demand(committed.phase == "COMMITTED", "the phase is " + committed.phase);
    const std::string after = trial.target(0);
    trial.cluster().refuse_on_host(1, Statement::rename, committed.candidate);
    trial.demand_word(trial.call(Call(Verb::resume)), "CLEANUP_INCOMPLETE");
    demand_one_target(trial, after);
    trial.demand(!trial.cluster().uuid(1, committed.candidate).empty(), "the host did not refuse");
    trial.demand_kept(before);
    trial.cluster().heal_host(1);
    trial.demand_published(trial.call(Call(Verb::resume)), before, 20);
}

void retire_prepared(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().killed(Call(Verb::publish), Statement::record_write, 2, Moment::arrived);
    const Answer answer = trial.call(Call(Verb::retire));
    trial.demand(answer.stopped == "ONCESWAP_TRANSITION_REFUSED", "stopped by '" + answer.stopped + "'");
    trial.demand_untouched(before);
    trial.demand_published(trial.publish(), before, 20);
}

/// Nobody knows whether the EXCHANGE was sent; without the candidate's name it can do no more.
void retire_dispatching(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().killed(Call(Verb::publish), Statement::exchange, 1, Moment::arrived);
    trial.demand_word(trial.call(Call(Verb::retire)), "ABANDONED");
    demand_one_target(trial, before);
    const Answer next = trial.publish("run-2", 30);
    trial.demand_word(next, "COMPLETED");
    trial.demand_at_most_once();
}

void retire_committed(Trial& trial) {
    const std::string before = trial.target(0);
    trial.call(publication_without_cleanup());
    const std::string after = trial.target(0);
    trial.demand_word(trial.call(Call(Verb::retire)), "COMPLETED");
    demand_one_target(trial, after);
    trial.demand_kept(before);
    trial.demand_at_most_once();
}

void retire_completed(Trial& trial) {
    const std::string before = trial.target(0);
    trial.demand_published(trial.publish(), before, 20);
    const Answer answer = trial.call(Call(Verb::retire));
    trial.demand(answer.stopped == "ONCESWAP_TRANSITION_REFUSED", "stopped by '" + answer.stopped + "'");
    trial.demand_published(trial.status(), before, 20);
}

} // namespace

void add_cleanups(std::vector<Scenario>& all) {
    all.emplace_back(
        "cleanup_refused_by_one_host",
        "one host refuses the RENAME until what is in the way is gone",
        std::vector<Need>{Need::refused_host},
        refused_by_one_host
    );
    const std::vector<Need> gone{Need::retire, Need::client_gone};
    all.emplace_back("retire_prepared", "refused: abandon does it", gone, retire_prepared);
    all.emplace_back(
        "retire_dispatching", "an outcome that nobody can prove ends ABANDONED", gone, retire_dispatching
    );
    all.emplace_back(
        "retire_committed",
        "ends COMPLETED, both generations stay",
        std::vector<Need>{Need::retire},
        retire_committed
    );
    all.emplace_back(
        "retire_completed", "refused: nothing is open", std::vector<Need>{Need::retire}, retire_completed
    );
}

} // namespace onceswap::acceptance
