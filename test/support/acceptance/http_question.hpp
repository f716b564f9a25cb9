#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace onceswap::acceptance {

/// `http://HOST:PORT`, and who asks.
struct Origin {
    Origin() = default;
    /// Throws std::invalid_argument for anything else: the questions of the suite go over plain HTTP.
    explicit Origin(const std::string& url);

    std::string url;
    std::string host;
    std::string port;
    std::string user;
    std::string password;
};

struct HttpAnswer {
    HttpAnswer() = default;
    unsigned status = 0;
    int exception_code = 0; ///< X-ClickHouse-Exception-Code
    std::string body;
};

/// One request on a connection of its own. Throws std::runtime_error where no whole answer comes in time.
HttpAnswer question(
    const Origin& origin,
    const std::string& method,
    const std::string& path,
    const std::vector<std::pair<std::string, std::string>>& parameters,
    const std::string& body,
    std::chrono::seconds patience = std::chrono::seconds(60)
);

} // namespace onceswap::acceptance
