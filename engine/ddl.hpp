#pragma once

#include "engine/bound_member.hpp"
#include "engine/context.hpp"
#include "engine/discard_permit.hpp"
#include "engine/dispatch_permit.hpp"
#include "engine/setup_permit.hpp"
#include "protocol/authority_record.hpp"
#include "protocol/failure.hpp"
#include "protocol/outcome.hpp"
#include "protocol/row_decoding.hpp"

#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace onceswap::engine {

/// What came of one ON CLUSTER statement. A hint, not a verdict: the queue and the catalogues count.
struct DdlResult {
    DdlResult() = default;

    protocol::Outcome outcome = protocol::Outcome::outcome_unknown;
    std::optional<protocol::ServerException> exception;
    std::vector<protocol::DdlHostRow> rows; ///< with acknowledged: exactly one per member, all status 0
    std::string query_id;
    protocol::Failure
        problem; ///< unless acknowledged: ddl_not_sent, ddl_rejected, outcome_unknown, with what was seen
};

static_assert(!std::is_aggregate_v<DdlResult>);

/// The word that the permit's holder writes into the record.
protocol::HolderResult holder_result(const DdlResult& result);

/// An open way (connected, TLS done) to the member that will initiate a DDL, or why there is none. Good for
/// one statement; closed by the destructor without a byte having been sent.
class PreparedDdl {
  public:
    PreparedDdl() = default;

    bool open() const { return call_ != nullptr; }

    const protocol::Failure& problem() const { return problem_; } ///< unless open

    const BoundMember& member() const { return member_; }

  private:
    friend class Ddl;
    std::unique_ptr<http::PreparedCall> call_;
    BoundMember member_;
    protocol::Failure problem_;
};

static_assert(!std::is_aggregate_v<PreparedDdl>);

/// The three rights to send one DDL.
template <class Permit>
concept PermitForDdl = std::same_as<Permit, DispatchPermit> || std::same_as<Permit, SetupPermit> ||
                       std::same_as<Permit, DiscardPermit>;

/// The port that sends DDL, each statement exactly once and only against a permit.
class Ddl {
  public:
    explicit Ddl(Context& context) : context_(context) {}

    /// Opens the way; sends nothing. Never throws for I/O. Cancellation: terminal; the way is then not open.
    boost::asio::awaitable<PreparedDdl> prepare(BoundMember member, TimePoint deadline);

    /// Consumes the permit and sends the statement, once. `hosts` are all members: the answer must have
    /// exactly one row for each and no other, all status 0; a row with another status is host_failed, any
    /// other deviation outcome_unknown. Preconditions (std::logic_error, before anything is sent): the permit
    /// is live, the statement is an ON CLUSTER mutation whose log_comment is the permit's token, its kind
    /// fits the token's action, and it is one that this permit pays for: a DispatchPermit for the dispatched
    /// ones, a SetupPermit for those of SetupPermit::accepts, a DiscardPermit for the DROP of its table. A
    /// way that is not open gives not_sent. Cancellation: terminal; before the first byte not_sent, after it
    /// outcome_unknown, as a value. `on_written` (may be empty) is called on the loop once the last byte of
    /// the request was handed over, if the transport can tell.
    template <PermitForDdl Permit>
    boost::asio::awaitable<DdlResult> execute_once(
        Permit permit,
        PreparedDdl way,
        protocol::Statement statement,
        std::vector<protocol::HostPort> hosts,
        TimePoint deadline,
        std::function<void()> on_written = {}
    );

  private:
    static bool pays_for(const DispatchPermit& permit, const protocol::Statement& statement);
    static bool pays_for(const SetupPermit& permit, const protocol::Statement& statement);
    static bool pays_for(const DiscardPermit& permit, const protocol::Statement& statement);
    boost::asio::awaitable<DdlResult> send_once(
        PreparedDdl way,
        protocol::Statement statement,
        std::vector<protocol::HostPort> hosts,
        TimePoint deadline,
        std::function<void()> on_written
    );

    Context& context_;
};

/// The log_comment of a statement; empty where it has none.
std::string_view log_comment(const protocol::Statement& statement);
/// Whether a DDL of this kind may carry a token of this action. Total over kinds.
bool fits(protocol::StatementKind kind, protocol::Action action);

} // namespace onceswap::engine
