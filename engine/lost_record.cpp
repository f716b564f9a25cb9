#include "engine/lost_record.hpp"

#include "engine/member_read.hpp"
#include "engine/other_keys.hpp"
#include "engine/task_group.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/this_coro.hpp>

#include <optional>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

constexpr std::string_view every_token = "onceswap-v1-";

struct TablesAnswer {
    TablesAnswer() = default;
    std::optional<protocol::CapabilityFacts> facts;
    std::string problem;
};

static_assert(!std::is_aggregate_v<TablesAnswer>);

/// The queue is one for all members; who cannot read it is passed over.
asio::awaitable<void> ask_queue(
    Context& context,
    const Discovery& discovery,
    TimePoint deadline,
    protocol::QueueRows& rows,
    std::string& gap
) {
    const auto statement = protocol::queue_by_prefix_statement(every_token);
    for (const Discovery::Speaker& speaker : discovery.speakers) {
        MemberRead read(speaker.endpoint, speaker.endpoint.text(), statement, true);
        std::optional<protocol::QueueRows> said;
        std::string problem;
        co_await read_into(
            context,
            std::move(read),
            deadline,
            speaker.facts.identity.server_uuid,
            protocol::decode_queue,
            said,
            problem
        );
        if (said) {
            rows = std::move(*said);
            gap.clear();
            co_return;
        }
        gap = speaker.endpoint.text() + ": " + problem;
    }
}

} // namespace

asio::awaitable<Traces>
find_traces(Context& context, const Discovery& discovery, protocol::TargetName target, TimePoint deadline) {
    const std::string prefix = protocol::candidate_prefix(discovery.target_key);
    const auto statement = protocol::capabilities_statement(target.database, prefix);
    std::vector<TablesAnswer> answers(discovery.speakers.size());
    protocol::QueueRows queue;
    std::string queue_gap;
    OtherKeys others;
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const Discovery::Speaker& speaker = discovery.speakers[i];
        group.spawn(read_into(
            context,
            MemberRead(speaker.endpoint, speaker.endpoint.text(), statement, false),
            deadline,
            speaker.facts.identity.server_uuid,
            protocol::decode_capabilities,
            answers[i].facts,
            answers[i].problem
        ));
    }
    group.spawn(ask_queue(context, discovery, deadline, queue, queue_gap));
    group.spawn(find_other_keys(context, discovery, target, deadline, others));
    co_await group.join();
    Traces traces;
    traces.elsewhere = std::move(others.records);
    if (!others.problem.empty()) {
        traces.gaps.push_back("records of other names: " + others.problem);
    }
    std::vector<protocol::TableRow> tables;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i].facts) {
            const auto& ours = answers[i].facts->ours;
            tables.insert(tables.end(), ours.begin(), ours.end());
        } else {
            traces.gaps.push_back(discovery.speakers[i].endpoint.text() + ": " + answers[i].problem);
        }
    }
    if (!queue_gap.empty()) {
        traces.gaps.push_back("queue: " + queue_gap);
    }
    static_cast<protocol::RecordTraces&>(traces) =
        protocol::record_traces(target.database, prefix, tables, queue.rows);
    co_return traces;
}

} // namespace onceswap::engine
