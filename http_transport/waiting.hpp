#pragma once

#include "http_transport/timed_socket.hpp"
#include "http_transport/transport_error.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/error.hpp>

namespace onceswap::http {

/// Why no further wait may begin: operation_aborted or deadline_reached; clear if it may. A signal that came
/// while nothing was waiting is seen only here, since an operation that starts later is not told of it.
inline boost::system::error_code
stop_reason(const boost::asio::cancellation_state& cancellation, TimedSocket& socket) {
    if (cancellation.cancelled() != boost::asio::cancellation_type::none) {
        return boost::asio::error::operation_aborted;
    }
    if (socket.expired()) {
        return TransportError::deadline_reached;
    }
    return {};
}

/// The timer and a cancellation end a wait with the same code.
inline boost::system::error_code told_apart(boost::system::error_code error, TimedSocket& socket) {
    if (error == boost::asio::error::operation_aborted && socket.expired()) {
        return TransportError::deadline_reached;
    }
    return error;
}

} // namespace onceswap::http
