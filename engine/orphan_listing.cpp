// What tables of ours a database holds, and what its records say of them.
#include "engine/member_read.hpp"
#include "engine/orphans.hpp"
#include "engine/task_group.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;

namespace {

const protocol::Uuid any_server;

/// What one endpoint said. A part that did not come is nullopt with its problem.
struct DatabaseAnswer {
    DatabaseAnswer() = default;
    http::Endpoint endpoint;
    std::optional<protocol::CapabilityFacts> tables;
    std::string tables_problem;
    std::optional<protocol::AuthorityRows> records;
    std::string records_problem;
};

static_assert(!std::is_aggregate_v<DatabaseAnswer>);

/// A database without the authority table has no records: that is an answer.
asio::awaitable<void> ask_records(
    Context& context, DatabaseAnswer& of_endpoint, protocol::Statement statement, TimePoint deadline
) {
    const MemberRead read(of_endpoint.endpoint, of_endpoint.endpoint.text(), std::move(statement), true);
    const MemberAnswer answer = co_await read_once(context, read, deadline);
    if (is_unknown_table(answer)) {
        of_endpoint.records.emplace();
        co_return;
    }
    of_endpoint.records = decode_answer(
        context, read, answer, any_server, protocol::decode_authority, of_endpoint.records_problem
    );
}

/// The newest row of every slot; a stale follower shows an older one.
std::map<std::string, protocol::AuthorityRow> newest_rows(const std::vector<DatabaseAnswer>& answers) {
    std::map<std::string, protocol::AuthorityRow> rows;
    for (const DatabaseAnswer& answer : answers) {
        if (!answer.records) {
            continue;
        }
        for (const protocol::AuthorityRow& row : answer.records->rows) {
            const auto known = rows.find(row.target_key);
            if (known == rows.end() || known->second.version < row.version) {
                rows[row.target_key] = row;
            }
        }
    }
    return rows;
}

protocol::ShownTables shown_by(const DatabaseAnswer& answer, const std::string& database) {
    protocol::ShownTables shown;
    shown.endpoint = answer.endpoint.text();
    for (const protocol::TableRow& table : answer.tables->ours) {
        if (table.database == database) {
            shown.tables.emplace_back(table.name, table.uuid);
        }
    }
    return shown;
}

/// A member that does not answer fails both questions in the same words, which are said once.
void append_gap(std::vector<std::string>& gaps, const DatabaseAnswer& answer, const std::string& problem) {
    const std::string gap = answer.endpoint.text() + ": " + problem;
    if (!problem.empty() && std::ranges::find(gaps, gap) == gaps.end()) {
        gaps.push_back(gap);
    }
}

} // namespace

asio::awaitable<protocol::Result<OrphanListing>>
list_orphans(Context& context, std::string database, TimePoint deadline) {
    const auto tables = protocol::capabilities_statement(database, protocol::own_prefix);
    const auto records = protocol::authority_all_statement(database);
    auto executor = co_await asio::this_coro::executor;
    std::vector<DatabaseAnswer> answers(context.cluster.endpoints.size());
    TaskGroup group(executor);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        answers[i].endpoint = context.cluster.endpoints[i];
        const http::Endpoint& endpoint = answers[i].endpoint;
        group.spawn(read_into(
            context,
            MemberRead(endpoint, endpoint.text(), tables, false),
            deadline,
            any_server,
            protocol::decode_capabilities,
            answers[i].tables,
            answers[i].tables_problem
        ));
        group.spawn(ask_records(context, answers[i], records, deadline));
    }
    co_await group.join();

    OrphanListing listing;
    std::vector<protocol::ShownTables> shown;
    bool some_records = false;
    for (const DatabaseAnswer& answer : answers) {
        append_gap(listing.gaps, answer, answer.tables_problem);
        append_gap(listing.gaps, answer, answer.records_problem);
        some_records = some_records || answer.records.has_value();
        if (answer.tables) {
            shown.push_back(shown_by(answer, database));
        }
    }
    if (shown.empty()) {
        const std::string why = listing.gaps.empty() ? "no endpoint was given" : listing.gaps.front();
        co_return Failure(Code::connection_failed, why);
    }
    std::vector<protocol::AuthorityRecord> known;
    for (const auto& [key, row] : newest_rows(answers)) {
        auto record = protocol::decode_row(row);
        if (record) {
            known.push_back(std::move(*record));
        } else {
            listing.unreadable.push_back("slot " + key.substr(0, 12) + ": " + record.error().detail);
        }
    }
    listing.tables = protocol::list_tables(known, some_records && listing.unreadable.empty(), shown);
    co_return listing;
}

} // namespace onceswap::engine
