// Every slot of a database.
#include "engine/member_read.hpp"
#include "engine/publish.hpp"
#include "engine/refused_read.hpp"
#include "protocol/payload_codec.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;

namespace {

protocol::Report
unreadable_slot(const Context& context, const std::string& database, const protocol::AuthorityRow& row) {
    constexpr std::size_t shown_digits = 12;
    protocol::Report report;
    report.cluster = context.cluster.name;
    report.target.database = database;
    report.observed_at = context.clock.wall_seconds();
    report.record_version = row.version;
    protocol::VerdictInput input;
    input.record = protocol::RecordStanding::invalid;
    report.verdict = protocol::classify(input);
    report.verdict.detail = "slot " + row.target_key.substr(0, shown_digits);
    return report;
}

Slots sort_out(const Context& context, const std::string& database, const protocol::AuthorityRows& rows) {
    Slots slots;
    for (const protocol::AuthorityRow& row : rows.rows) {
        const auto record = protocol::decode_row(row);
        if (record) {
            slots.targets.push_back(record->target);
            continue;
        }
        auto report = unreadable_slot(context, database, row);
        report.verdict.detail += ": " + record.error().detail;
        slots.unreadable.push_back(std::move(report));
    }
    std::ranges::sort(slots.targets);
    std::ranges::sort(slots.unreadable, {}, [](const protocol::Report& report) {
        return report.verdict.detail;
    });
    return slots;
}

} // namespace

asio::awaitable<protocol::Result<Slots>>
list_targets(Context& context, std::string database, TimePoint deadline) {
    Failure why(Code::connection_failed, "no endpoint was given");
    std::size_t without_table = 0;
    for (const http::Endpoint& endpoint : context.cluster.endpoints) {
        MemberRead read(endpoint, endpoint.text(), protocol::authority_all_statement(database), true);
        read.quiet = true; // a database without publications is no gap
        const MemberAnswer answer = co_await read_once(context, read, deadline);
        if (is_unknown_table(answer)) {
            ++without_table; // nowhere, or on this member alone: the others say
            continue;
        }
        if (!answer.body) {
            const Code code =
                answer.exception ? code_of_refused_read(answer.exception->code) : Code::connection_failed;
            why = Failure(code, answer.problem);
            read.quiet = false;
            report_gap(context, read, answer.problem);
            continue;
        }
        const auto rows = protocol::decode_authority(*answer.body);
        if (!rows) {
            why = rows.error();
            continue;
        }
        co_return sort_out(context, database, *rows);
    }
    if (without_table > 0 && without_table == context.cluster.endpoints.size()) {
        co_return Slots();
    }
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
        throw boost::system::system_error(asio::error::operation_aborted);
    }
    co_return why;
}

} // namespace onceswap::engine
