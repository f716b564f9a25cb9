// orphans list, orphans drop: tables of ours that no publication needs any more.
#include "engine/orphans.hpp"

#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/refresh_load/orphan_table.hpp"
#include "tools/refresh_load/verbs.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace onceswap::refresh_load {

namespace {

using cli::Session;

boost::asio::awaitable<protocol::Result<engine::OrphanListing>> listing_of(Session& session) {
    engine::Context context = session.context();
    std::string database = session.options().table.database;
    const engine::TimePoint deadline = session.deadline();
    auto listing = co_await engine::list_orphans(context, std::move(database), deadline);
    co_return listing;
}

/// What is not known makes the list incomplete, and unknown is never 0.
int finish_list(Session& session, const engine::OrphanListing& listing) {
    const bool complete = listing.gaps.empty() && listing.unreadable.empty();
    int code = cli::code_in_time(session, complete ? 0 : cli::exit_unknown);
    if (session.stop_signal != 0)
        code = 128 + session.stop_signal;
    const bool written = session.publish_result(orphan_table(listing), orphan_document(listing, code));
    if (!complete && session.stop_signal == 0) {
        const std::string what = "the list is not complete: see what could not be read";
        session.error(code == cli::exit_unknown ? what : cli::deadline_line(what));
    }
    return written || code != 0 ? code : cli::exit_failed;
}

/// The orphan that --name says, if this target's record lists it.
const protocol::ListedTable* find(const engine::OrphanListing& listing, const cli::Options& options) {
    const auto found = std::ranges::find_if(listing.tables, [&](const protocol::ListedTable& listed) {
        return listed.table.name == options.name;
    });
    return found == listing.tables.end() ? nullptr : &*found;
}

/// Why the table is not dropped, as far as the list says; the engine looks again at every member.
std::string refusal(const protocol::ListedTable* listed, const cli::Options& options) {
    if (listed == nullptr)
        return "no member shows a table " + options.name + ", and no record lists it";
    if (listed->standing != protocol::TableStanding::orphan)
        return options.name + " is no orphan: " + std::string(protocol::text(listed->standing));
    if (!listed->target || *listed->target != options.table)
        return options.name + " is listed by another target's record";
    return {};
}

} // namespace

boost::asio::awaitable<int> orphans(Session& session) {
    const auto listing = co_await listing_of(session);
    if (!listing)
        co_return cli::finish_failed(session, listing.error());
    if (session.options().operand == "list")
        co_return finish_list(session, *listing);
    const protocol::ListedTable* listed = find(*listing, session.options());
    const std::string refused = refusal(listed, session.options());
    if (!refused.empty()) {
        session.error(
            std::string(protocol::stable_name(protocol::Code::transition_refused)) + ": " + refused
        );
        co_return protocol::exit_code(protocol::Code::transition_refused);
    }
    const protocol::ListedTable found = *listed;
    const protocol::NamedTable orphan = found.table;
    const std::string statement =
        drop_text(session.options().table.database, session.options().cluster, orphan.name);
    engine::Context context = session.context();
    protocol::TargetName target = session.options().table;
    const engine::TimePoint deadline = session.deadline();
    if (!session.options().execute) {
        const protocol::Report now = co_await engine::observe(context, std::move(target), deadline);
        cli::Result nothing_done;
        nothing_done.around = drop_document(found, statement, nullptr);
        const int code = cli::finish_with(session, now, nothing_done);
        session.note("would send " + statement + " once, for the table with uuid " + orphan.uuid.text());
        if (!now.operation_id.empty() && now.record_version)
            session.note(
                "nothing was done; to do it: " + session.command_for("refresh-load", "orphans drop") +
                " --name " + cli::shell_quoted(orphan.name) + " --operation " + now.operation_id +
                " --version " + std::to_string(*now.record_version) + " --execute"
            );
        co_return code;
    }
    engine::Pin pin;
    pin.operation_id = session.options().operation;
    pin.version = *session.options().version;
    protocol::NamedTable dropped = orphan;
    const engine::OrphanDrop drop = co_await engine::drop_orphan(
        context, std::move(target), std::move(pin), std::move(dropped), deadline
    );
    session.options().operation.clear();
    session.options().version.reset();
    const bool stopped = drop.report.stopped_by.has_value() || session.stop_signal != 0;
    cli::Result result;
    result.text = drop_lines(found, drop);
    result.around = drop_document(found, statement, &drop);
    if (stopped || !drop.gone) {
        const int code = cli::finish_with(session, drop.report, result);
        co_return code != 0 ? code : protocol::exit_code(protocol::Code::outcome_unknown);
    }
    // What the slot's verdict says of its operation is no matter here: the orphan is gone, which was asked
    // for.
    result.reached = true;
    protocol::TargetName again = session.options().table;
    const protocol::Report now = co_await engine::observe(context, std::move(again), deadline);
    const int code = cli::finish_with(session, now, result);
    session.note("dropped: the name " + orphan.name + " is free on every member");
    co_return code;
}

} // namespace onceswap::refresh_load
