#pragma once

#include "engine/publish.hpp"
#include "tools/cli/session.hpp"

namespace onceswap::cli {

/// Prints what `plan` came to: the admission checklist, every statement verbatim with its scope and hosts,
/// and the slot where it holds an operation. Returns the exit code: 0 the statements may be sent, 8 refused,
/// else what stopped it.
int finish_plan(Session& session, engine::Plan plan);

} // namespace onceswap::cli
