#pragma once

#include "engine/publish.hpp"
#include "protocol/report.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace onceswap::cli {

/// The document of one verb: protocol::to_json with `exit_code`, and `invocation_id` where there is one.
/// docs/cli/report.schema.json describes it.
boost::json::object
report_document(const protocol::Report& report, int exit_code, const std::string& invocation_id);

/// The same for `plan`, with the statements under `steps`.
boost::json::object plan_document(const engine::Plan& plan, int exit_code);

/// For `status --all`: the documents under `slots`.
boost::json::object slots_document(const std::vector<protocol::Report>& reports, int exit_code);

/// The steps of a plan for people.
std::string plan_text(const engine::Plan& plan);

} // namespace onceswap::cli
