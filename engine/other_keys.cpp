#include "engine/other_keys.hpp"

#include "engine/member_read.hpp"
#include "engine/task_group.hpp"
#include "protocol/mutant.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/slot_claim.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

constexpr std::size_t asked_at_once = 3;

const protocol::Uuid any_server;

/// What one endpoint showed. Neither rows nor a problem: it has no authority table.
struct Shown {
    Shown() = default;
    std::optional<protocol::AuthorityRows> rows;
    std::string problem;
};

static_assert(!std::is_aggregate_v<Shown>);

/// Quiet: before the first publication there is no table to read.
asio::awaitable<void> ask_slots(
    Context& context, http::Endpoint endpoint, protocol::Statement statement, TimePoint deadline, Shown& shown
) {
    MemberRead read(endpoint, endpoint.text(), std::move(statement), true);
    read.quiet = true;
    const MemberAnswer answer = co_await read_once(context, read, deadline);
    if (is_unknown_table(answer)) {
        co_return;
    }
    shown.rows = decode_answer(context, read, answer, any_server, protocol::decode_authority, shown.problem);
}

bool has_member(const Discovery& discovery, const protocol::RecordedMember& member) {
    return std::ranges::any_of(discovery.speakers, [&](const Discovery::Speaker& speaker) {
        const auto& facts = speaker.facts;
        return facts.identity.server_uuid == member.server_uuid ||
               std::ranges::any_of(facts.clusters, [&](const protocol::ClusterRow& row) {
                   return row.cluster == discovery.cluster && row.host_name == member.at.host &&
                          row.port == member.at.port;
               });
    });
}

/// The name of the cluster under which a row that is no record stands for the target; nullopt: it is about
/// another table, or nothing tells what it is about. A damaged record holds its slot as any other does: what
/// it permitted may be under way.
template <class IsMember>
std::optional<std::string> damaged_record_of(
    const protocol::AuthorityRow& row,
    const Discovery& discovery,
    const protocol::TargetName& target,
    IsMember is_member
) {
    for (const Discovery::Speaker& speaker : discovery.speakers) {
        for (const std::string& name : names_of_cluster(discovery.cluster, speaker.facts.clusters)) {
            if (row.target_key == protocol::target_key(name, target)) {
                return name;
            }
        }
    }
    const auto claim = protocol::claim_of(row);
    const bool is_ours = claim && claim->target == target &&
                         (claim->members.empty() || std::ranges::any_of(claim->members, is_member));
    return is_ours ? std::optional(claim->cluster) : std::nullopt;
}

void collect(
    const protocol::AuthorityRows& rows,
    const Discovery& discovery,
    const protocol::TargetName& target,
    std::set<std::string>& records
) {
    for (const auto& row : rows.rows) {
        if (row.target_key == discovery.target_key) {
            continue;
        }
        const auto is_member = [&](const protocol::RecordedMember& member) {
            return has_member(discovery, member);
        };
        const auto record = protocol::decode_row(row);
        if (record) {
            if (record->target == target && std::ranges::any_of(record->members, is_member)) {
                records.insert(
                    record->cluster + ": operation " + row.operation_id + ", " +
                    std::string(protocol::text(record->phase))
                );
            }
        } else if (const auto cluster = damaged_record_of(row, discovery, target, is_member)) {
            records.insert(*cluster + ": a damaged one, " + record.error().detail);
        }
    }
}

bool some_rows(const std::vector<Shown>& shown) {
    return std::ranges::any_of(shown, [](const Shown& one) { return one.rows.has_value(); });
}

/// Empty where at least one showed rows, or none failed.
std::string first_problem(const std::vector<Shown>& shown) {
    const auto failed = std::ranges::find_if(shown, [](const Shown& one) { return !one.problem.empty(); });
    return some_rows(shown) || failed == shown.end() ? std::string() : failed->problem;
}

} // namespace

asio::awaitable<void> find_other_keys(
    Context& context,
    const Discovery& discovery,
    protocol::TargetName target,
    TimePoint deadline,
    OtherKeys& found
) {
    if (mutated(protocol::Mutant::alias_records_not_looked_for)) {
        co_return;
    }
    const auto statement = protocol::authority_all_statement(target.database);
    const auto& endpoints = context.cluster.endpoints;
    const std::size_t all = endpoints.size();
    const std::size_t first = std::min(asked_at_once, all > 1 ? all - 1 : all);
    std::vector<Shown> shown(all);
    auto executor = co_await asio::this_coro::executor;
    {
        TaskGroup group(executor);
        for (std::size_t i = 0; i < first; ++i) {
            group.spawn(ask_slots(context, endpoints[i], statement, deadline, shown[i]));
        }
        co_await group.join();
    }
    // Without rows and problems the table is not there yet; the admission after its creation asks again.
    std::string problem = first_problem(shown);
    for (std::size_t i = first; i < all && !problem.empty() && !some_rows(shown); ++i) {
        co_await ask_slots(context, endpoints[i], statement, deadline, shown[i]);
    }
    if (some_rows(shown)) {
        problem.clear();
    }
    std::set<std::string> records;
    for (const Shown& one : shown) {
        if (one.rows) {
            collect(*one.rows, discovery, target, records);
            const std::uint64_t count = one.rows->rows.size();
            found.of_all_targets = std::max(found.of_all_targets.value_or(0), count);
        }
    }
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
        throw boost::system::system_error(asio::error::operation_aborted);
    }
    found.problem = std::move(problem);
    found.records.assign(records.begin(), records.end());
}

} // namespace onceswap::engine
