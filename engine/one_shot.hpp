#pragma once

#include "engine/context.hpp"
#include "protocol/failure.hpp"
#include "protocol/outcome.hpp"

#include <string>

namespace onceswap::engine {

/// One mutation on its way, as events and problems name it.
struct OneShot {
    OneShot(std::string who_, protocol::StatementKind kind_, protocol::MutationKind mutation_)
        : who(std::move(who_)), kind(kind_), mutation(mutation_) {}

    std::string who; ///< the member that it is sent to
    protocol::StatementKind kind;
    protocol::MutationKind mutation;
    std::string query_id; ///< empty until it is sent
};

/// Why an outcome is not an acknowledgement: a stable code and one line of evidence that begins with the
/// member.
protocol::Failure explain(
    const OneShot& shot,
    protocol::Outcome outcome,
    const http::Evidence& evidence,
    const std::optional<protocol::ServerException>& exception
);

/// The code of an error of the transport: cancelled, deadline_reached or connection_failed.
protocol::Code code_of(const boost::system::error_code& error);

/// Raises the `mutation` event.
void report_mutation(
    Context& context, const OneShot& shot, protocol::Outcome outcome, const std::string& detail
);

} // namespace onceswap::engine
