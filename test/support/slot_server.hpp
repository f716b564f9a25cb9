#pragma once

#include "protocol/authority_record.hpp"
#include "scripted_transport.hpp"

#include <functional>
#include <optional>
#include <string>

namespace onceswap::testing {

/// One key of a KeeperMap table in strict mode: takes the INSERT and the UPDATE as text, with a reading of
/// its own, and keeps the row and its version.
class SlotServer {
  public:
    std::optional<protocol::AuthorityRow> row;
    /// Writes that changed the row.
    unsigned applied = 0;
    /// Runs between a write's reading and its effect: where another writer comes in between.
    std::function<void()> in_between;

    /// Executes an authority_insert or authority_update. Strict: Node exists, Bad version; a predicate that
    /// matches nothing is a success that changes nothing. Throws std::logic_error for SQL that it cannot
    /// read.
    Reply execute(const protocol::Statement& statement);

    /// Another writer puts its own bytes there.
    void overwrite(const std::string& payload_sha256);
};

} // namespace onceswap::testing
