#include "http_transport/connection_pool.hpp"

#include "http_transport/transport_error.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cassert>
#include <type_traits>
#include <utility>

namespace onceswap::http {

namespace asio = boost::asio;
using std::chrono::steady_clock;

static_assert(!std::is_aggregate_v<ConnectionPool::Place>);

ConnectionPool::ConnectionPool(
    asio::any_io_executor executor, std::size_t connections_per_endpoint, std::chrono::milliseconds idle_limit
)
    : executor_(std::move(executor)), limit_(std::max<std::size_t>(connections_per_endpoint, 1)),
      idle_limit_(idle_limit) {}

ConnectionPool::~ConnectionPool() = default;

ConnectionPool::Place::Place(Place&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), endpoint_(std::move(other.endpoint_)) {}

ConnectionPool::Place::~Place() {
    if (pool_ != nullptr) {
        pool_->give_back(endpoint_);
    }
}

asio::awaitable<ConnectionPool::Place> ConnectionPool::acquire(
    Endpoint endpoint, steady_clock::time_point deadline, boost::system::error_code& error
) {
    Host& host = hosts_[endpoint]; // stays while something waits or is taken; map nodes do not move
    if (host.taken < limit_) {
        ++host.taken;
        Place place(this, endpoint);
        co_return place;
    }
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    Waiter waiter(executor_);
    waiter.wake.expires_at(deadline);
    const auto at = host.waiting.insert(host.waiting.end(), &waiter);
    co_await waiter.wake.async_wait(asio::as_tuple(asio::use_awaitable));
    if (waiter.granted) {
        // give_back() has taken this waiter off the list and left the place to it.
        Place place(this, endpoint);
        if (cancellation.cancelled() == asio::cancellation_type::none) {
            co_return place;
        }
    } else {
        host.waiting.erase(at);
    }
    error = cancellation.cancelled() != asio::cancellation_type::none
                ? boost::system::error_code(asio::error::operation_aborted)
                : make_error_code(TransportError::deadline_reached);
    Place none;
    co_return none;
}

void ConnectionPool::give_back(const Endpoint& endpoint) {
    const auto found = hosts_.find(endpoint);
    assert(found != hosts_.end() && found->second.taken > 0);
    Host& host = found->second;
    if (!host.waiting.empty()) {
        Waiter* const next = host.waiting.front();
        host.waiting.pop_front();
        next->granted = true;
        next->wake.cancel();
        return;
    }
    --host.taken;
    if (host.taken == 0 && host.idle.empty()) {
        hosts_.erase(found);
    }
}

std::unique_ptr<Connection> ConnectionPool::Place::take_idle() {
    const auto now = steady_clock::now();
    pool_->close_old(now);
    Host& host = pool_->hosts_.at(endpoint_);
    while (!host.idle.empty()) {
        Idle candidate = std::move(host.idle.back());
        host.idle.pop_back();
        if (candidate.usable_until > now && !candidate.connection->silence()) {
            return std::move(candidate.connection);
        }
    }
    return nullptr;
}

void ConnectionPool::Place::drop_idle() {
    pool_->hosts_.at(endpoint_).idle.clear();
}

void ConnectionPool::Place::keep(
    std::unique_ptr<Connection> connection, steady_clock::duration server_keeps
) {
    const steady_clock::duration keep =
        std::min<steady_clock::duration>(pool_->idle_limit_, server_keeps / 2);
    if (keep <= steady_clock::duration::zero()) {
        return;
    }
    Host& host = pool_->hosts_.at(endpoint_);
    if (host.idle.size() >= pool_->limit_) {
        host.idle.erase(host.idle.begin());
    }
    host.idle.push_back({std::move(connection), steady_clock::now() + keep});
}

void ConnectionPool::close_old(steady_clock::time_point now) {
    if (now < next_sweep_) {
        return;
    }
    next_sweep_ = now + idle_limit_;
    for (auto entry = hosts_.begin(); entry != hosts_.end();) {
        Host& host = entry->second;
        std::erase_if(host.idle, [now](const Idle& idle) { return idle.usable_until <= now; });
        if (host.idle.empty() && host.taken == 0) {
            entry = hosts_.erase(entry);
        } else {
            ++entry;
        }
    }
}

std::size_t ConnectionPool::idle(const Endpoint& endpoint) const {
    const auto found = hosts_.find(endpoint);
    return found == hosts_.end() ? 0 : found->second.idle.size();
}

std::size_t ConnectionPool::taken(const Endpoint& endpoint) const {
    const auto found = hosts_.find(endpoint);
    return found == hosts_.end() ? 0 : found->second.taken;
}

} // namespace onceswap::http
