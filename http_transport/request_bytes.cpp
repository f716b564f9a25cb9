#include "http_transport/request_bytes.hpp"

#include "http_transport/request_target.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>

namespace onceswap::http {
namespace {

/// Visible ASCII and inner spaces survive every HTTP parser unchanged; other bytes may be trimmed or refused.
bool fits_in_a_header(std::string_view value) {
    return !value.empty() && value.front() != ' ' && value.back() != ' ' &&
           std::ranges::all_of(value, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

std::string base64(std::string_view bytes) {
    std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int size = EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(out.data()),
        reinterpret_cast<const unsigned char*>(bytes.data()),
        static_cast<int>(bytes.size())
    );
    out.resize(static_cast<std::size_t>(size));
    return out;
}

void append_host(std::string& head, const Endpoint& endpoint) {
    head += "\r\nHost: ";
    const bool brackets = endpoint.host().find(':') != std::string::npos;
    if (brackets) {
        head += '[';
    }
    head += endpoint.host();
    if (brackets) {
        head += ']';
    }
    if (endpoint.port() != (endpoint.tls() ? 443 : 80)) {
        head += ':';
        head += std::to_string(endpoint.port());
    }
}

/// Never both ways at once: the server refuses that (516). Empty: fits in neither.
std::string authentication(const Credentials& credentials) {
    if (!credentials.has_password() && fits_in_a_header(credentials.user())) {
        return "\r\nX-ClickHouse-User: " + credentials.user();
    }
    if (fits_in_a_header(credentials.user()) && fits_in_a_header(credentials.password())) {
        return "\r\nX-ClickHouse-User: " + credentials.user() +
               "\r\nX-ClickHouse-Key: " + credentials.password();
    }
    if (credentials.user().find(':') != std::string::npos) {
        return {};
    }
    std::string both = credentials.user() + ':' + credentials.password();
    std::string line = "\r\nAuthorization: Basic " + base64(both);
    OPENSSL_cleanse(both.data(), both.size());
    return line;
}

} // namespace

boost::system::result<RequestBytes, std::string> RequestBytes::make(
    const Endpoint& endpoint,
    const Request& request,
    std::string_view query_id,
    const RequestStyle& style,
    AfterReply after
) {
    const auto target = request_target(endpoint, request, query_id, style.readonly_user);
    if (!target) {
        return target.error();
    }
    if (!fits_in_a_header(style.user_agent)) {
        return std::string("the user agent has bytes that no header can carry");
    }
    std::string user = authentication(style.credentials);
    if (user.empty()) {
        return std::string("the user name has bytes that neither a header nor Basic can carry");
    }

    const std::string& sql = request.statement.sql;
    const bool rows = !request.payload.empty();
    const std::uint64_t length = sql.size() + (rows ? 1 + request.payload.size() : 0);
    RequestBytes bytes;
    std::string& head = bytes.start_;
    head.reserve(
        target->size() + user.size() + sql.size() + style.user_agent.size() + endpoint.host().size() + 256
    );
    head += "POST ";
    head += *target;
    head += " HTTP/1.1";
    append_host(head, endpoint);
    head += "\r\nUser-Agent: ";
    head += style.user_agent;
    head += user;
    OPENSSL_cleanse(user.data(), user.size());
    if (after == AfterReply::close) {
        head += "\r\nConnection: close";
    }
    head += "\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Length: ";
    head += std::to_string(length);
    head += "\r\n\r\n";
    head += sql;
    if (rows) {
        head += '\n';
        bytes.payload_ = request.payload;
    }
    return bytes;
}

RequestBytes::~RequestBytes() {
    OPENSSL_cleanse(start_.data(), start_.size());
}

std::array<boost::asio::const_buffer, 2> RequestBytes::from(std::uint64_t offset) const {
    const std::size_t in_start = static_cast<std::size_t>(std::min<std::uint64_t>(offset, start_.size()));
    const std::size_t in_payload = static_cast<std::size_t>(offset - in_start);
    return {
        boost::asio::buffer(start_.data() + in_start, start_.size() - in_start),
        boost::asio::buffer(payload_.data() + in_payload, payload_.size() - in_payload)
    };
}

} // namespace onceswap::http
