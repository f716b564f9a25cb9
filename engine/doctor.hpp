#pragma once

#include "engine/context.hpp"
#include "engine/publish.hpp"
#include "protocol/doctor.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace onceswap::engine {

/// What a checklist is asked for.
struct DoctorRequest {
    DoctorRequest() = default;
    protocol::TargetName target;
    protocol::TargetName like;  ///< empty: the target
    std::string user;           ///< whom the remedies grant to
    bool readonly_user = false; ///< the transport sends no setting, so settings cannot be probed
    std::string operation;      ///< pin: this operation goes on, so its slot and candidate are asked about
    bool accept_lost_authority = false;
    bool allow_view_depends = false;
    TimePoint deadline = TimePoint::max();
};

static_assert(!std::is_aggregate_v<DoctorRequest>);

/// What was read and concluded.
struct Checklist {
    Checklist() = default;
    protocol::DoctorFacts facts;
    protocol::Diagnosis diagnosis;
    std::int64_t observed_at = 0; ///< seconds since the Unix epoch, UTC
};

static_assert(!std::is_aggregate_v<Checklist>);

/// The whole admission of a new publication, by the code that a publication runs, and what only a person
/// wants to know before. Every check that can be made is made: a refusal ends nothing, a member that does not
/// answer is named for everything that it was asked. Each read is bounded by limits.read_timeout and
/// `deadline`. Sends no mutation. Cancellation: terminal, throws operation_aborted with nothing left behind.
boost::asio::awaitable<Checklist> examine(Context& context, DoctorRequest request);

} // namespace onceswap::engine
