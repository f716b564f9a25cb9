#pragma once

#include "engine/discovery.hpp"
#include "engine/publish.hpp"
#include "protocol/admission.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// What admission A read and concluded, and who speaks for each member.
struct Admitted {
    Admitted() = default;

    protocol::AdmissionFacts facts;
    protocol::Admission admission;
    std::vector<BoundMember> members; ///< in inventory order; empty when refused
    /// Candidates that earlier tries of the same operation left behind: named after it, in no record.
    std::vector<protocol::NamedTable> leftovers;

    bool refused() const { return admission.refused(); }

    const protocol::Inventory& inventory() const { return *admission.inventory; }

    /// As a record keeps them.
    std::vector<protocol::RecordedMember> recorded_members() const;

    /// The columns that a canary stands for: versions and server UUIDs in member order.
    protocol::CanaryReceipt canary() const;
};

static_assert(!std::is_aggregate_v<Admitted>);

/// Admission A: everything is asked of all endpoints at once, protocol::admit decides. `candidate`: empty
/// before staging. Read-only. Cancellation: terminal, throws operation_aborted with nothing left behind.
boost::asio::awaitable<Admitted> admit_publication(
    Context& context,
    Discovery discovery,
    PublishRequest request,
    std::string operation_id,
    std::string candidate
);

/// Whether the recorded canary stands for other servers or versions than those that answer now.
bool canary_is_due(const std::optional<protocol::CanaryReceipt>& recorded, const Admitted& admitted);

} // namespace onceswap::engine
