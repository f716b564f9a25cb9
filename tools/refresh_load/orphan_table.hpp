#pragma once

#include "engine/orphans.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace onceswap::refresh_load {

/// `orphans list` for people: a row for each table with what is known of it, then what could not be read.
std::string orphan_table(const engine::OrphanListing& listing);

/// The same as one document, `schema_version` 1: docs/cli/orphans.schema.json.
boost::json::object orphan_document(const engine::OrphanListing& listing, int exit_code);

} // namespace onceswap::refresh_load
