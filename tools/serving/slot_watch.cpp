#include "tools/serving/slot_watch.hpp"

#include "engine/deadline.hpp"
#include "engine/task_group.hpp"
#include "tools/serving/slot_ledger.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace onceswap::serving {

namespace asio = boost::asio;
using engine::Context;
using engine::Duration;
using engine::TimePoint;

namespace {

constexpr std::size_t readings_at_once = 8;
constexpr int most_intervals = 4;

/// One round's work, shared by its readers.
struct Round {
    std::vector<protocol::TargetName> targets;
    std::size_t next = 0;
    TimePoint deadline;
    bool has_gaps = false;
};

void throw_if_cancelled(asio::cancellation_type cancelled) {
    if (cancelled != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
}

asio::awaitable<void> read_slots(Context& context, SlotBoard& board, Round& round) {
    while (round.next < round.targets.size() && context.clock.now() < round.deadline) {
        protocol::TargetName target = round.targets[round.next++];
        const Duration limit = reading_limit(context.limits);
        const TimePoint until = engine::earlier_of(context.clock, limit, round.deadline);
        std::string settled = board.settled(target);
        const SlotReading reading = co_await read_slot(context, std::move(target), std::move(settled), until);
        const auto state = co_await asio::this_coro::cancellation_state;
        throw_if_cancelled(state.cancelled());
        const protocol::Report& report = reading.report;
        round.has_gaps = round.has_gaps || report.stopped_by.has_value() || !report.evidence_gaps.empty();
        board.observed(reading);
    }
}

asio::awaitable<void> list_slots(Context& context, SlotBoard& board, TimePoint deadline) {
    std::string database = board.watched().database;
    const Duration limit =
        context.limits.read_timeout * static_cast<int>(context.cluster.endpoints.size() + 1);
    const TimePoint until = engine::earlier_of(context.clock, limit, deadline);
    const auto slots = co_await engine::list_targets(context, std::move(database), until);
    if (slots)
        board.listed(*slots);
    else
        board.listing_failed(
            std::string(protocol::stable_name(slots.error().code)) + ": " + slots.error().detail
        );
}

/// The wait before the next round.
Duration pause_of(Context& context, const SlotBoard& board, int gaps_in_a_row) {
    const auto interval = board.watched().interval * std::min(1 + gaps_in_a_row, most_intervals);
    const auto tenth = static_cast<std::uint64_t>(std::max<std::int64_t>(interval.count() / 10, 1));
    const auto moved = static_cast<std::int64_t>(context.entropy.below(2 * tenth));
    return interval + std::chrono::milliseconds(moved - static_cast<std::int64_t>(tenth));
}

} // namespace

Duration reading_limit(const engine::Limits& limits) {
    return std::max<Duration>(limits.read_timeout * 4, std::chrono::seconds(30));
}

Duration silence_limit(const engine::Limits& limits, const Watched& watched) {
    return reading_limit(limits) * 2 + watched.interval * (most_intervals + 1);
}

asio::awaitable<void> watch_slots(Context& context, SlotBoard& board, TimePoint deadline) {
    int gaps_in_a_row = 0;
    const auto executor = co_await asio::this_coro::executor;
    while (context.clock.now() < deadline) {
        if (board.watched().table.empty()) {
            co_await list_slots(context, board, deadline);
        }
        Round round;
        round.targets = board.targets();
        round.deadline = deadline;
        engine::TaskGroup readers(executor);
        for (std::size_t i = 0; i < std::min(readings_at_once, round.targets.size()); ++i)
            readers.spawn(read_slots(context, board, round));
        co_await readers.join();
        board.round_ended();
        gaps_in_a_row =
            round.has_gaps || !board.problem().empty() ? std::min(gaps_in_a_row + 1, most_intervals) : 0;
        const Duration pause = pause_of(context, board, gaps_in_a_row);
        const TimePoint until = engine::earlier_of(context.clock, pause, deadline);
        const auto error = co_await context.clock.wait_until(until);
        if (error)
            throw boost::system::system_error(error);
    }
}

} // namespace onceswap::serving
