#pragma once

#include "protocol/report.hpp"
#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <type_traits>

namespace onceswap::refresh_load {

/// What came of the engine's part of `publish` and `stage`.
struct LoadRun {
    LoadRun() = default;
    std::optional<int> ended; ///< the exit code where it did not come to a report, everything being said
    protocol::Report report;  ///< else: the state at the end, see cli::with_present_state()
};

static_assert(!std::is_aggregate_v<LoadRun>);

/// Without --execute the plan and that nothing was done. With it the operation is identified, its rows are
/// staged where they are not yet, and it goes as far as request_of() says. Cancellation: terminal, by the
/// session's signals; then the report says what goes on.
boost::asio::awaitable<LoadRun> run_load(cli::Session& session);

} // namespace onceswap::refresh_load
