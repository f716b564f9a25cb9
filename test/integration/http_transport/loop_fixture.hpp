#pragma once

#include "http_transport/transport_over.hpp"
#include "scripted_server.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace onceswap::test {

/// A fixed success body: names, types, one row.
inline const std::string one_row = "[\"server_uuid\",\"one\"]\n[\"String\",\"UInt8\"]\n[\"u\",1]\n";

http::Request select_request(std::chrono::milliseconds limit = std::chrono::seconds(20));
/// An authority INSERT: no result set.
http::Request insert_request(std::chrono::milliseconds limit = std::chrono::seconds(20));

/// One loop, its transport and the calls of one test. Every run must end by itself: what is left over is a
/// failure.
class LoopFixture {
  public:
    LoopFixture();
    ~LoopFixture();

    boost::asio::io_context loop;

    http::Transport& transport(http::TransportOptions options = {}, http::StreamFactory decorate = {});
    /// Starts a call; its result is in the optional when it is over. `cancel` may be used by scripts.
    std::shared_ptr<std::optional<http::Exchange>> start_read(http::Endpoint endpoint, http::Request request);
    std::shared_ptr<std::optional<http::Exchange>>
    start_mutation(http::Endpoint endpoint, http::Request request);
    boost::asio::cancellation_signal cancel;

    /// Runs until all started calls are over, then stops the server and runs until nothing is left.
    void run(ScriptedServer& server);
    http::Exchange read(ScriptedServer& server, http::Request request);
    http::Exchange mutate(ScriptedServer& server, http::Request request);

  private:
    std::unique_ptr<http::Transport> transport_;
    std::size_t running_ = 0;
    std::shared_ptr<std::optional<http::Exchange>> start(boost::asio::awaitable<http::Exchange> call);
};

} // namespace onceswap::test
