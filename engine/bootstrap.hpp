#pragma once

#include "engine/admission.hpp"
#include "protocol/authority_record.hpp"
#include "protocol/failure.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace onceswap::engine {

/// The authority table and the canary in one statement: `CREATE TABLE IF NOT EXISTS ... ON CLUSTER` with a
/// leading comment and its own token. Its entry must appear once, end in success on exactly the members,
/// carry the token, have lost the comment and be seen from every member: this cluster's queue then behaves as
/// every later step relies on. The statement is sent once; a lost reply is decided by the queue within a
/// visibility wait. Errors: canary_failed with what was seen, authority_bootstrap_unknown where that cannot
/// be told, cancelled, deadline_reached. Cancellation: terminal, throws operation_aborted; the statement may
/// still run, it changes nothing that exists.
boost::asio::awaitable<protocol::Result<protocol::CanaryReceipt>>
bootstrap(Context& context, Admitted admitted, std::string operation_id, TimePoint deadline);

} // namespace onceswap::engine
