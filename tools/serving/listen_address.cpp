#include "tools/serving/listen_address.hpp"

#include <boost/asio/ip/address.hpp>

#include <charconv>
#include <cstdint>
#include <system_error>

namespace onceswap::serving {

namespace asio = boost::asio;

boost::system::result<asio::ip::tcp::endpoint, std::string> parse_listen_address(std::string_view text) {
    const std::string wrong = "not ADDRESS:PORT with an IP address, like 127.0.0.1:9466 or [::1]:9466";
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0)
        return wrong;
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    std::uint16_t port = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (failed != std::errc() || end != digits.data() + digits.size())
        return wrong;
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed)
        host = host.substr(1, host.size() - 2);
    if (host == "localhost")
        host = "127.0.0.1";
    boost::system::error_code error;
    const auto address = asio::ip::make_address(std::string(host), error);
    if (error || address.is_v6() != bracketed)
        return wrong;
    return asio::ip::tcp::endpoint(address, port);
}

std::string text(const asio::ip::tcp::endpoint& endpoint) {
    const std::string address = endpoint.address().to_string();
    const std::string host = endpoint.address().is_v6() ? "[" + address + "]" : address;
    return host + ":" + std::to_string(endpoint.port());
}

} // namespace onceswap::serving
