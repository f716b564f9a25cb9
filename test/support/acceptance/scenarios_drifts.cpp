// Somebody changes what was published, or what publications are recorded in.
#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

namespace {

/// After COMMITTED: the predecessor is not dropped while one member shows another target.
void drift(Trial& trial, Need what, std::string_view wanted) {
    const std::string before = trial.target(0);
    Call publication(Verb::publish);
    publication.cleanup = false;
    const Answer committed = trial.call(publication);
    trial.demand(committed.phase == "COMMITTED", "the phase is " + committed.phase);
    trial.cluster().drift(what, 1);
    Call resume(Verb::resume);
    resume.brief = true;
    trial.call(resume);
    trial.demand_word(trial.status(), wanted);
    trial.demand_kept(before);
    for (const Entry& entry : trial.cluster().entries())
        trial.demand(!entry.query.starts_with("DROP TABLE"), "a DROP was sent: " + entry.query);
    trial.demand_at_most_once();
}

/// The generation's identity is uuid and path. What else differs is said, for the member where it does.
void drift_of_shape(Trial& trial, Need what) {
    const std::string before = trial.target(0);
    Call publication(Verb::publish);
    publication.cleanup = false;
    const Answer committed = trial.call(publication);
    trial.demand(committed.phase == "COMMITTED", "the phase is " + committed.phase);
    trial.demand(committed.report.at("warnings").as_array().empty(), "there are warnings already");
    trial.cluster().drift(what, 1);
    const Answer seen = trial.status();
    trial.demand(
        seen.word == "OUTCOME_UNKNOWN" || !seen.report.at("warnings").as_array().empty(),
        seen.word + " without a warning"
    );
    trial.demand_kept(before);
    trial.demand_at_most_once();
}

/// After COMPLETED it is reported.
void drift_after_completed(Trial& trial) {
    const std::string before = trial.target(0);
    trial.demand_published(trial.publish(), before, 20);
    trial.cluster().drift(Need::drift_uuid, 1);
    trial.demand_word(trial.status(), "DRIFTED");
    trial.demand(trial.publishing_tokens().size() == 1, "a second statement was sent");
}

void partly_created(Trial& trial) {
    trial.cluster().partial_authority(false);
    const std::string before = trial.target(0);
    trial.demand_published(trial.publish(), before, 20);
}

void mismatched(Trial& trial) {
    trial.cluster().partial_authority(true);
    const std::string before = trial.target(0);
    const Answer answer = trial.publish();
    trial.demand(answer.word != "COMPLETED" && !answer.stopped.empty(), "it is not refused: " + answer.word);
    trial.demand(trial.publishing_tokens().empty(), "a publishing statement was sent");
    trial.demand_untouched(before);
}

} // namespace

void add_drifts(std::vector<Scenario>& all) {
    struct Row {
        const char* name;
        Need need;
        const char* word;
    };

    static const Row rows[] = {
        {"drift_of_uuid", Need::drift_uuid, "OUTCOME_UNKNOWN"},
        {"drift_of_path", Need::drift_path, "OUTCOME_UNKNOWN"},
        {"drift_of_membership", Need::drift_membership, "INVENTORY_DRIFT"}
    };
    for (const Row& row : rows)
        all.emplace_back(
            row.name,
            "after COMMITTED; the old generation is not dropped",
            std::vector<Need>{row.need},
            [row](Trial& trial) { drift(trial, row.need, row.word); }
        );
    for (const auto& [name, need] :
         {std::pair("drift_of_schema", Need::drift_schema), std::pair("drift_of_engine", Need::drift_engine)})
        all.emplace_back(
            name,
            "after COMMITTED, with the same uuid; it is warned of",
            std::vector<Need>{need},
            [need](Trial& trial) { drift_of_shape(trial, need); }
        );
    all.emplace_back(
        "drift_after_completed", "it is reported", std::vector<Need>{Need::drift_uuid}, drift_after_completed
    );
    all.emplace_back(
        "control_table_on_one_member",
        "a half-made control table of the right kind is completed",
        std::vector<Need>{Need::partial_authority},
        partly_created
    );
    all.emplace_back(
        "control_table_mismatched",
        "another table under the control table's name is refused",
        std::vector<Need>{Need::partial_authority},
        mismatched
    );
}

} // namespace onceswap::acceptance
