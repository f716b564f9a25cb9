#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace onceswap::serving {

/// What of a request's head decides about its answer. A request never has a body here.
struct HttpRequest {
    std::string method;                      ///< as it was sent
    std::string target;                      ///< path and query, as sent; at most the limit of the head
    std::vector<std::string> hosts;          ///< every Host line
    std::vector<std::string> authorizations; ///< every Authorization line
    std::string if_none_match;
};

/// The server adds Date, Content-Length and Connection.
struct HttpAnswer {
    unsigned status = 200;
    std::vector<std::pair<std::string, std::string>> headers;
    /// Shared by all connections that send it: a slow reader holds one reference, not a copy. Not null.
    std::shared_ptr<const std::string> body = std::make_shared<const std::string>();
    bool close = false; ///< end the connection after this answer
};

/// Called on the loop for each request whose head is whole. Must not block.
using AnswerFunction = std::function<HttpAnswer(const HttpRequest& request)>;

} // namespace onceswap::serving
