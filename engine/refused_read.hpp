#pragma once

#include "engine/context.hpp"
#include "protocol/error_code.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace onceswap::engine {

/// What it means that a server refused whoever asked, or a setting that came along, whatever was asked, by
/// the code of its exception. None: the refusal is about what was asked, or about the server.
std::optional<protocol::Code> code_of_refused_caller(int server_code);

/// What it means that a server refused the first thing it was asked, by the code of its exception: it does
/// not know the user, it does not know what was asked (an old version, or a constrained one), or, any other
/// code, it cannot answer now.
protocol::Code code_of_refused_read(int server_code);

/// The version that a server says it is, asked in words that every version knows; `unknown` where it does
/// not say so, or says something that is no version. One read, within limits.read_timeout and `deadline`.
/// Cancellation: terminal; the caller's next co_await throws.
boost::asio::awaitable<std::string>
server_version(Context& context, http::Endpoint endpoint, TimePoint deadline);

} // namespace onceswap::engine
