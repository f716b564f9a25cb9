// abandon, retire, close: what an operator decides about one operation, pinned to what `status` printed.
#include "engine/close.hpp"
#include "engine/publish.hpp"
#include "engine/retire.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/refresh_load/verbs.hpp"

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace onceswap::refresh_load {

namespace {

using cli::Session;

using PinnedCall = boost::asio::awaitable<protocol::Report> (*)(
    engine::Context& context, protocol::TargetName target, engine::Pin pin, engine::TimePoint deadline
);

/// The command that does it, with the pins of what was read.
std::string command_with_pins(Session& session, const protocol::Report& now) {
    std::string command = session.command_for("refresh-load", cli::text(session.options().verb));
    if (session.options().keep_predecessor)
        command += " --keep-predecessor";
    return command + " --operation " + now.operation_id + " --version " +
           std::to_string(*now.record_version) + " --execute";
}

/// What the verb would do about what was read, for people.
std::string would_do(cli::Verb verb, const protocol::Report& now) {
    switch (verb) {
    case cli::Verb::abandon:
        return "would give the operation up with one compare-and-swap of the record; no DDL";
    case cli::Verb::retire:
        return "would send RENAME TABLE `" + now.target.database + "`.`" + now.candidate + "` TO `" +
               now.target.database + "`.`" + protocol::aside_name(now.candidate) + "` ON CLUSTER `" +
               now.cluster + "`, and settle by what the targets are then; both tables stay";
    case cli::Verb::close:
        return "would end the operation with one compare-and-swap of the record; no DDL, the old generation "
               "stays";
    case cli::Verb::plan:
    case cli::Verb::stage:
    case cli::Verb::publish:
    case cli::Verb::resume:
    case cli::Verb::orphans:
    case cli::Verb::watch:
    case cli::Verb::status:
    case cli::Verb::doctor:
    case cli::Verb::explain:
    case cli::Verb::serve:
        break;
    }
    return {};
}

/// Without --execute: what stands there, and the command that would act on it.
int offer(Session& session, const protocol::Report& now) {
    const bool other = !cli::superseded(session.options(), now).empty();
    const int code = cli::finish(session, now, {});
    if (other || now.operation_id.empty() || !now.record_version || session.stop_signal != 0)
        return code;
    session.note(would_do(session.options().verb, now));
    session.note("nothing was done; to do it: " + command_with_pins(session, now));
    return code;
}

boost::asio::awaitable<int> pinned(Session& session, PinnedCall call) {
    engine::Context context = session.context();
    protocol::TargetName target = session.options().table;
    const engine::TimePoint deadline = session.deadline();
    // An epoch is no part of the engine's pin: it is compared with what is read first.
    if (!session.options().execute || session.options().epoch) {
        protocol::TargetName observed = target;
        const protocol::Report now = co_await engine::observe(context, std::move(observed), deadline);
        const bool other = !cli::superseded(session.options(), now).empty();
        if (other || !session.options().execute || session.stop_signal != 0)
            co_return offer(session, now);
    }
    engine::Pin pin;
    pin.operation_id = session.options().operation;
    pin.version = *session.options().version;
    protocol::Report ended = co_await call(context, std::move(target), std::move(pin), deadline);
    if (session.stop_signal != 0) {
        co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
    }
    const protocol::Report report = co_await cli::with_present_state(session, std::move(ended));
    const std::string go_on = session.command_to_go_on();
    // The pin was for the record as it was; what stands there now is the answer.
    session.options().operation.clear();
    session.options().version.reset();
    session.options().epoch.reset();
    co_return cli::finish(session, report, go_on);
}

} // namespace

boost::asio::awaitable<int> abandon(Session& session) {
    return pinned(session, engine::abandon);
}

boost::asio::awaitable<int> retire(Session& session) {
    return pinned(session, engine::retire);
}

boost::asio::awaitable<int> close(Session& session) {
    return pinned(session, engine::close_keeping_predecessor);
}

} // namespace onceswap::refresh_load
