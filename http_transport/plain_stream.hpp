#pragma once

#include "http_transport/stream.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <memory>

namespace onceswap::http {

/// `socket` is connected, non-blocking and outlives the stream.
std::unique_ptr<Stream> make_plain_stream(boost::asio::ip::tcp::socket& socket);

} // namespace onceswap::http
