#include "tools/serving/slot_ledger.hpp"

#include "engine/pass.hpp"
#include "engine/queue.hpp"

#include <algorithm>
#include <utility>

namespace onceswap::serving {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_asked = 2;

std::string mark_of(const protocol::AuthorityRow& row) {
    return std::to_string(row.version) + " " + row.payload_sha256;
}

/// Whether the attempt that decides has ended, as far as the record says: its entry will not change any more.
bool has_ended(const protocol::AuthorityRecord& record) {
    const protocol::DdlAttempt* attempt = protocol::current_attempt(record);
    return attempt == nullptr ? record.phase != protocol::Phase::prepared : attempt->receipt.has_value();
}

} // namespace

asio::awaitable<SlotReading> read_slot(
    engine::Context& context, protocol::TargetName target, std::string settled, engine::TimePoint deadline
) {
    engine::Passes passes(context, std::move(target), deadline);
    const engine::Observation seen = co_await passes.next();
    SlotReading reading;
    reading.report = seen.report;
    if (!seen.current)
        co_return reading;
    const protocol::AuthorityRecord& record = seen.current->record;
    const std::string mark = mark_of(seen.current->row);
    std::vector<protocol::QueueReading> queue;
    bool answered = mark == settled;
    const std::size_t askable = std::min(most_asked, seen.members.size());
    for (std::size_t i = 0; i < askable && !answered && context.clock.now() < deadline; ++i) {
        engine::Queue port(context);
        std::vector<engine::BoundMember> one(1, seen.members[i]);
        std::string prefix = protocol::token_prefix(record.operation_id);
        const auto answers = co_await port.read_by_prefix(std::move(one), std::move(prefix), deadline);
        queue = engine::readings_of(answers);
        answered = !queue.empty() && queue.front().readable;
    }
    reading.mutations = mutations_of(record, queue, context.clock.wall_seconds());
    if (answered && has_ended(record))
        reading.settled = mark;
    co_return reading;
}

} // namespace onceswap::serving
