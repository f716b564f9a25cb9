#pragma once

#include "http_transport/transport_over.hpp"
#include "scripted_server.hpp"
#include "shaped_stream.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace onceswap::test {

/// A fixed success body: names, types, one row.
inline const std::string one_row = "[\"server_uuid\",\"one\"]\n[\"String\",\"UInt8\"]\n[\"u\",1]\n";

/// Long enough never to be what ends a healthy test.
inline constexpr std::chrono::seconds ample{30};

http::Request select_request(std::chrono::milliseconds limit = ample);
/// An authority INSERT: no result set.
http::Request insert_request(std::chrono::milliseconds limit = ample);

/// Calls `attempt(limit)` with limits that grow until it says that its call came as far as the test is about.
/// So a busy machine makes such a test longer and never wrong. Fails if not even an ample limit was enough.
void with_growing_limit(const std::function<bool(std::chrono::milliseconds)>& attempt);

/// Options whose own limits a slow machine cannot reach.
http::TransportOptions patient_options();

using PendingExchange = std::shared_ptr<std::optional<http::Exchange>>;

/// One loop, its transport and the calls of one test. Every run must end by itself: what is left over is a
/// failure.
class LoopFixture {
  public:
    LoopFixture();
    ~LoopFixture();
    LoopFixture(const LoopFixture&) = delete;
    LoopFixture& operator=(const LoopFixture&) = delete;

    boost::asio::io_context loop;

    /// Made with these at the first use.
    http::Transport&
    transport(http::TransportOptions options = patient_options(), http::StreamFactory decorate = {});

    void close_transport() { transport_.reset(); }

    /// Starts a call; its exchange is there when it is over. Cancelled by cancel_all().
    PendingExchange start(boost::asio::awaitable<http::Exchange> call);
    PendingExchange start_read(http::Endpoint endpoint, http::Request request);
    PendingExchange start_mutation(http::Endpoint endpoint, http::Request request);
    void cancel_all();

    std::size_t running() const { return running_; }

    /// Runs until all started calls are over; the server goes on.
    void run_calls();
    /// run_calls(), then stops the server and runs until nothing is left.
    void run(ScriptedServer& server);

    http::Exchange read(ScriptedServer& server, http::Request request);
    http::Exchange mutate(ScriptedServer& server, http::Request request);

  private:
    std::unique_ptr<http::Transport> transport_;
    std::list<boost::asio::cancellation_signal> signals_;
    std::size_t running_ = 0;
};

/// prepare() and send() in one.
boost::asio::awaitable<http::Exchange>
mutate_once(http::Transport& transport, http::Endpoint endpoint, http::Request request);

/// Like it, but sends only when something has come from the peer.
boost::asio::awaitable<http::Exchange> mutate_after_arrival(
    http::Transport& transport, Arrivals& arrivals, http::Endpoint endpoint, http::Request request
);

} // namespace onceswap::test
