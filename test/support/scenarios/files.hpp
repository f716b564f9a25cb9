#pragma once

#include "fixtures/sim/scenario_file.hpp"

#include <boost/json/value.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace onceswap::scenarios {

/// fixtures/scenarios/*.json, in the order of their names; the schema is not among them.
std::vector<std::filesystem::path> scenario_paths();

std::string content_of(const std::filesystem::path& path);
/// Throws std::invalid_argument, naming the file.
boost::json::value document_of(const std::filesystem::path& path);
sim::ScenarioFile load(const std::filesystem::path& path);

/// The one way in which the files are written: two spaces, short values on one line, a newline at the end.
std::string pretty(const boost::json::value& value);

/// The document with the bytes of every described record made anew.
boost::json::value with_encoded_records(const boost::json::value& document);

} // namespace onceswap::scenarios
