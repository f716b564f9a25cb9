#include "protocol/own_answers.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace onceswap::protocol {

namespace {

std::optional<Uuid> server_of_keeper(const EndpointFacts& endpoint) {
    return endpoint.keeper ? std::optional(endpoint.keeper->server_uuid) : std::nullopt;
}

std::optional<Uuid> server_of_capabilities(const EndpointFacts& endpoint) {
    return endpoint.capabilities ? std::optional(endpoint.capabilities->identity.server_uuid) : std::nullopt;
}

std::optional<Uuid> server_of_row_policies(const EndpointFacts& endpoint) {
    return endpoint.row_policies ? std::optional(endpoint.row_policies->server_uuid) : std::nullopt;
}

bool is_foreign(const EndpointFacts& endpoint, const std::optional<Uuid>& shown) {
    return shown && is_of_another_server(endpoint, *shown);
}

} // namespace

bool is_of_another_server(const EndpointFacts& endpoint, const Uuid& shown) {
    return endpoint.catalogue && endpoint.catalogue->identity.server_uuid != shown;
}

bool answers_as_one_server(const EndpointFacts& endpoint) {
    return !is_foreign(endpoint, server_of_keeper(endpoint)) &&
           !is_foreign(endpoint, server_of_capabilities(endpoint)) &&
           !is_foreign(endpoint, server_of_row_policies(endpoint));
}

AdmissionFacts own_answers(AdmissionFacts facts) {
    for (EndpointFacts& endpoint : facts.endpoints) {
        const auto note = [&endpoint](std::string_view part, const std::optional<Uuid>& shown) {
            endpoint.problems.push_back(
                std::string(part) + ": answered as server " + shown->text() + ", the catalogue as " +
                endpoint.catalogue->identity.server_uuid.text()
            );
        };
        if (const auto shown = server_of_keeper(endpoint); is_foreign(endpoint, shown)) {
            note("keeper", shown);
            endpoint.keeper.reset();
        }
        if (const auto shown = server_of_capabilities(endpoint); is_foreign(endpoint, shown)) {
            note("capabilities", shown);
            endpoint.capabilities.reset();
        }
        if (const auto shown = server_of_row_policies(endpoint); is_foreign(endpoint, shown)) {
            note("row_policies", shown);
            endpoint.row_policies.reset();
        }
    }
    return facts;
}

} // namespace onceswap::protocol
