#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/inventory.hpp"
#include "protocol/member_facts.hpp"
#include "protocol/queue_evidence.hpp"
#include "protocol/row_decoding.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace onceswap::testing {

// What a server answers to each reading statement, as JSONCompactEachRowWithNamesAndTypes.

std::string authority_body(const protocol::Uuid& server, const std::vector<protocol::AuthorityRow>& rows);
std::string queue_body(const protocol::Uuid& server, const std::vector<protocol::QueueRow>& rows);
/// With the size of the backlog.
std::string unfinished_body(
    const protocol::Uuid& server, std::uint64_t entries, const std::vector<protocol::QueueRow>& rows
);
/// A catalogue without clusters, columns and databases: table names only.
std::string catalogue_body(const protocol::Uuid& server, const std::vector<std::string>& tables);
/// `authority` nullopt: the statement did not ask for it.
std::string keeper_body(
    const protocol::Uuid& server,
    const std::vector<std::string>& tables,
    const std::optional<std::vector<protocol::AuthorityRow>>& authority
);
std::string capabilities_body(const protocol::Uuid& server);
std::string row_policies_body(const protocol::Uuid& server);
std::string grants_body(const std::vector<std::string>& grants);
std::string roster_body(const std::vector<protocol::Uuid>& servers);
std::string count_body(const protocol::Uuid& server, std::uint64_t rows);
std::string ddl_body(const std::vector<protocol::DdlHostRow>& rows);

} // namespace onceswap::testing
