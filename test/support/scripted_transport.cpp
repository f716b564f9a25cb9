#include "scripted_transport.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <stdexcept>

namespace onceswap::testing {

namespace asio = boost::asio;
using boost::system::error_code;

Reply reply_ok(std::string body) {
    Reply reply;
    reply.response.emplace();
    reply.response->status = 200;
    reply.response->body = std::move(body);
    return reply;
}

Reply reply_exception(int code, std::string message, unsigned status) {
    Reply reply;
    reply.response.emplace();
    reply.response->status = status;
    reply.response->exception_code = code;
    reply.response->body = "Code: " + std::to_string(code) + ". DB::Exception: " + std::move(message);
    return reply;
}

Reply reply_lost() {
    Reply reply;
    reply.error = asio::error::connection_reset;
    return reply;
}

Reply reply_not_written() {
    Reply reply;
    reply.error = asio::error::broken_pipe;
    reply.written = false;
    return reply;
}

Reply reply_truncated(std::string body) {
    Reply reply = reply_ok(std::move(body));
    reply.complete = false;
    reply.error = asio::error::eof;
    return reply;
}

Reply later(Reply reply, engine::Duration delay) {
    reply.delay = delay;
    return reply;
}

Reply never(Reply reply) {
    reply.delay = engine::Duration::max();
    return reply;
}

namespace {

constexpr std::uint64_t request_bytes = 512;

error_code timed_out() {
    return boost::system::errc::make_error_code(boost::system::errc::timed_out);
}

} // namespace

class ScriptedTransport::Way final : public http::PreparedCall {
  public:
    Way(ScriptedTransport& transport, http::Endpoint endpoint)
        : transport_(transport), endpoint_(std::move(endpoint)) {
        ++transport_.ways_opened;
        ++transport_.ways_open;
    }

    Way(const Way&) = delete;
    Way& operator=(const Way&) = delete;

    ~Way() override {
        --transport_.ways_open;
        if (!used_)
            ++transport_.ways_closed_unsent;
    }

    asio::awaitable<http::Exchange> send(http::Request request) override {
        if (used_)
            throw std::logic_error("a prepared call was sent twice");
        used_ = true;
        return transport_.perform(endpoint_, std::move(request), true);
    }

  private:
    ScriptedTransport& transport_;
    http::Endpoint endpoint_;
    bool used_ = false;
};

asio::awaitable<http::Prepared>
ScriptedTransport::prepare(http::Endpoint endpoint, engine::TimePoint deadline) {
    const bool throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    http::Prepared prepared;
    prepared.evidence.phase = http::CallPhase::connect;
    const engine::TimePoint connected = clock_.now() + connect_delay;
    const auto stopped = co_await clock_.wait_until(std::min(connected, deadline));
    error_code error = stopped;
    if (!error && connected > deadline)
        error = timed_out();
    if (!error && refuse)
        error = refuse(endpoint);
    prepared.evidence.error = error;
    if (!error)
        prepared.call = std::make_unique<Way>(*this, std::move(endpoint));
    co_await asio::this_coro::throw_if_cancelled(throwing);
    co_return prepared;
}

asio::awaitable<http::Exchange> ScriptedTransport::read(http::Endpoint endpoint, http::Request request) {
    return perform(std::move(endpoint), std::move(request), false);
}

asio::awaitable<http::Exchange>
ScriptedTransport::perform(http::Endpoint endpoint, http::Request request, bool mutation) {
    if (protocol::is_mutation(request.statement.kind) != mutation)
        throw std::logic_error("a statement was sent the wrong way");
    if (request.deadline == engine::TimePoint{} || request.query_id.empty())
        throw std::logic_error("a request without a deadline or a query_id");
    const bool throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    const bool watched = counted(request.statement.kind);
    const std::string where = endpoint.text();
    if (watched)
        most_at_once[where] = std::max(most_at_once[where], ++under_way_[where]);

    http::Exchange exchange;
    exchange.evidence.attempts = 1;
    exchange.evidence.phase = http::CallPhase::write;
    const auto before = co_await asio::this_coro::cancellation_state;
    error_code error = co_await clock_.wait_until(clock_.now());
    if (before.cancelled() != asio::cancellation_type::none)
        error = asio::error::operation_aborted;
    if (!error && clock_.now() >= request.deadline)
        error = timed_out();
    if (!error) {
        Call call;
        call.endpoint = std::move(endpoint);
        call.statement = request.statement;
        call.query_id = request.query_id;
        call.at = clock_.now();
        call.deadline = request.deadline;
        call.mutation = mutation;
        calls.push_back(call);
        Reply reply = script(call);
        if (reply.written) {
            exchange.evidence.bytes_handed_over = request_bytes;
            if (mutation)
                ++sends_;
            if (mutation && request.on_written)
                request.on_written();
            const bool in_time = reply.delay <= request.deadline - clock_.now();
            const engine::TimePoint until = in_time ? clock_.now() + reply.delay : request.deadline;
            exchange.evidence.phase = http::CallPhase::first_byte;
            error = co_await clock_.wait_until(until);
            if (!error && !in_time)
                error = timed_out();
        }
        if (!error) {
            error = reply.error;
            exchange.evidence.any_reply_byte = reply.response.has_value();
            exchange.evidence.reply_complete = reply.response && reply.complete;
            if (reply.response)
                exchange.evidence.framing = http::Framing::content_length;
            if (exchange.evidence.reply_complete)
                exchange.evidence.phase = http::CallPhase::done;
            exchange.response = std::move(reply.response);
        }
    }
    exchange.evidence.error = error;
    if (watched)
        --under_way_[where];
    co_await asio::this_coro::throw_if_cancelled(throwing);
    co_return exchange;
}

std::vector<Call> ScriptedTransport::of(protocol::StatementKind kind) const {
    std::vector<Call> found;
    for (const Call& call : calls)
        if (call.statement.kind == kind)
            found.push_back(call);
    return found;
}

} // namespace onceswap::testing
