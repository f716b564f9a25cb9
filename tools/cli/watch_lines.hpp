#pragma once

#include "protocol/report.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace onceswap::cli {

// The lines of a watch; docs/cli/watch.schema.json describes the documents.

/// `event` = `change`, `final` = false, and the document of `status` as `report`.
boost::json::object change_document(const protocol::Report& report);

/// That the watch goes on and a pass showed nothing new: its time, its verdict, the number of its gaps.
boost::json::object heartbeat_document(const protocol::Report& report);

/// `event` = `final`, `final` = true, `exit_code`, `report`, and `superseded` where another operation or
/// epoch than the pinned one was found.
boost::json::object
final_document(const protocol::Report& report, int exit_code, const std::string& superseded);

/// `watch --all`: that a round showed nothing new, when, and each slot's verdict and number of gaps.
boost::json::object
slots_heartbeat_document(const std::vector<protocol::Report>& reports, std::int64_t observed_at);

/// `watch --all`: `event` = `final`, `final` = true, `exit_code`, and each slot's verdict, exit code and
/// report.
boost::json::object slots_final_document(const std::vector<protocol::Report>& reports, int exit_code);

/// `2024-01-31T23:59:59Z COMMITTED db.t on c1: epoch 1, query-0000000003; ch-1:9000 COMMITTED, ...` without a
/// newline. Control characters are replaced.
std::string change_line(const protocol::Report& report);

/// What stands below the table while it is redrawn; one row of at most `width` columns, with its newline.
std::string waiting_line(const protocol::Report& report, std::size_t width);

} // namespace onceswap::cli
