#include "engine/cancellation.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace onceswap::engine {

bool is_cancellation(const std::exception_ptr& error) noexcept {
    if (!error)
        return false;
    try {
        std::rethrow_exception(error);
    } catch (const boost::system::system_error& failure) {
        return failure.code() == boost::asio::error::operation_aborted;
    } catch (...) {
        return false;
    }
}

void throw_cancelled() {
    throw boost::system::system_error(boost::asio::error::operation_aborted, "cancelled");
}

} // namespace onceswap::engine
