#include "engine/redispatch.hpp"

#include "protocol/mutant.hpp"
#include "protocol/transitions.hpp"

#include <algorithm>

namespace onceswap::engine {

using protocol::QueueEvidence;

namespace {

/// Codes with which a host refuses for good: beyond the drop limit, others depend on the table.
bool is_refusal(const protocol::Receipt& receipt) {
    return std::ranges::any_of(receipt.hosts, [](const protocol::HostReceipt& host) {
        return host.code == 359 || host.code == 630;
    });
}

/// A host refused what this invocation sent. After another one's, an operator may have taken away what was in
/// the way: that is tried once.
bool refused(const Observation& seen, const Passes& passes) {
    const protocol::DdlAttempt* attempt = protocol::current_attempt(seen.current->record);
    if (attempt == nullptr || !passes.sent(attempt->token)) {
        return false;
    }
    if (attempt->receipt) {
        return is_refusal(*attempt->receipt);
    }
    return seen.queue.reading && protocol::is_terminal(seen.queue.evidence) &&
           is_refusal(protocol::make_receipt(*seen.queue.reading, 0));
}

} // namespace

bool Redispatches::visibility_pending() const {
    return passes_.unchanged_for() < context_.limits.visibility_wait;
}

Redispatches::Answer Redispatches::ask(const Observation& seen) const {
    const bool out_of_sight =
        seen.queue.evidence == QueueEvidence::none || seen.queue.evidence == QueueEvidence::gone;
    if (out_of_sight && visibility_pending() && !mutated(protocol::Mutant::visibility_wait_left_out)) {
        return Answer::wait;
    }
    const bool exhausted =
        sent_ >= context_.limits.cleanup_redispatches || !protocol::can_redispatch(seen.current->record);
    return refused(seen, passes_) || exhausted ? Answer::stop : Answer::send;
}

} // namespace onceswap::engine
