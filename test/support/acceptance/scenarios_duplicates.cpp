// Requests that arrive again, late, or from somebody else.
#include "acceptance/scenario.hpp"

#include <algorithm>

namespace onceswap::acceptance {

namespace {

Entry publishing_entry(Trial& trial) {
    for (const Entry& entry : trial.cluster().entries())
        if (entry.token.find("-publish-") != std::string::npos)
            return entry;
    throw Failed("no publishing statement is in the queue");
}

/// The EXCHANGE of the publication once more, with its log_comment, as a proxy may repeat it.
std::string send_again(Trial& trial) {
    const Entry entry = publishing_entry(trial);
    const std::string error = trial.cluster().outsider(0, entry.query, entry.token);
    trial.note("the EXCHANGE again", boost::json::value(error));
    return error;
}

std::size_t drops(Trial& trial) {
    const auto entries = trial.cluster().entries();
    return static_cast<std::size_t>(std::ranges::count_if(entries, [](const Entry& entry) {
        return entry.query.starts_with("DROP TABLE");
    }));
}

Answer publish_without_cleanup(Trial& trial) {
    Call publication(Verb::publish);
    publication.cleanup = false;
    const Answer answer = trial.call(publication);
    trial.demand(
        answer.phase == "COMMITTED" && answer.stopped.empty(),
        "the phase is " + answer.phase + ", the verdict " + answer.word
    );
    return answer;
}

/// The members swap back. Both generations stay, and nobody calls it a success.
void duplicate_before_set_aside(Trial& trial) {
    const std::string before = trial.target(0);
    publish_without_cleanup(trial);
    const std::string after = trial.target(0);
    const std::string error = send_again(trial);
    trial.demand(error.empty(), "the duplicate was refused: " + error);
    trial.demand(trial.target(0) == before, "the duplicate changed nothing");
    Call resume(Verb::resume);
    resume.brief = true;
    trial.call(resume);
    trial.demand_word(trial.status(), "OUTCOME_UNKNOWN");
    trial.demand_kept(before);
    trial.demand_kept(after);
    trial.demand(drops(trial) == 0, "a DROP was sent");
}

/// The name that the EXCHANGE needs is gone by then.
void duplicate_after_set_aside(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().killed(Call(Verb::publish), Statement::drop, 1, Moment::arrived);
    const std::string after = trial.target(0);
    trial.demand(after != before, "nothing was published");
    trial.demand(!send_again(trial).empty(), "the duplicate was executed");
    trial.demand(trial.target(0) == after && trial.target(1) == after, "the duplicate changed a target");
    trial.demand_word(trial.publish(), "COMPLETED");
    trial.demand(trial.target(0) == after && trial.target(1) == after, "the target is another one");
}

void duplicate_after_drop(Trial& trial) {
    const std::string before = trial.target(0);
    trial.demand_published(trial.publish(), before, 20);
    const std::string after = trial.target(0);
    trial.demand(!send_again(trial).empty(), "the duplicate was executed");
    trial.demand_word(trial.status(), "COMPLETED");
    trial.demand(trial.target(0) == after && trial.target(1) == after, "the target is another one");
}

/// Neither of the two is taken for the right one.
void two_entries(Trial& trial) {
    const std::string before = trial.target(0);
    trial.cluster().hold_worker(1, WorkerPoint::before_active, Statement::exchange);
    Call publication(Verb::publish);
    publication.brief = true;
    trial.call(publication);
    const std::string after = trial.target(0);
    send_again(trial); // one host does not answer yet: it ends in a timeout
    trial.demand_word(trial.status(), "OUTCOME_UNKNOWN");
    trial.cluster().release_worker(1);
    Call resume(Verb::resume);
    resume.brief = true;
    trial.call(resume);
    trial.demand_word(trial.status(), "OUTCOME_UNKNOWN");
    trial.demand_kept(before);
    trial.demand_kept(after);
    trial.demand(drops(trial) == 0, "a DROP was sent");
}

/// A KeeperMap UPDATE whose condition fits no row is accepted and changes nothing.
void stale_write(Trial& trial) {
    const std::string before = trial.target(0);
    const Answer published = trial.publish();
    trial.demand_published(published, before, 20);
    const std::string update = "ALTER TABLE " + trial.cluster().database() +
                               ".__onceswap_authority UPDATE phase = 'NONE' WHERE operation_id = '";
    const auto write = [&](const std::string& operation, std::int64_t version) {
        const std::string error = trial.cluster().outsider(
            0, update + operation + "' AND _version = " + std::to_string(version), ""
        );
        trial.demand(error.empty(), "the write is refused: " + error);
        return trial.status();
    };
    const std::int64_t version = published.version.value_or(-1);
    for (const auto& [operation, at] :
         {std::pair(published.operation, version - 1),
          std::pair(published.operation, version + 1),
          std::pair(std::string(64, '0'), version)}) {
        const Answer seen = write(operation, at);
        trial.demand_word(seen, "COMPLETED");
        trial.demand(seen.version == version, "the record has another version");
    }
    // The one that fits is written, and what nobody of ours wrote is not believed.
    const Answer seen = write(published.operation, version);
    trial.demand_word(seen, "AUTHORITY_INVALID");
}

} // namespace

void add_duplicates(std::vector<Scenario>& all) {
    all.emplace_back(
        "duplicate_before_set_aside",
        "the EXCHANGE arrives again after COMMITTED: both generations stay",
        std::vector<Need>{Need::outsider},
        duplicate_before_set_aside
    );
    all.emplace_back(
        "duplicate_after_set_aside",
        "the EXCHANGE arrives again between RENAME and DROP: it fails",
        std::vector<Need>{Need::outsider, Need::client_gone},
        duplicate_after_set_aside
    );
    all.emplace_back(
        "duplicate_after_drop",
        "the EXCHANGE arrives again after COMPLETED: it fails",
        std::vector<Need>{Need::outsider},
        duplicate_after_drop
    );
    all.emplace_back(
        "two_entries_with_one_token",
        "the EXCHANGE is in the queue twice while the first is open",
        std::vector<Need>{Need::outsider, Need::ddl_worker},
        two_entries
    );
    all.emplace_back(
        "stale_record_write",
        "an UPDATE whose condition fits no row is a no-op, one that fits is not",
        std::vector<Need>{Need::outsider},
        stale_write
    );
}

} // namespace onceswap::acceptance
