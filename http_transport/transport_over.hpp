#pragma once

#include "http_transport/beast_transport.hpp"
#include "http_transport/connection.hpp"

namespace onceswap::http {

/// make_beast_transport() with something around every stream: how tests make the n-th step of a call fail.
boost::system::result<std::unique_ptr<Transport>, std::string>
make_transport_over(boost::asio::any_io_executor executor, TransportOptions options, StreamFactory decorate);

} // namespace onceswap::http
