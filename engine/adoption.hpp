#pragma once

#include "engine/admission.hpp"
#include "engine/publish.hpp"
#include "protocol/authority_record.hpp"
#include "protocol/failure.hpp"
#include "protocol/member_state.hpp"
#include "protocol/uuid.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// Stages without rows: the existing table `table` of the target's database becomes the candidate by one
/// RENAME ON CLUSTER to a name of ours, which is sent at most once by a call, and then proven and recorded
/// like any other. Ends at PREPARED; `dispatch` and `like` of the request do not count. Called again after
/// any interruption it looks for the table's uuid under both names on every member and goes on from what it
/// finds: another RENAME is sent only where every member still has the table under its old name and no entry
/// of an earlier one is unfinished. Errors: candidate_not_ready, generation_diverged, with who has which
/// name; nothing is ever dropped or renamed back. Cancellation: terminal, as for publish().
boost::asio::awaitable<protocol::Report> adopt(Context& context, PublishRequest request, std::string table);

/// The admission checklist and the statements of adopt(), with the RENAME as it would be sent; sends none of
/// them. The table itself is looked for, and not proven. `table` empty: the statements of publish().
/// Cancellation: terminal.
boost::asio::awaitable<Plan> plan_adoption(Context& context, PublishRequest request, std::string table);

/// The one table that is adopted, and the name of ours that goes with it: made of its uuid, so that every
/// try, whoever makes it, renames it to the same name.
struct Adoptee {
    Adoptee() = default;
    protocol::Uuid uuid;
    std::string old_name;
    std::string new_name;
};

static_assert(!std::is_aggregate_v<Adoptee>);

/// The name that a table of this uuid gets when this operation adopts it.
std::string
adopted_name(const std::string& target_key, const std::string& operation_id, const protocol::Uuid& uuid);

/// Which table is meant: the one under its old name, or, where an earlier try has renamed it, the one under
/// the name made of its uuid. Error: none, or more than one.
protocol::Result<Adoptee> identify_adoptee(
    std::span<const protocol::MemberEvidence> evidence,
    const std::vector<protocol::NamedTable>& of_operation,
    const std::string& target_key,
    const std::string& operation_id,
    const std::string& old_name
);

/// Where the members have it.
struct Whereabouts {
    Whereabouts() = default;
    enum class Place { before, after, between, unknown, foreign };
    Place place = Place::unknown;
    std::string layout; ///< `ch-1:9000 has it as staged, ch-2:9000 as onceswap_...`
};

static_assert(!std::is_aggregate_v<Whereabouts>);

/// Total over all evidence: `before` and `after` only where every member answered and shows exactly the
/// adoptee's uuid under the one name and nothing under the other.
Whereabouts
find_adoptee(std::span<const protocol::MemberEvidence> evidence, const Adoptee& adoptee, std::size_t members);

/// Why no table of this name can be adopted, whatever it is; none for an empty name.
std::optional<protocol::Failure> name_problem(const protocol::TargetName& target, const std::string& table);

/// The adoptee, and where it was found.
struct FoundAdoptee {
    FoundAdoptee() = default;
    Adoptee adoptee;
    Whereabouts::Place place = Whereabouts::Place::unknown;
};

static_assert(!std::is_aggregate_v<FoundAdoptee>);

/// One reading of who has what under the old name and under the names of this operation that admission has
/// seen. Read-only. Error: of identify_adoptee(). Cancellation: terminal, throws operation_aborted.
boost::asio::awaitable<protocol::Result<FoundAdoptee>> ask_for_adoptee(
    Context& context,
    const Admitted& admitted,
    const PublishRequest& request,
    std::string target_key,
    std::string operation_id,
    std::string old_name
);

} // namespace onceswap::engine
