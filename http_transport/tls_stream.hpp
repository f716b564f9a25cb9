#pragma once

#include "http_transport/stream.hpp"
#include "http_transport/tls.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <memory>

namespace onceswap::http {

/// `socket` is connected, non-blocking and outlives the stream. OpenSSL works on the socket directly, so that
/// bytes_to_kernel() counts records the kernel really took, and a look at what has arrived never waits.
/// The destructor says close_notify if that needs no waiting. Null when memory is short.
std::unique_ptr<Stream> make_tls_stream(boost::asio::ip::tcp::socket& socket, SslPtr session);

} // namespace onceswap::http
