#include "engine/publication.hpp"

#include "engine/cancellation.hpp"
#include "engine/cleanup.hpp"
#include "engine/finish.hpp"
#include "engine/reconcile.hpp"
#include "engine/retirement.hpp"
#include "protocol/leading_refusal.hpp"

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Phase;
using protocol::RecordStanding;
using protocol::SlotDecision;

Publication::Publication(
    Context& context, PublishRequest request, StageFunction stage, std::string adopted_from
)
    : context_(context), request_(std::move(request)), stage_(std::move(stage)),
      adopted_from_(std::move(adopted_from)), passes_(context, request_.target, request_.deadline) {
    report_.cluster = context.cluster.name;
    report_.target = request_.target;
}

/// The publication, as the protocol tells it.
asio::awaitable<void> Publication::steps() {
    const Way way = co_await decide();
    if (way == Way::stage) {
        co_await admit();
        bool ready = false;
        if (!ended_ && own_record() != nullptr) {
            ready = co_await take_over();
        }
        if (!ended_ && !ready) {
            refuse_staging_again();
        }
        if (!ended_ && !ready) {
            refuse_second_reading();
        }
        if (!ended_ && !ready && !adopted_from_.empty()) {
            co_await look_for_adoptee();
        }
        if (!ended_) {
            co_await check_authority_table();
        }
        if (!ended_ && !ready && adopted_from_.empty()) {
            co_await stage();
        }
        if (!ended_ && !ready && !adopted_from_.empty()) {
            co_await adopt();
        }
        if (!ended_ && !ready) {
            co_await prepare();
        }
        if (!ended_ && request_.dispatch) {
            co_await dispatch_once_proven();
        }
    }
    if (!ended_ && !request_.dispatch) {
        co_await answer_staged();
    }
    if (!ended_) {
        co_await settle();
    }
}

asio::awaitable<protocol::Report> Publication::run() {
    bool cancelled = false;
    try {
        co_await steps();
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
        cancelled = true;
    }
    if (cancelled && !ended_) {
        if (passes_.last().current) {
            report_ = passes_.last().report;
        }
        end(Code::cancelled, "the waiting was stopped; what was sent goes on in the cluster");
    }
    report_ = passes_.as_of_now(std::move(report_));
    name_leftover();
    if (report_.observed_at == 0) {
        report_.observed_at = context_.clock.wall_seconds();
    }
    co_return report_;
}

/// What the slot holds, and what this operation may do with it.
asio::awaitable<Publication::Way> Publication::decide() {
    step("slot");
    if (request_.invocation_id.empty() ||
        (!request_.like.table.empty() && request_.like.database != request_.target.database)) {
        end(Code::config_invalid, "an invocation id is needed, and `like` in the target's database");
        co_return Way::ended;
    }
    if (const auto problem = name_problem(request_.target, adopted_from_); problem) {
        end(*problem);
        co_return Way::ended;
    }
    std::string finished_other;
    while (true) {
        discovery_ = co_await discover(context_, request_.target, request_.deadline);
        if (discovery_.problem) {
            end(*discovery_.problem);
            report_.evidence_gaps = discovery_.gaps;
            co_return Way::ended;
        }
        report_.cluster = discovery_.cluster;
        identify();
        const AuthorityReading& slot = discovery_.authority;
        if (!slot.readable) {
            end(Code::outcome_unknown, "no member could read the record");
            report_.evidence_gaps = slot.gaps;
            co_return Way::ended;
        }
        if (slot.standing == RecordStanding::invalid || slot.standing == RecordStanding::foreign) {
            end_with_unusable(slot);
            co_return Way::ended;
        }
        std::optional<protocol::AuthorityRecord> record;
        report_.verdict = protocol::Verdict();
        if (slot.current) {
            record = slot.current->record;
        } else {
            report_.verdict.word = protocol::Word::no_record;
            report_.verdict.reason = Code::no_record;
        }
        const SlotDecision decision = protocol::decide_slot(record, operation_id_);
        if (request_.only_staged) {
            demand_staged(decision);
        }
        if (ended_) {
            co_return Way::ended;
        }
        if (decision == SlotDecision::answer_completed) {
            co_await answer_completed();
            co_return Way::ended;
        }
        switch (decision) {
        case SlotDecision::create:
        case SlotDecision::prepare:
            co_return Way::stage;
        case SlotDecision::resume:
            if (record->phase == Phase::prepared) {
                co_return Way::stage;
            }
            co_return Way::settle;
        case SlotDecision::answer_completed:
            co_return Way::ended;
        case SlotDecision::refuse_abandoned:
            end(Code::operation_abandoned,
                "this invocation was abandoned; a new run needs a new invocation id");
            co_return Way::ended;
        case SlotDecision::resume_other_first:
            break;
        }
        // Once one is finished, a third operation may have taken the slot: then that is finished too. Members
        // that show the first one as it was lag, and are waited for.
        if (record->operation_id == finished_other) {
            const bool waited = co_await passes_.pause();
            if (!waited) {
                end(Code::deadline_reached, "operation " + finished_other + " is finished, and members lag");
                co_return Way::ended;
            }
        }
        finished_other = record->operation_id;
        const bool finished = co_await finish_other();
        if (!finished) {
            co_return Way::ended;
        }
    }
}

/// The slot holds what is no record, or another cluster's: it is left alone.
void Publication::end_with_unusable(const AuthorityReading& slot) {
    auto seen = judge_without_record(slot, request_.target, discovery_.cluster);
    seen.report.observed_at = discovery_.observed_at;
    end(std::move(seen.report));
    end(slot.problem);
}

/// The operation that this call is a try of.
void Publication::identify() {
    const auto& current = discovery_.authority.current;
    if (request_.only_staged && request_.plan_digest.empty() && current) {
        request_.plan_digest = current->record.plan_digest;
    }
    operation_id_ = protocol::operation_id(
        discovery_.cluster, request_.target, request_.invocation_id, request_.plan_digest
    );
    report_.operation_id = operation_id_;
}

/// Where nothing is at hand to stage, the slot must hold this operation or remember it.
void Publication::demand_staged(SlotDecision decision) {
    switch (decision) {
    case SlotDecision::create:
        end(Code::no_record, "nothing is staged under this invocation id, and no rows were given");
        break;
    case SlotDecision::prepare:
    case SlotDecision::resume_other_first:
        end(Code::authority_conflict,
            "the slot holds operation " + discovery_.authority.current->record.operation_id +
                ", which is not one that was staged under this invocation id, and no rows were given");
        break;
    case SlotDecision::resume:
    case SlotDecision::answer_completed:
    case SlotDecision::refuse_abandoned:
        break;
    }
}

/// An unfinished other operation is finished first, without publishing anything of it. False: it is not
/// finished.
asio::awaitable<bool> Publication::finish_other() {
    step("resume other operation");
    Passes passes(context_, request_.target, request_.deadline);
    Observation seen;
    std::exception_ptr error;
    try {
        seen = co_await finish(context_, passes);
    } catch (...) {
        error = std::current_exception();
    }
    if (error) {
        // What was sent of it goes on in the cluster: whoever stopped us is told whose it is.
        if (passes.last().current) {
            report_ = passes.as_of_now(passes.last().report);
        }
        std::rethrow_exception(error);
    }
    const bool finished = seen.current && (seen.current->record.phase == Phase::completed ||
                                           seen.current->record.phase == Phase::abandoned);
    if (!finished) {
        end(passes.as_of_now(seen.report));
        end(Code::authority_conflict,
            "the slot belongs to operation " + seen.report.operation_id + ", which is not finished");
    }
    co_return finished;
}

/// Already published: answered from the record, whatever admission would say now.
asio::awaitable<void> Publication::answer_completed() {
    auto seen = co_await passes_.next();
    if (!seen.current || seen.current->record.operation_id == operation_id_) {
        end(seen.report);
        co_return;
    }
    const auto& recent = seen.current->record.recent;
    const auto ours = std::ranges::find(recent, operation_id_, &protocol::RecentOperation::operation_id);
    report_.record_version = seen.current->version();
    report_.phase = Phase::completed;
    constexpr int row_of_completed = 4;
    report_.verdict.word = protocol::Word::completed;
    report_.verdict.row = row_of_completed;
    report_.verdict.next = protocol::Next::report;
    report_.verdict.detail =
        "published before; operation " + seen.current->record.operation_id + " came after it";
    if (ours != recent.end()) {
        report_.dispatch_epoch = ours->epoch;
        report_.phase = ours->outcome;
    }
    end(report_);
}

/// From the dispatched statement to COMMITTED, and from there to COMPLETED.
asio::awaitable<void> Publication::settle() {
    step("reconcile");
    auto seen = co_await reconcile(context_, passes_);
    const bool ours =
        seen.current && !seen.report.stopped_by && seen.current->record.operation_id == operation_id_;
    const bool over = !ours || seen.current->record.phase == Phase::dispatching ||
                      seen.current->record.phase == Phase::prepared;
    if (over || !request_.cleanup) {
        end(seen.report);
        if (seen.current && seen.current->record.phase == Phase::prepared) {
            end(Code::cas_conflict, "another worker of this operation is at work on it");
        }
        co_return;
    }
    if (seen.current->record.phase == Phase::retiring) {
        step("retirement");
        seen = co_await finish_retirement(context_, passes_);
    } else {
        step("cleanup");
        seen = co_await clean_up(context_, passes_);
    }
    end(seen.report);
}

/// PREPARED is as far as was asked, or somebody has gone further: what the slot shows now.
asio::awaitable<void> Publication::answer_staged() {
    step("staged");
    passes_.begin_with(discovery_);
    const std::vector<std::string> warnings = report_.warnings;
    auto seen = co_await passes_.next();
    end(seen.report);
    report_.warnings.insert(report_.warnings.end(), warnings.begin(), warnings.end());
    if (seen.current && seen.current->record.operation_id != operation_id_) {
        end(Code::cas_conflict, "another operation has taken the slot");
    }
}

const protocol::AuthorityRecord* Publication::own_record() const {
    const auto& current = discovery_.authority.current;
    return current && current->record.operation_id == operation_id_ ? &current->record : nullptr;
}

void Publication::step(const char* name) {
    Event event;
    event.kind = EventKind::step;
    event.name = name;
    context_.events.on_event(event);
}

void Publication::end(Code code, std::string detail) {
    ended_ = true;
    report_.stopped_by = code;
    report_.stopped_detail = std::move(detail);
}

void Publication::end(protocol::Report report) {
    ended_ = true;
    report_ = std::move(report);
}

void Publication::refuse(const std::vector<protocol::Finding>& findings) {
    const protocol::Finding* first = protocol::leading_refusal(findings);
    if (first == nullptr) {
        return;
    }
    report_.findings = findings;
    end(first->code, (first->host.empty() ? "" : first->host + ": ") + first->detail);
}

/// A candidate that no record names is not lost from sight: it is in the report with its uuid.
void Publication::name_leftover() {
    if (candidate_.requested && !in_record_) {
        left_behind_.push_back(protocol::NamedTable{candidate_.name, candidate_.uuid});
    }
    for (const protocol::NamedTable& table : left_behind_) {
        report_.orphans.push_back(table);
        report_.warnings.push_back("the candidate " + table.name + " was left where it is");
    }
}

} // namespace onceswap::engine
