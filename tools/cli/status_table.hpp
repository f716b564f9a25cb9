#pragma once

#include "protocol/report.hpp"
#include "tools/cli/terminal.hpp"

#include <span>
#include <string>

namespace onceswap::cli {

/// A report for people: header (target, operation, phase, epoch, entry, age), one row for every expected
/// member, footer (verdict, reason, next safe action, what not to do). Ends with a newline. Where the width
/// is limited the Keeper path is shortened, then it and the queue's code are left out, then the host is
/// shortened, and rows are cut at the width at last; header and footer never are. 80 columns hold every
/// state. Control characters of servers' texts are replaced, so that no server can write to the terminal.
std::string status_table(const protocol::Report& report, const Terminal& terminal);

/// `COMPLETED db.t on c1: epoch 1, query-0000000003`: the same in one line, for SIGUSR1 and logs.
std::string status_line(const protocol::Report& report);

/// The checklist of an admission, one line for each finding that warns or refuses (all of them when
/// `with_passes`).
std::string
findings_list(std::span<const protocol::Finding> findings, bool with_passes, const Terminal& terminal);

/// Every control character replaced by `?`.
std::string printable(std::string_view text);

} // namespace onceswap::cli
