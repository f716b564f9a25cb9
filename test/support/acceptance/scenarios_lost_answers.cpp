// Whatever answer is lost, a publication is sent at most once.
#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

namespace {

void lost_exchange_response(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().lose_response(Statement::exchange);
    trial.demand_published(trial.publish(), before, 20);
    trial.demand(trial.cluster().all_fired(), "no answer was lost");
}

void lost_cleanup_response(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().lose_response(Statement::rename);
    trial.cluster().lose_response(Statement::drop);
    Answer answer = trial.publish();
    if (answer.word != "COMPLETED")
        answer = trial.call(Call(Verb::resume));
    trial.demand_published(answer, before, 20);
    trial.demand(trial.cluster().all_fired(), "no answer was lost");
}

/// A scheduler runs the same invocation again until it is through.
Answer publish_until_completed(Trial& trial) {
    Answer answer;
    for (int attempt = 0; attempt < 3 && answer.word != "COMPLETED"; ++attempt)
        answer = trial.publish();
    return answer;
}

void lost_record_write(Trial& trial, unsigned nth, bool committed) {
    const std::string before = trial.target(0);
    trial.cluster().lose_record_write(nth, committed);
    trial.demand_published(publish_until_completed(trial), before, 20);
    trial.demand(trial.cluster().all_fired(), "no write was hurt");
}

/// Nobody can tell whose write it was that gave the right to send the EXCHANGE: nothing is ever sent.
void lost_permit(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().lose_record_write(2, true);
    Call publication(Verb::publish);
    publication.brief = true;
    for (int attempt = 0; attempt < 2; ++attempt) {
        const Answer answer = trial.call(publication);
        trial.demand_word(answer, "OUTCOME_UNKNOWN");
    }
    const Answer seen = trial.status();
    trial.demand_word(seen, "OUTCOME_UNKNOWN");
    trial.demand(seen.phase == "DISPATCHING", "the phase is " + seen.phase);
    trial.demand(trial.cluster().all_fired(), "no write was hurt");
    trial.demand(trial.publishing_tokens().empty(), "a publishing statement was sent");
    trial.demand_untouched(before);
}

} // namespace

void add_lost_answers(std::vector<Scenario>& all) {
    all.emplace_back(
        "lost_exchange_response",
        "the EXCHANGE is in the queue and executed, its answer is lost",
        std::vector<Need>{Need::lost_response},
        lost_exchange_response
    );
    const auto add_write = [&](std::string name, std::string about, unsigned nth, bool committed) {
        all.emplace_back(
            std::move(name),
            std::move(about),
            std::vector<Need>{Need::keeper_write},
            [nth, committed](Trial& trial) { lost_record_write(trial, nth, committed); }
        );
    };
    add_write("lost_cas_prepared", "the write of PREPARED is committed, its answer is lost", 1, true);
    all.emplace_back(
        "lost_cas_dispatching",
        "the write of DISPATCHING is committed, its answer is lost: nothing is sent",
        std::vector<Need>{Need::keeper_write},
        lost_permit
    );
    add_write("lost_cas_committed", "the write of COMMITTED is committed, its answer is lost", 3, true);
    add_write("lost_cas_set_aside", "the write that permits the RENAME, its answer is lost", 4, true);
    add_write("lost_cas_drop", "the write that permits the DROP, its answer is lost", 5, true);
    add_write("lost_cas_completed", "the write of COMPLETED is committed, its answer is lost", 6, true);
    add_write("dropped_cas_prepared", "the write of PREPARED never reaches the keeper", 1, false);
    add_write("dropped_cas_dispatching", "the write of DISPATCHING never reaches the keeper", 2, false);
    add_write("dropped_cas_committed", "the write of COMMITTED never reaches the keeper", 3, false);
    all.emplace_back(
        "lost_cleanup_response",
        "RENAME and DROP are executed, their answers are lost",
        std::vector<Need>{Need::lost_response},
        lost_cleanup_response
    );
}

} // namespace onceswap::acceptance
