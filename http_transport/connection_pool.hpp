#pragma once

#include "http_transport/connection.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <vector>

namespace onceswap::http {

/// Keep-alive connections for reads, per endpoint, and the bound on how many of them exist at once. A call
/// first takes a place, in the order of asking, and gives it back when it is over; with the place comes an
/// idle connection if there is one that is young enough and silent. Nothing runs in the background: what is
/// too old is closed when somebody looks.
class ConnectionPool {
  public:
    ConnectionPool(
        boost::asio::any_io_executor executor,
        std::size_t connections_per_endpoint,
        std::chrono::milliseconds idle_limit
    );
    ~ConnectionPool();
    ConnectionPool(const ConnectionPool&) = delete;
    ConnectionPool& operator=(const ConnectionPool&) = delete;

  private:
    struct Waiter {
        explicit Waiter(const boost::asio::any_io_executor& executor) : wake(executor) {}

        boost::asio::steady_timer wake;
        bool granted = false;
    };

    struct Idle {
        std::unique_ptr<Connection> connection;
        std::chrono::steady_clock::time_point usable_until;
    };

    struct Host {
        std::vector<Idle> idle; ///< the youngest at the back
        std::list<Waiter*> waiting;
        std::size_t taken = 0;
    };

  public:
    /// The right to have one connection to an endpoint. Gives it back when it goes.
    class Place {
      public:
        Place() = default;
        Place(Place&& other) noexcept;
        Place& operator=(Place&&) = delete;
        ~Place();

        explicit operator bool() const { return pool_ != nullptr; }

        /// A silent idle connection, or null: open one.
        std::unique_ptr<Connection> take_idle();
        /// Closes what is idle there: the server has begun to close connections.
        void drop_idle();
        /// Keeps a connection for the next one, no longer than half of what the server promised.
        void keep(std::unique_ptr<Connection> connection, std::chrono::steady_clock::duration server_keeps);

      private:
        friend class ConnectionPool;

        Place(ConnectionPool* pool, const Endpoint& endpoint) : pool_(pool), endpoint_(endpoint) {}

        ConnectionPool* pool_ = nullptr;
        Endpoint endpoint_;
    };

    /// Waits for a place until `deadline`. Empty: `*error` says operation_aborted or deadline_reached.
    /// Cancellation: terminal; a place that was granted at the same moment is passed on.
    boost::asio::awaitable<Place> acquire(
        Endpoint endpoint, std::chrono::steady_clock::time_point deadline, boost::system::error_code& error
    );

    std::size_t idle(const Endpoint& endpoint) const;
    std::size_t taken(const Endpoint& endpoint) const;

  private:
    void give_back(const Endpoint& endpoint);
    void close_old(std::chrono::steady_clock::time_point now);

    boost::asio::any_io_executor executor_;
    std::size_t limit_;
    std::chrono::milliseconds idle_limit_;
    std::chrono::steady_clock::time_point next_sweep_{};
    std::map<Endpoint, Host> hosts_;
};

} // namespace onceswap::http
