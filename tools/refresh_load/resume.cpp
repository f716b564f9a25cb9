#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/refresh_load/resume_service.hpp"
#include "tools/refresh_load/verbs.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include <utility>

namespace onceswap::refresh_load {

namespace {

using cli::Session;

/// What `resume` would do about a verdict, for people.
std::string would_do(protocol::Next next) {
    return "next step: " + std::string(protocol::text(next));
}

} // namespace

boost::asio::awaitable<int> resume(Session& session) {
    if (session.options().keep_watching && session.options().execute) {
        ResumeService service(session);
        const int code = co_await service.run();
        co_return code;
    }
    engine::Context context = session.context();
    protocol::TargetName target = session.options().table;
    const engine::TimePoint deadline = session.deadline();
    if (!session.options().execute) {
        const protocol::Report now = co_await engine::observe(context, std::move(target), deadline);
        const int code = cli::finish(session, now, {});
        session.note(would_do(now.verdict.next) + "; nothing was done, with --execute it is");
        co_return code;
    }
    protocol::Report ended = co_await engine::resume(context, std::move(target), deadline);
    if (session.stop_signal != 0) {
        co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
    }
    const protocol::Report report = co_await cli::with_present_state(session, std::move(ended));
    const std::string go_on = session.command_to_go_on();
    co_return cli::finish(session, report, go_on);
}

} // namespace onceswap::refresh_load
