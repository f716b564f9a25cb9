#include "http_transport/call.hpp"

#include "http_transport/transport_error.hpp"
#include "http_transport/waiting.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace onceswap::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Until the socket is readable or writable, the deadline or a cancellation.
asio::awaitable<void> wait_for_either(tcp::socket& socket) {
    auto group = asio::experimental::make_parallel_group(
        socket.async_wait(tcp::socket::wait_read, asio::deferred),
        socket.async_wait(tcp::socket::wait_write, asio::deferred)
    );
    co_await group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
}

enum class Look { nothing, reply, ended };

/// Takes what has arrived while the request is still being written.
Look look_for_early_reply(Stream& stream, ReplyReader& reply) {
    while (true) {
        const Step step = stream.read(reply.prepare());
        switch (step.kind) {
        case StepKind::moved:
            reply.commit(step.bytes);
            if (reply.has_final_header() || reply.finished()) {
                return Look::reply;
            }
            break; // an interim reply, or half a header: there may be more
        case StepKind::wait_read:
        case StepKind::wait_write:
            return Look::nothing;
        case StepKind::closed:
        case StepKind::failed:
            return Look::ended;
        }
    }
}

/// One request on its way. Keeps the evidence true after every step.
class Writing {
  public:
    Writing(Stream& stream, const RequestBytes& request, Evidence& evidence, std::uint64_t& first_bytes)
        : stream_(stream), request_(request), evidence_(evidence), first_bytes_(first_bytes),
          kernel_before_(stream.bytes_to_kernel()) {}

    bool done() const { return accepted_ == request_.size(); }

    Step step() {
        const Step step = stream_.write(request_.from(accepted_));
        if (step.kind == StepKind::moved) {
            accepted_ += step.bytes;
        }
        // TLS may have put part of a record on the wire of which it accepted nothing yet: that is more than
        // no byte.
        const bool any = stream_.bytes_to_kernel() > kernel_before_;
        const std::uint64_t handed_over = any ? std::max<std::uint64_t>(accepted_, 1) : 0;
        if (evidence_.bytes_handed_over == 0 && handed_over > 0) {
            ++first_bytes_;
        }
        evidence_.bytes_handed_over = handed_over;
        return step;
    }

  private:
    Stream& stream_;
    const RequestBytes& request_;
    Evidence& evidence_;
    std::uint64_t& first_bytes_;
    std::uint64_t kernel_before_;
    std::uint64_t accepted_ = 0;
};

/// Until all is written, a reply came early, or writing failed. True: a reply may be read.
asio::awaitable<bool>
write_request(Connection& connection, ReplyReader& reply, Writing& writing, Evidence& evidence) {
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    TimedSocket& socket = connection.socket();
    while (!writing.done()) {
        evidence.error = stop_reason(cancellation, socket);
        if (evidence.error == asio::error::operation_aborted) {
            co_return false;
        }
        if (evidence.error) {
            co_return evidence.bytes_handed_over > 0;
        }
        const Step step = writing.step();
        switch (step.kind) {
        case StepKind::moved:
            continue;
        case StepKind::wait_read:
        case StepKind::wait_write:
            break;
        case StepKind::closed:
            evidence.error = asio::error::broken_pipe;
            co_return evidence.bytes_handed_over > 0;
        case StepKind::failed:
            evidence.error = step.error;
            evidence.detail = connection.stream().failure_detail();
            co_return evidence.bytes_handed_over > 0;
        }
        co_await wait_for_either(socket.socket);
        const Look seen = look_for_early_reply(connection.stream(), reply);
        if (seen == Look::reply) {
            co_return true;
        }
        if (seen == Look::ended) {
            reply.end_of_stream();
            co_return true;
        }
    }
    co_return true;
}

/// Until the reply is complete or cannot become so. Leaves what ended it in the evidence.
asio::awaitable<void> read_reply(Connection& connection, ReplyReader& reply, Evidence& evidence) {
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    TimedSocket& socket = connection.socket();
    Stream& stream = connection.stream();
    // Straight behind a request nothing can have arrived: spare the attempt.
    bool wait_first = !reply.any_byte() && !evidence.error;
    while (!reply.finished()) {
        tcp::socket::wait_type wait = tcp::socket::wait_read;
        if (!wait_first) {
            const Step step = stream.read(reply.prepare());
            switch (step.kind) {
            case StepKind::moved:
                reply.commit(step.bytes);
                continue;
            case StepKind::wait_read:
                break;
            case StepKind::wait_write:
                wait = tcp::socket::wait_write;
                break;
            case StepKind::closed:
                reply.end_of_stream();
                continue;
            case StepKind::failed:
                evidence.detail = stream.failure_detail();
                if (step.error == TransportError::truncated) {
                    reply.end_of_stream();
                    continue;
                }
                evidence.error = step.error;
                co_return;
            }
        }
        wait_first = false;
        const boost::system::error_code stop = stop_reason(cancellation, socket);
        if (stop) {
            evidence.error = stop;
            co_return;
        }
        // How the wait ended does not matter: the next attempt and the next check find out.
        co_await socket.socket.async_wait(wait, asio::as_tuple(asio::use_awaitable));
    }
    evidence.error = reply.error();
}

} // namespace

static_assert(!std::is_aggregate_v<CallLimits> && !std::is_aggregate_v<CallResult>);

asio::awaitable<CallResult>
run_call(Connection& connection, const RequestBytes& request, CallLimits limits, std::uint64_t& first_bytes) {
    CallResult result;
    Evidence& evidence = result.exchange.evidence;
    evidence.phase = CallPhase::write;
    evidence.attempts = 1;
    ReplyReader reply(connection.buffer(), limits.reply);
    Writing writing(connection.stream(), request, evidence, first_bytes);
    connection.socket().arm(limits.deadline);

    const bool may_read = co_await write_request(connection, reply, writing, evidence);
    if (writing.done() && limits.on_written) {
        limits.on_written();
    }
    if (may_read) {
        const boost::system::error_code write_error = evidence.error;
        const std::string write_detail = evidence.detail;
        co_await read_reply(connection, reply, evidence);
        if (!reply.complete() && write_error) {
            // The first thing that went wrong explains more than the silence behind it.
            evidence.error = write_error;
            evidence.detail = write_detail;
        }
        if (reply.any_byte() || !write_error) {
            evidence.phase = reply.phase();
        }
    }
    connection.socket().disarm();

    evidence.request_cut = !writing.done();
    evidence.any_reply_byte = reply.any_byte();
    evidence.reply_complete = reply.complete();
    evidence.framing = reply.framing();
    result.reusable = reply.reusable() && writing.done();
    if (const auto timeout = reply.keep_alive_timeout()) {
        result.server_keeps = *timeout;
    }
    result.exchange.response = reply.take_response();
    co_return result;
}

} // namespace onceswap::http
