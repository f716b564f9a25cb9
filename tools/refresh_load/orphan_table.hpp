#pragma once

#include "engine/orphans.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace onceswap::refresh_load {

/// `orphans list` for people: a row for each table with what is known of it, then what could not be read.
std::string orphan_table(const engine::OrphanListing& listing);

/// The same as one document, `schema_version` 1: docs/cli/orphans.schema.json.
boost::json::object orphan_document(const engine::OrphanListing& listing, int exit_code);

/// The statement of `orphans drop` as it is sent, but for its settings.
std::string drop_text(const std::string& database, const std::string& cluster, const std::string& table);

/// What came of `orphans drop`, as lines behind the status: what, and which members showed the name free.
std::string drop_lines(const protocol::ListedTable& orphan, const engine::OrphanDrop& drop);

/// The same as the document of docs/cli/orphans-drop.schema.json, `schema_version` 1, without `exit_code` and
/// `report`. Without `drop` nothing was done.
boost::json::object drop_document(
    const protocol::ListedTable& orphan, const std::string& statement, const engine::OrphanDrop* drop
);

} // namespace onceswap::refresh_load
