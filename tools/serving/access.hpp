#pragma once

#include <boost/system/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::serving {

/// The token that a reader must show, kept as its SHA-256 only. Compared in time that depends on neither
/// value.
class BearerToken {
  public:
    /// First line of a file that others cannot read, 16 to 512 bytes of RFC 6750's alphabet. The error names
    /// the file, never what stands in it.
    static boost::system::result<BearerToken, std::string> from_file(const std::string& path);

    /// `authorization`: the value of the header, `Bearer TOKEN`.
    bool fits(std::string_view authorization) const;

  private:
    using Digest = std::array<std::uint8_t, 32>;

    explicit BearerToken(const Digest& digest) : digest_(digest) {}

    static Digest digest_of(std::string_view token);

    Digest digest_;
};

/// Who may ask. A page of somewhere else can make a browser ask us under a name of its own (DNS rebinding),
/// but not under an address: so the Host header must be an address literal, `localhost`, or a name that was
/// allowed. A server that listens on loopback alone takes loopback addresses only.
class Access {
  public:
    Access(bool loopback_only, std::vector<std::string> names, std::optional<BearerToken> token);

    /// `host`: the value of the header, with or without a port.
    bool host_is_ours(std::string_view host) const;
    /// Exactly one header that fits, where a token is wanted.
    bool may_read(const std::vector<std::string>& authorizations) const;

    bool needs_token() const { return token_.has_value(); }

  private:
    bool loopback_only_;
    std::vector<std::string> names_;
    std::optional<BearerToken> token_;
};

} // namespace onceswap::serving
