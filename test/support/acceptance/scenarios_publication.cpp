// A publication that nothing disturbs, and those that follow it.
#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

namespace {

void existing_target(Trial& trial) {
    const std::string before = trial.target(0);
    trial.demand_published(trial.publish(), before, 20);
    // The same invocation again publishes nothing.
    trial.demand_published(trial.publish(), before, 20);
}

void absent_target(Trial& trial) {
    trial.demand(trial.target(0).empty(), "there is a target already");
    trial.demand_published(trial.publish(), "", 20);
}

void empty_candidate(Trial& trial) {
    const std::string before = trial.target(0);
    trial.demand_published(trial.publish("run-1", 0), before, 0);
}

void slot_reuse(Trial& trial) {
    const std::string first = trial.target(0);
    trial.demand_published(trial.publish("run-1", 20), first, 20);
    const std::string second = trial.target(0);
    trial.demand_published(trial.publish("run-2", 30), second, 30, 2);
    trial.demand(trial.target(0) != first, "the first generation is back");
}

void old_operations_retry(Trial& trial) {
    const std::string first = trial.target(0);
    trial.demand_published(trial.publish("run-1", 20), first, 20);
    const std::string second = trial.target(0);
    trial.demand_published(trial.publish("run-2", 30), second, 30, 2);
    const std::string third = trial.target(0);
    trial.publish("run-1", 20);
    for (std::size_t member = 0; member < trial.cluster().members(); ++member)
        trial.demand(trial.target(member) == third, "the retry changed the target");
    trial.demand(trial.publishing_tokens().size() == 2, "the retry sent a publishing statement");
    trial.demand_at_most_once();
}

void token_in_the_queue(Trial& trial) {
    const std::string before = trial.target(0);
    trial.demand_published(trial.publish(), before, 20);
    std::size_t seen = 0;
    for (const Entry& entry : trial.cluster().entries()) {
        if (entry.token.find("-publish-") == std::string::npos)
            continue;
        ++seen;
        trial.note("entry", boost::json::object{{"query", entry.query}, {"log_comment", entry.token}});
        // The server stores its own rendering: a comment in front of the statement would be gone, its
        // log_comment is not.
        trial.demand(
            entry.query.starts_with("EXCHANGE TABLES " + trial.cluster().database() + "."),
            "the stored text is " + entry.query
        );
        trial.demand(entry.query.find("/*") == std::string::npos, "a comment is stored");
        trial.demand(entry.token.starts_with("onceswap-v1-"), "the log_comment is " + entry.token);
    }
    trial.demand(seen == 1, "not one entry");
}

void two_publishers(Trial& trial) {
    const std::string before = trial.target(0);
    Call first(Verb::publish);
    Call second(Verb::publish);
    second.invocation = "run-2";
    const auto answers = trial.cluster().together({first, second});
    std::size_t completed = 0;
    for (const Answer& answer : answers) {
        trial.note("one of two", answer.report);
        completed += answer.word == "COMPLETED" && answer.stopped.empty() ? 1U : 0U;
    }
    trial.demand(completed >= 1, "neither of the two came to its end");
    trial.demand_at_most_once();
    const auto tokens = trial.publishing_tokens();
    trial.demand(!tokens.empty() && tokens.size() <= 2, "other than one or two publishing statements");
    // What is left to do is done by whoever comes next.
    const Answer end = trial.publish("run-2");
    trial.demand_word(end, "COMPLETED");
    trial.demand_at_most_once();
    for (std::size_t member = 0; member < trial.cluster().members(); ++member)
        trial.demand(
            trial.target(member) == trial.target(0) && trial.target(member) != before,
            "the members' targets differ"
        );
}

void one_operation_twice(Trial& trial) {
    const std::string before = trial.target(0);
    const auto answers = trial.cluster().together({Call(Verb::publish), Call(Verb::publish)});
    for (const Answer& answer : answers)
        trial.note("one of two", answer.report);
    trial.demand_at_most_once();
    const Answer end = trial.publish();
    trial.demand_word(end, "COMPLETED");
    trial.demand(trial.publishing_tokens().size() == 1, "other than one publishing statement");
    trial.demand_at_most_once();
    for (std::size_t member = 0; member < trial.cluster().members(); ++member)
        trial.demand(
            trial.target(member) == trial.target(0) && trial.target(member) != before,
            "the members' targets differ"
        );
}

} // namespace

void add_publications(std::vector<Scenario>& all) {
    all.emplace_back(
        "existing_target",
        "rows become the new generation; again publishes nothing",
        std::vector<Need>{},
        existing_target
    );
    all.emplace_back(
        "absent_target",
        "the first publication of a target that is not there",
        std::vector<Need>{},
        absent_target
    );
    all.back().setup.absent = true;
    all.emplace_back(
        "empty_candidate", "a new generation without rows", std::vector<Need>{}, empty_candidate
    );
    all.emplace_back("slot_reuse", "the next operation takes the slot", std::vector<Need>{}, slot_reuse);
    all.emplace_back(
        "old_operations_retry",
        "an operation runs again after the next one",
        std::vector<Need>{},
        old_operations_retry
    );
    all.emplace_back(
        "token_in_the_queue",
        "no leading comment in the queue, and the log_comment",
        std::vector<Need>{},
        token_in_the_queue
    );
    all.emplace_back(
        "two_publishers", "two operations at once", std::vector<Need>{Need::two_clients}, two_publishers
    );
    all.emplace_back(
        "one_operation_twice",
        "one operation by two clients at once",
        std::vector<Need>{Need::two_clients},
        one_operation_twice
    );
}

} // namespace onceswap::acceptance
