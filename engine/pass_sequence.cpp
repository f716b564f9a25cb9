// From single passes to settled conclusions: what is thrown away, what is read again, what is believed.
#include "engine/lost_record.hpp"
#include "engine/pass.hpp"
#include "engine/unjudged_members.hpp"
#include "protocol/mutant.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::RecordStanding;

namespace {

/// A record that changes faster than it can be read is somebody else's work in full swing; then it is waited
/// for.
constexpr unsigned immediate_repeats = 8;

std::ptrdiff_t unavailable(const protocol::Report& report) {
    return std::ranges::count_if(report.members, [](const protocol::Report::Row& row) {
        return row.state.judged && row.state.state == protocol::State::unavailable;
    });
}

/// A row of the verdict's table fitted; members were judged by it.
bool is_read(const protocol::Report& report) {
    return report.verdict.row != 0 && !report.members.empty() && report.members.front().state.judged;
}

} // namespace

bool Passes::untouchable() const {
    return reading_.standing == RecordStanding::invalid || reading_.standing == RecordStanding::foreign;
}

bool Passes::vanished() const {
    return known_ && reading_.readable && !reading_.row;
}

/// The deadline ended this reading before members had answered that the one before had: then that one says
/// more, and is dated as what it is. It must have been of this very record: what was written since stands
/// beside it as current.
bool Passes::is_cut_off(const std::optional<Observation>& seen) const {
    const bool same_record = last_.current && known_ && last_.current->row == known_->row &&
                             last_.report.record_version == known_->version();
    if (!out_of_time() || !same_record || !is_read(last_.report))
        return false;
    return !seen || (unavailable(seen->report) > unavailable(last_.report));
}

asio::awaitable<Observation> Passes::next() {
    unsigned repeats = 0;
    unsigned equal = 0;
    std::string signature;
    while (true) {
        if (!discovered_ || members_missing()) {
            co_await find_members();
        }
        if (!known_ || untouchable()) {
            last_ = without_record();
            outdated_ = false;
            const bool absent = reading_.readable && reading_.standing == RecordStanding::absent;
            if (absent && !discovery_.problem) {
                co_await look_for_traces();
            }
            discovered_ = false;
            co_return last_;
        }
        const auto before = known_->row;
        auto seen = co_await pass();
        if (is_cut_off(seen)) {
            last_.report.evidence_gaps.push_back("the deadline ended the reading after this one");
            co_return last_;
        }
        outdated_ = false;
        if (!seen) {
            const bool changed = known_->row != before || untouchable();
            if (changed && ++repeats < immediate_repeats) {
                continue;
            }
            discovered_ = false;
            last_ = unread();
            equal = last_.signature == signature ? equal + 1 : 1;
            signature = last_.signature;
            if (!vanished()) {
                co_return last_;
            }
        } else {
            last_ = *seen;
            equal = last_.signature == signature ? equal + 1 : 1;
            signature = last_.signature;
        }
        if (equal < context_.limits.equal_readings_for_foreign &&
            (is_odd(last_.report.verdict) || vanished()) &&
            !mutated(protocol::Mutant::odd_reading_believed)) {
            const bool waited = co_await pause();
            if (waited) {
                continue;
            }
        }
        Event event;
        event.kind = EventKind::pass;
        event.verdict = last_.word();
        event.detail = last_.report.verdict.detail;
        context_.events.on_event(event);
        co_return last_;
    }
}

/// Rows 1 and 2, or nobody who could say.
Observation Passes::without_record() const {
    auto seen = judge_without_record(reading_, target_, discovery_.cluster);
    seen.report.observed_at = reading_began_;
    seen.report.members = unjudged_members(discovery_, target_);
    seen.report.evidence_gaps.insert(
        seen.report.evidence_gaps.end(), discovery_.gaps.begin(), discovery_.gaps.end()
    );
    if (discovery_.problem || !reading_.readable) {
        seen.report.verdict = protocol::Verdict();
        seen.report.verdict.next = protocol::Next::read_again;
        seen.report.verdict.detail = "no member could read the record";
    }
    if (discovery_.problem) {
        seen.report.verdict.detail = discovery_.problem->detail;
        seen.report.stopped_by = discovery_.problem->code;
        seen.report.stopped_detail = discovery_.problem->detail;
    }
    return seen;
}

/// No member shows a record: what only a dispatched publication leaves behind says that there was one.
asio::awaitable<void> Passes::look_for_traces() {
    const auto traces = co_await find_traces(context_, discovery_, target_, deadline_);
    auto& report = last_.report;
    if (!traces.proofs.empty()) {
        protocol::VerdictInput input;
        input.record = RecordStanding::lost;
        report.verdict = protocol::classify(input);
        report.verdict.detail = traces.proofs.front();
        for (std::size_t i = 1; i < traces.proofs.size(); ++i) {
            report.warnings.push_back(traces.proofs[i]);
        }
    }
    for (const std::string& table : traces.leftovers) {
        report.warnings.push_back("no record names the table " + table + ", which a publication made");
    }
    for (const std::string& record : traces.elsewhere) {
        report.warnings.push_back("a record stands under another name of the cluster, " + record);
    }
    if (!traces.elsewhere.empty()) {
        report.stopped_by = protocol::Code::authority_conflict;
        report.stopped_detail = report.warnings.back();
    }
    report.evidence_gaps.insert(report.evidence_gaps.end(), traces.gaps.begin(), traces.gaps.end());
}

/// A record is known, and nobody can say whether it still stands; or all say that it does not. What the queue
/// showed before was of the record then, whose statement may have been another one: nothing is written of it.
Observation Passes::unread() const {
    Observation seen = last_;
    seen.current = known_;
    seen.queue = protocol::QueueConclusion();
    seen.writers.clear();
    seen.report.verdict = protocol::Verdict();
    seen.report.verdict.next = protocol::Next::read_again;
    seen.report.verdict.detail = "the record could not be read unchanged";
    seen.report.evidence_gaps = reading_.gaps;
    seen.report.evidence_gaps.insert(
        seen.report.evidence_gaps.end(), reading_.laggards.begin(), reading_.laggards.end()
    );
    if (vanished()) {
        protocol::VerdictInput input;
        input.record = RecordStanding::lost;
        seen.report.verdict = protocol::classify(input);
        seen.report.verdict.detail = "the record that stood there is gone";
    }
    seen.signature = "unread " + std::string(protocol::text(seen.word()));
    return seen;
}

protocol::Report Passes::as_of_now(protocol::Report report) const {
    if (!outdated_) {
        return report;
    }
    std::string before(protocol::text(report.verdict.word));
    if (!report.verdict.detail.empty()) {
        before += ": " + report.verdict.detail;
    }
    report.verdict = protocol::Verdict();
    report.verdict.next = protocol::Next::read_again;
    report.verdict.detail = "a statement was sent after the last reading, which was " + before;
    return report;
}

asio::awaitable<bool> Passes::pause() {
    const auto delay = backoff_.next(context_.entropy);
    const TimePoint when = context_.clock.now() + delay;
    if (when >= deadline_ && !mutated(protocol::Mutant::waits_past_the_deadline)) {
        co_return false;
    }
    Event event;
    event.kind = EventKind::wait;
    event.delay_ms = static_cast<std::uint64_t>(delay.count());
    context_.events.on_event(event);
    co_await context_.clock.wait_until(when);
    co_return true;
}

} // namespace onceswap::engine
