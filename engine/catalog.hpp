#pragma once

#include "engine/bound_member.hpp"
#include "engine/context.hpp"
#include "protocol/admission.hpp"
#include "protocol/member_state.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace onceswap::engine {

/// What a pass asks every member for.
struct CatalogQuestion {
    CatalogQuestion() = default;

    CatalogQuestion(std::string database_, std::vector<std::string> tables_, std::string target_key_ = {})
        : database(std::move(database_)), tables(std::move(tables_)), target_key(std::move(target_key_)) {}

    std::string database;
    std::vector<std::string> tables; ///< names in `database`, not empty
    std::string target_key;          ///< empty: without the authority row
};

static_assert(!std::is_aggregate_v<CatalogQuestion>);

/// What admission A asks every endpoint for, before any of them is bound to a member.
struct AdmissionQuestion {
    AdmissionQuestion() = default;

    std::string cluster; ///< as the user named it
    protocol::TargetName target;
    std::string authority_root = std::string(protocol::default_authority_root);
    /// Besides the target and the authority table, which are always asked for: candidate, aside, `like`.
    std::vector<std::string> more_tables;
    /// Slot whose row is read along; empty: none. A missing authority table is then no problem, its absence
    /// is seen in the catalogue.
    std::string target_key;
    std::string candidate;        ///< empty before staging
    std::string candidate_prefix; ///< of all candidates of the target; empty: derived from target_key, which
                                  ///< must be set
    bool accept_lost_authority = false;
    bool allow_view_depends = false;
    bool count_target = false; ///< also count() of the target where it exists
};

static_assert(!std::is_aggregate_v<AdmissionQuestion>);

/// What admission B asks every member for.
struct CandidateQuestion {
    CandidateQuestion() = default;

    std::string database;
    std::string name; ///< the candidate
    protocol::Uuid uuid;
    std::uint64_t staged_rows = 0;
    std::vector<std::string> more_tables; ///< the target
    bool with_final = false;              ///< merging engines: count() FINAL
};

static_assert(!std::is_aggregate_v<CandidateQuestion>);

/// The port that reads what members hold. Every member is asked at once; each read is bounded by
/// limits.read_timeout and by the caller's deadline, goes to the member's own endpoint only and counts only
/// if the server UUID is the member's. At most one Keeper-backed read is outstanding per endpoint
/// (KeeperGate). A failure is a problem text in the answer and a gap event, never an exception and never an
/// empty answer. Cancellation of every call: terminal; all reads are cancelled and joined, then
/// operation_aborted is thrown.
class Catalog {
  public:
    explicit Catalog(Context& context) : context_(context) {}

    /// One pass: two statements per member at once, the catalogue (needs no Keeper) and the Keeper-backed
    /// part, so that a lost keeper takes away only what it holds. One element per member, in the order of
    /// `members`.
    boost::asio::awaitable<std::vector<protocol::MemberEvidence>>
    read_all(std::vector<BoundMember> members, CatalogQuestion question, TimePoint deadline);

    /// Admission A: every endpoint is asked for the catalogue, the Keeper-backed part, capabilities, row
    /// policies and grants at once; the roster and the unfinished queue come from the first endpoint, in the
    /// given order, that answers them. All parts of one endpoint must show one server UUID; a part that shows
    /// another is dropped with a problem that names both. `endpoints` of the result has one element per
    /// endpoint, in the given order.
    boost::asio::awaitable<protocol::AdmissionFacts>
    read_admission(std::vector<http::Endpoint> endpoints, AdmissionQuestion question, TimePoint deadline);

    /// Admission B: catalogue, Keeper-backed part and count of the candidate on every member, in their order.
    /// Called twice by the caller, who compares.
    boost::asio::awaitable<protocol::CandidateFacts>
    read_candidate(std::vector<BoundMember> members, CandidateQuestion question, TimePoint deadline);

    /// Exact count() (or count() FINAL) of one table on every member; one element per member.
    struct Count {
        std::optional<std::uint64_t> rows;
        std::string problem;
    };

    boost::asio::awaitable<std::vector<Count>> count_all(
        std::vector<BoundMember> members, protocol::TargetName table, bool with_final, TimePoint deadline
    );

  private:
    Context& context_;
};

} // namespace onceswap::engine
