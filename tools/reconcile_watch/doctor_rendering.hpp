#pragma once

#include "engine/doctor.hpp"
#include "tools/cli/terminal.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace onceswap::reconcile_watch {

/// For people: what refuses, warns or is not known first, each with what was seen and what can be done, then
/// what passes, then the verdict. Rules that are not known for one reason on one member share an entry.
/// Control characters of servers' texts are replaced.
std::string doctor_text(const engine::Checklist& list, const cli::Terminal& terminal);

/// One line for standard error about a checklist that is no success: the leading refusal, or the first thing
/// that decides and is not known. Empty for exit code 0.
std::string doctor_error_line(const engine::Checklist& list);

/// The same as one document; its shape is docs/cli/doctor.schema.json.
boost::json::object doctor_document(const engine::Checklist& list, int exit_code);

} // namespace onceswap::reconcile_watch
