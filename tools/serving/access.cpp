#include "tools/serving/access.hpp"

#include "http_transport/credentials.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <utility>

namespace onceswap::serving {

namespace {

constexpr std::size_t shortest_token = 16;
constexpr std::size_t longest_token = 512;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lowered(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), lower);
    return out;
}

bool is_token_character(char c) {
    const char small = lower(c);
    return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

/// Without the port; empty where it is no host.
std::string_view host_without_port(std::string_view host) {
    const auto digits = [](std::string_view port) {
        return port.size() <= 5 && std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
    };
    if (host.starts_with('[')) {
        const auto end = host.find(']');
        if (end == std::string_view::npos)
            return {};
        const std::string_view rest = host.substr(end + 1);
        const bool fits = rest.empty() || (rest.front() == ':' && digits(rest.substr(1)));
        return fits ? host.substr(1, end - 1) : std::string_view();
    }
    const auto colon = host.find(':');
    if (colon == std::string_view::npos)
        return host;
    return digits(host.substr(colon + 1)) ? host.substr(0, colon) : std::string_view();
}

} // namespace

boost::system::result<BearerToken, std::string> BearerToken::from_file(const std::string& path) {
    const auto file = http::Credentials::from_file("bearer", path);
    if (!file)
        return file.error();
    const std::string& token = file->password();
    const bool fits = token.size() >= shortest_token && token.size() <= longest_token &&
                      std::ranges::all_of(token, is_token_character);
    if (!fits)
        return "file '" + path + "': its first line must be 16 to 512 letters, digits or any of -._~+/=";
    return BearerToken(digest_of(token));
}

BearerToken::Digest BearerToken::digest_of(std::string_view token) {
    Digest digest{};
    // A plain hash: it makes the comparison say nothing, it need not be slow.
    ::SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
    return digest;
}

bool BearerToken::fits(std::string_view authorization) const {
    constexpr std::string_view scheme = "bearer ";
    if (authorization.size() < scheme.size() || lowered(authorization.substr(0, scheme.size())) != scheme)
        return false;
    authorization.remove_prefix(scheme.size());
    while (authorization.starts_with(' '))
        authorization.remove_prefix(1);
    const Digest shown = digest_of(authorization);
    return ::CRYPTO_memcmp(shown.data(), digest_.data(), digest_.size()) == 0;
}

Access::Access(bool loopback_only, std::vector<std::string> names, std::optional<BearerToken> token)
    : loopback_only_(loopback_only), names_(std::move(names)), token_(token) {
    for (std::string& name : names_)
        name = lowered(name);
}

bool Access::host_is_ours(std::string_view host) const {
    const std::string name = lowered(host_without_port(host));
    if (name.empty())
        return false;
    if (name == "localhost" || std::ranges::find(names_, name) != names_.end())
        return true;
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(name, error);
    return !error && (address.is_loopback() || !loopback_only_);
}

bool Access::may_read(const std::vector<std::string>& authorizations) const {
    if (!token_)
        return true;
    return authorizations.size() == 1 && token_->fits(authorizations.front());
}

} // namespace onceswap::serving
