#include "engine/clock.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace onceswap::engine {

namespace asio = boost::asio;
using boost::system::error_code;

asio::awaitable<error_code> Clock::wait_until(TimePoint when) {
    error_code error;
    auto initiation = [](asio::any_completion_handler<void(error_code)> handler, Clock* clock, TimePoint at) {
        clock->async_wait(at, std::move(handler));
    };
    auto token = asio::redirect_error(asio::use_awaitable, error);
    co_await asio::async_initiate<decltype(token), void(error_code)>(initiation, token, this, when);
    co_return error;
}

} // namespace onceswap::engine
