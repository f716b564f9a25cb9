#pragma once

#include "engine/authority.hpp"
#include "http_transport/transport.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace onceswap::engine {

/// Owned by one write: made by prepare_write, consumed by write_once.
class Authority::Way {
  public:
    Way() = default;

    BoundMember member;
    std::optional<VersionedRecord> current; ///< none: a create
    protocol::AuthorityRecord next;
    protocol::AuthorityRow row; ///< `next`, encoded
    protocol::Statement statement;
    std::unique_ptr<http::PreparedCall> call; ///< null: `problem` says why, and nothing was sent
    protocol::Failure problem;

    /// What stands there once this write is won.
    VersionedRecord as_written() const {
        protocol::AuthorityRow written = row;
        written.version = expected_version();
        return VersionedRecord(std::move(written), next);
    }

    std::int32_t expected_version() const { return current ? current->version() + 1 : 0; }
};

} // namespace onceswap::engine
