#include "http_transport/endpoint.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <charconv>

namespace onceswap::http {
namespace {

constexpr std::size_t max_url_bytes = 2'048;
constexpr std::uint16_t default_http_port = 8'123;
constexpr std::uint16_t default_https_port = 8'443;

char ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_host_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

} // namespace

boost::system::result<Endpoint, std::string> Endpoint::parse(std::string_view url) {
    // No message below repeats the URL: it may hold a password by mistake.
    if (url.size() > max_url_bytes) {
        return std::string("the URL is longer than 2048 bytes");
    }
    const auto parsed = boost::urls::parse_uri(url);
    if (!parsed) {
        return std::string("not a URL of the form http[s]://host[:port][/prefix]");
    }
    const boost::urls::url_view& view = *parsed;
    Endpoint endpoint;
    std::string scheme(view.scheme());
    std::ranges::transform(scheme, scheme.begin(), ascii_lower);
    if (scheme != "http" && scheme != "https") {
        return "the scheme must be http or https, not '" + scheme + "'";
    }
    endpoint.tls_ = scheme == "https";
    if (!view.has_authority()) {
        return std::string("the URL has no host");
    }
    if (view.has_userinfo()) {
        return std::string("user and password do not belong in a URL: use --user and --password-file");
    }
    if (view.has_query()) {
        return std::string("the URL must not have a query");
    }
    if (view.has_fragment()) {
        return std::string("the URL must not have a fragment");
    }

    switch (view.host_type()) {
    case boost::urls::host_type::ipv4:
    case boost::urls::host_type::ipv6:
        endpoint.host_ = view.host_address();
        break;
    case boost::urls::host_type::name:
        endpoint.host_ = std::string(view.encoded_host());
        break;
    case boost::urls::host_type::none:
    case boost::urls::host_type::ipvfuture:
        return std::string("the URL has no usable host");
    }
    std::ranges::transform(endpoint.host_, endpoint.host_.begin(), ascii_lower);
    if (endpoint.host_.empty()) {
        return std::string("the URL has no host");
    }
    if (view.host_type() == boost::urls::host_type::name &&
        (!std::ranges::all_of(endpoint.host_, is_host_name_char) || endpoint.host_.size() > 253)) {
        return std::string("the host name has characters that no host name has");
    }

    endpoint.port_ = endpoint.tls_ ? default_https_port : default_http_port;
    if (view.has_port()) {
        const std::string digits(view.port());
        unsigned port = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
        if (error != std::errc{} || end != digits.data() + digits.size() || port == 0 || port > 65'535) {
            return std::string("the port must be a number from 1 to 65535");
        }
        endpoint.port_ = static_cast<std::uint16_t>(port);
    }

    endpoint.prefix_ = std::string(view.encoded_path());
    if (!endpoint.prefix_.empty() && endpoint.prefix_.front() != '/') {
        // Boost.URL takes `http://[fd00::1]8123` for a host and a path.
        return std::string("behind the host there is neither a port nor a path");
    }
    while (endpoint.prefix_.ends_with('/')) {
        endpoint.prefix_.pop_back();
    }
    return endpoint;
}

bool Endpoint::is_loopback_literal() const {
    // RFC 6761: `localhost` never leaves the host either.
    return host_ == "localhost" || host_ == "::1" ||
           (host_.starts_with("127.") && std::ranges::count(host_, '.') == 3 &&
            std::ranges::all_of(host_, [](char c) { return c == '.' || (c >= '0' && c <= '9'); }));
}

std::string Endpoint::text() const {
    std::string out = tls_ ? "https://" : "http://";
    if (host_.find(':') != std::string::npos) {
        out += '[' + host_ + ']';
    } else {
        out += host_;
    }
    out += ':' + std::to_string(port_);
    out += prefix_;
    return out;
}

} // namespace onceswap::http
