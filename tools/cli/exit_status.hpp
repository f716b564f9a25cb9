#pragma once

#include "protocol/report.hpp"

#include <string>
#include <string_view>

namespace onceswap::cli {

// Exit codes that do not come from a verdict; the whole list is docs/cli/exit-codes.md.
inline constexpr int exit_failed = 1;     ///< this program or its input
inline constexpr int exit_usage = 2;      ///< command line, variables, configuration, password, TLS files
inline constexpr int exit_unknown = 4;    ///< nothing is proven
inline constexpr int exit_superseded = 7; ///< another operation, epoch or version than the pinned one
inline constexpr int exit_refused = 8;    ///< admission said no

/// Of several slots the code that needs a person most: 1, 8, 4, 5, 7, 9, 6, 3, 0 in this order.
int worst_exit(int a, int b);

/// One line for standard error about a report that is not a success; empty for exit code 0.
std::string error_line(const protocol::Report& report, int exit_code);

/// That the deadline came, and what had been met until then, for standard error.
std::string deadline_line(std::string_view what);

/// deadline_reached where that ended the call; else the code of the refusal that explains the others (missing
/// privileges before all, else the first), else of what stopped the call, else the verdict's reason.
protocol::Code leading_code(const protocol::Report& report);
/// The detail that belongs to leading_code; may be empty.
std::string leading_detail(const protocol::Report& report);

/// Whether an admission refused.
bool is_refused(const protocol::Report& report);

} // namespace onceswap::cli
