#pragma once

#include "engine/clock.hpp"
#include "http_transport/transport.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace onceswap::testing {

/// What the script says to one call, and when.
struct Reply {
    Reply() = default;

    std::optional<http::Response> response; ///< none: `error` says what was seen instead
    boost::system::error_code error;
    bool written = true;       ///< mutations: false if not one byte could be handed over
    bool complete = true;      ///< the response was whole
    engine::Duration delay{0}; ///< until the reply; engine::Duration::max(): never
};

static_assert(!std::is_aggregate_v<Reply>);

/// 200 with a whole body.
Reply reply_ok(std::string body);
/// The server's exception, as its HTTP interface writes it.
Reply reply_exception(int code, std::string message, unsigned status = 500);
/// The connection was reset after the request was written, without a reply byte.
Reply reply_lost();
/// The kernel took not one byte.
Reply reply_not_written();
/// 200 whose body was cut.
Reply reply_truncated(std::string body);
Reply later(Reply reply, engine::Duration delay);
Reply never(Reply reply);

/// One call as the script sees it, at the instant at which a server would.
struct Call {
    Call() = default;
    http::Endpoint endpoint;
    protocol::Statement statement;
    std::string query_id;
    engine::TimePoint at;
    engine::TimePoint deadline;
    bool mutation = false;
};

static_assert(!std::is_aggregate_v<Call>);

/// A transport in memory: every call suspends at least once before and once after it reaches the script, ends
/// at its deadline, can be cancelled at each suspension, and tells the truth about its bytes.
class ScriptedTransport final : public http::Transport {
  public:
    explicit ScriptedTransport(engine::Clock& clock) : clock_(clock) {}

    /// What a statement does and answers. Called once per call that reaches the server.
    std::function<Reply(const Call&)> script;
    /// An error for the way to an endpoint; empty: it opens.
    std::function<boost::system::error_code(const http::Endpoint&)> refuse;
    engine::Duration connect_delay{0};

    boost::asio::awaitable<http::Exchange> read(http::Endpoint endpoint, http::Request request) override;
    boost::asio::awaitable<http::Prepared>
    prepare(http::Endpoint endpoint, engine::TimePoint deadline) override;

    std::uint64_t sends() const override { return sends_; }

    std::vector<Call> calls; ///< that reached the script, in order
    std::vector<Call> of(protocol::StatementKind kind) const;
    std::size_t ways_opened = 0;
    std::size_t ways_closed_unsent = 0;
    std::size_t ways_open = 0;
    /// The most calls that were under way at one endpoint at one time, among these kinds.
    std::map<std::string, int> most_at_once;
    std::function<bool(protocol::StatementKind)> counted = [](protocol::StatementKind) { return false; };

  private:
    class Way;
    boost::asio::awaitable<http::Exchange>
    perform(http::Endpoint endpoint, http::Request request, bool mutation);

    engine::Clock& clock_;
    std::uint64_t sends_ = 0;
    std::map<std::string, int> under_way_;
};

} // namespace onceswap::testing
