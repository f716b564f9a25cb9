#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace onceswap::serving {

/// `127.0.0.1:9466`, `[::1]:0`, `localhost:9466` (127.0.0.1). Names are not looked up: what is listened on
/// shall not depend on who answers. Port 0: the system chooses. Error: one line without the flag's name.
boost::system::result<boost::asio::ip::tcp::endpoint, std::string> parse_listen_address(std::string_view text
);

/// As it stands in a URL: `127.0.0.1:9466`, `[::1]:9466`.
std::string text(const boost::asio::ip::tcp::endpoint& endpoint);

} // namespace onceswap::serving
