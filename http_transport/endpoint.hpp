#pragma once

#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace onceswap::http {

/// The HTTP(S) base of one member: scheme, host, port, optional path prefix. Never holds credentials.
class Endpoint {
  public:
    Endpoint() = default;
    /// `http://host[:port][/prefix]` or https; the default ports are 8123 and 8443. Refuses userinfo (secrets
    /// do not belong in a URL), query, fragment and anything else. The error text says what is wrong, without
    /// the userinfo.
    static boost::system::result<Endpoint, std::string> parse(std::string_view url);

    bool tls() const { return tls_; }

    const std::string& host() const { return host_; } ///< without brackets

    std::uint16_t port() const { return port_; }

    const std::string& prefix() const { return prefix_; } ///< empty or begins with '/'

    bool is_loopback_literal() const;
    std::string text() const;

    friend auto operator<=>(const Endpoint&, const Endpoint&) = default;

  private:
    std::string host_;
    std::string prefix_;
    std::uint16_t port_ = 0;
    bool tls_ = false;
};

static_assert(!std::is_aggregate_v<Endpoint>);

} // namespace onceswap::http
