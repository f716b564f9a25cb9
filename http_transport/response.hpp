#pragma once

#include "http_transport/transport.hpp"
#include "protocol/outcome.hpp"

#include <boost/system/result.hpp>

#include <optional>
#include <string>

namespace onceswap::http {

/// What a statement's success body must look like.
enum class BodyShape { result_set, empty, text };

/// The server's exception in a reply, if any: code from the header, else from the first `Code: N.` (18.x:
/// `Code: N, e.`), text from the body; all three mid-stream framings are recognized. Status alone is never an
/// exception.
std::optional<protocol::ServerException> find_exception(const Response& response);

/// Observation of a one-shot call in protocol's words; judged by protocol::classify_outcome.
protocol::ReplyEvidence observe(const Exchange& exchange, BodyShape shape);

/// For reads: the body if the reply is a complete success, else why not (host and code in the text).
boost::system::result<std::string, std::string> successful_body(const Exchange& exchange);
boost::system::result<std::string, std::string> successful_body(Exchange&& exchange); ///< moves the body

} // namespace onceswap::http
