#pragma once

#include "engine/admission.hpp"
#include "engine/catalog.hpp"
#include "engine/publish.hpp"
#include "protocol/failure.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <type_traits>

namespace onceswap::engine {

/// The one table that a try stages into. Its name and uuid are chosen here and used once.
struct StagedCandidate {
    StagedCandidate() = default;
    std::string name;
    protocol::Uuid uuid;
    bool requested = false; ///< its CREATE may have been sent: it exists, or may come to exist
    bool created = false;   ///< every member showed it
    std::uint64_t staged_rows = 0;
    bool with_final = false; ///< a merging engine: FINAL counts
};

static_assert(!std::is_aggregate_v<StagedCandidate>);

/// A name that no table has and a uuid of our own choosing. Pure but for the entropy.
StagedCandidate
choose_candidate(Context& context, const Discovery& discovery, const std::string& operation_id);

/// Creates the candidate ON CLUSTER like the target (or `like`), once, and waits until every member shows
/// exactly it. A lost CREATE is decided by its uuid. `candidate.requested` and `.created` are kept current,
/// also when it throws. Error: why it cannot be used. Cancellation: terminal, throws operation_aborted.
boost::asio::awaitable<protocol::Result<protocol::Generation>> create_candidate(
    Context& context,
    const Admitted& admitted,
    const PublishRequest& request,
    StagedCandidate& candidate,
    std::string operation_id
);

/// Admission B: one candidate generation everywhere, healthy and caught up on every member, the same exact
/// count read twice. Reads again until it passes or `patience` is over; a count that differs from the staged
/// rows on a healthy member does not wait.
boost::asio::awaitable<protocol::CandidateAdmission> admit_staged(
    Context& context,
    const Admitted& admitted,
    const StagedCandidate& candidate,
    protocol::TargetName target,
    std::chrono::milliseconds patience,
    TimePoint deadline
);

/// What count() FINAL leaves of a merging engine's rows, measured once after all are acknowledged: the same
/// on every member, twice. Error: candidate_not_ready.
boost::asio::awaitable<protocol::Result<std::uint64_t>> measure_rows(
    Context& context,
    const Admitted& admitted,
    const StagedCandidate& candidate,
    std::string database,
    TimePoint deadline
);

/// Drops the candidate that this try itself created, and only if every member shows its uuid under its name.
/// Never call it once a create or CAS of the authority may have been sent. False: it was left where it is,
/// `why` says why.
boost::asio::awaitable<bool> discard_candidate(
    Context& context,
    const Admitted& admitted,
    const StagedCandidate& candidate,
    std::string database,
    std::string operation_id,
    std::string& why
);

} // namespace onceswap::engine
