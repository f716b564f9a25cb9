#pragma once

#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <type_traits>

namespace onceswap::cli {

/// Says what came of a verb that ended with a report: table or document on standard output, evidence file,
/// and where it is no success one line on standard error. Returns the exit code. After a stop signal: what
/// goes on in the cluster and `go_on`, the command that continues (may be empty). `asked_for`: a verdict that
/// is what the verb was to reach, and thus exit code 0, where nothing stopped it.
int finish(
    Session& session,
    const protocol::Report& report,
    const std::string& go_on,
    std::optional<protocol::Word> asked_for = {}
);

/// What a verb says beyond the report.
struct Result {
    Result() = default;
    std::string text;                          ///< behind the table; whole lines
    std::optional<boost::json::object> around; ///< the document that has the report's under `report`
    bool reached = false;                      ///< what was asked for is done, whatever the verdict
};

static_assert(!std::is_aggregate_v<Result>);

/// The same with a document of its own, to which `report` and `exit_code` are added.
int finish_with(Session& session, const protocol::Report& report, const Result& result);

/// The same report, and that the deadline ended it where the reading was cut off by it: time is over and
/// nothing is proven. A verdict that is proven at the last moment stays what it is.
protocol::Report with_deadline(const Session& session, protocol::Report report);

/// The exit code of a reading that ended with `code` where it makes no report: 3 where it is no success and
/// the time is over.
int code_in_time(const Session& session, int code);

/// Says on standard error what made a verb impossible, or that the deadline came before it was known.
/// Returns the exit code.
int finish_failed(Session& session, const protocol::Failure& failure);

/// After a stop signal, and after a deadline that left the outcome open, one more short reading (3 s at
/// most), so that what is printed is the state now and not that of the pass before the stop. Returns
/// `stopped` where there was no such stop or nothing could be read. Precondition: a cancelled caller has
/// reset its cancellation state; the call is bounded, and a second signal ends the process.
boost::asio::awaitable<protocol::Report> with_present_state(Session& session, protocol::Report stopped);

/// What the cluster does without us after this report.
std::string what_goes_on(const protocol::Report& report);

/// Whether the slot holds another operation, epoch or version than the options pin; the line that says so,
/// else empty.
std::string superseded(const Options& options, const protocol::Report& report);

} // namespace onceswap::cli
