#include "http_transport/resolve.hpp"

#include "http_transport/transport_error.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace onceswap::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t max_addresses = 16;

/// Shared with the lookup's handler, which may come long after the coroutine has gone on.
struct Lookup {
    explicit Lookup(const asio::any_io_executor& executor) : resolver(executor), wake(executor) {}

    tcp::resolver resolver;
    asio::steady_timer wake;
    Addresses addresses;
    bool finished = false;
};

void start(const std::shared_ptr<Lookup>& lookup, const std::string& host, std::uint16_t port) {
    lookup->resolver.async_resolve(
        host,
        std::to_string(port),
        tcp::resolver::numeric_service,
        [lookup](const boost::system::error_code& error, const tcp::resolver::results_type& results) {
            lookup->finished = true;
            lookup->addresses.error = error;
            for (const auto& entry : results) {
                if (lookup->addresses.found.size() < max_addresses) {
                    lookup->addresses.found.push_back(entry.endpoint());
                }
            }
            lookup->wake.cancel();
        }
    );
}

} // namespace

static_assert(!std::is_aggregate_v<Addresses>);

asio::awaitable<Addresses> resolve(
    asio::any_io_executor executor,
    std::string host,
    std::uint16_t port,
    std::chrono::steady_clock::time_point deadline
) {
    Addresses addresses;
    boost::system::error_code not_an_address;
    const asio::ip::address literal = asio::ip::make_address(host, not_an_address);
    if (!not_an_address) {
        addresses.found.emplace_back(literal, port);
        co_return addresses;
    }
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    const auto lookup = std::make_shared<Lookup>(executor);
    lookup->wake.expires_at(deadline);
    start(lookup, host, port);
    co_await lookup->wake.async_wait(asio::as_tuple(asio::use_awaitable));
    if (lookup->finished) {
        co_return std::move(lookup->addresses);
    }
    lookup->resolver.cancel();
    const bool cancelled = cancellation.cancelled() != asio::cancellation_type::none;
    addresses.error = cancelled ? boost::system::error_code(asio::error::operation_aborted)
                                : make_error_code(TransportError::deadline_reached);
    co_return addresses;
}

} // namespace onceswap::http
