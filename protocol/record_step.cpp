#include "protocol/record_step.hpp"

#include "protocol/mutant.hpp"

#include <algorithm>
#include <stdexcept>

namespace onceswap::protocol::step {

void require(bool holds, const char* rule) {
    if (!holds)
        throw std::invalid_argument(rule);
}

AuthorityRecord stamped(const AuthorityRecord& record, const WriteStamp& stamp) {
    AuthorityRecord copy = record;
    copy.write_id = stamp.write_id;
    copy.updated_at = std::max(copy.updated_at, stamp.now);
    return copy;
}

AttemptList monotonic_list(Phase phase) {
    switch (phase) {
    case Phase::set_aside_dispatching:
        return &AuthorityRecord::set_aside;
    case Phase::cleanup_dispatching:
        return &AuthorityRecord::cleanup;
    case Phase::retiring:
        return &AuthorityRecord::retire;
    case Phase::prepared:
    case Phase::dispatching:
    case Phase::committed:
    case Phase::completed:
    case Phase::abandoned:
        return nullptr;
    }
    return nullptr;
}

bool was_not_dispatched(const std::optional<DdlAttempt>& publication) {
    const bool known =
        publication && publication->entry.empty() &&
        (publication->result == HolderResult::not_sent || publication->result == HolderResult::rejected);
    return known || mutated(Mutant::failed_publication_prepared_again) ||
           mutated(Mutant::lost_publication_prepared_again) || mutated(Mutant::abandoned_without_proof);
}

} // namespace onceswap::protocol::step
