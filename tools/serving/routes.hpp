#pragma once

#include "engine/clock.hpp"
#include "tools/metrics/event_counters.hpp"
#include "tools/serving/access.hpp"
#include "tools/serving/http_message.hpp"
#include "tools/serving/http_server.hpp"
#include "tools/serving/slot_board.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace onceswap::serving {

/// Answers requests from a board. No route changes anything; what is no GET or HEAD is 405.
///
/// | path | | |
/// |---|---|---|
/// | `/` | the page, which holds no data | free |
/// | `/healthz` | 200 `ok`, 503 where no reading ended for too long | free |
/// | `/metrics` | Prometheus' text format | with the token |
/// | `/api/status` | the status document | with the token |
///
/// A body is made once for a state of the board and shared by everyone who asks.
class Routes {
  public:
    Routes(
        const SlotBoard& board,
        const metrics::EventCounters& events,
        Access access,
        engine::Duration silence_limit
    );

    /// What the server itself counts, for /metrics.
    void show(const HttpServer& server) { server_ = &server; }

    HttpAnswer answer(const HttpRequest& request);

  private:
    struct Kept {
        std::uint64_t revision = ~std::uint64_t{0};
        std::int64_t second = 0;
        std::string etag;
        std::shared_ptr<const std::string> body;
    };

    HttpAnswer status(const HttpRequest& request);
    HttpAnswer metrics();
    HttpAnswer health() const;
    HttpAnswer page(const HttpRequest& request) const;

    const SlotBoard& board_;
    const metrics::EventCounters& events_;
    Access access_;
    engine::Duration silence_limit_;
    const HttpServer* server_ = nullptr;
    Kept status_;
    Kept metrics_;
};

} // namespace onceswap::serving
