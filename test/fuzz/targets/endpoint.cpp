#include "http_transport/endpoint.hpp"

#include "targets.hpp"

namespace onceswap::fuzz {

/// The input is a URL.
void endpoint(std::string_view input) {
    const auto parsed = http::Endpoint::parse(input);
    if (!parsed) {
        must(!parsed.error().empty(), "a refusal says why");
        return;
    }
    must(parsed->port() != 0 && !parsed->host().empty(), "an endpoint has a host and a port");
    const std::string text = parsed->text();
    const auto again = http::Endpoint::parse(text);
    must(again.has_value() && *again == *parsed, "an endpoint's text is that endpoint");
}

} // namespace onceswap::fuzz
