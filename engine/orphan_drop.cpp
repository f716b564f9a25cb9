// One orphan, dropped by name and uuid.
#include "engine/action_statement.hpp"
#include "engine/backoff.hpp"
#include "engine/catalog.hpp"
#include "engine/ddl.hpp"
#include "engine/deadline.hpp"
#include "engine/operator_call.hpp"
#include "engine/orphans.hpp"
#include "engine/pass.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/statements.hpp"
#include "protocol/transitions_operator.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;
using protocol::Outcome;

namespace {

/// The members of the record that answered and show the name free.
std::vector<std::string> members_without(
    const protocol::AuthorityRecord& record,
    const std::vector<protocol::MemberEvidence>& evidence,
    const std::string& name
) {
    std::vector<std::string> free_on;
    for (const protocol::RecordedMember& member : record.members) {
        const auto answer = std::ranges::find(evidence, member.at, &protocol::MemberEvidence::at);
        if (answer != evidence.end() && answer->catalogue &&
            std::ranges::find(answer->catalogue->tables, name, &protocol::TableRow::name) ==
                answer->catalogue->tables.end())
            free_on.push_back(protocol::text(member.at));
    }
    return free_on;
}

class Drop {
  public:
    Drop(Context& context, Passes& passes, Pin pin, protocol::NamedTable orphan, OrphanDrop& done)
        : context_(context), passes_(passes), pin_(std::move(pin)), orphan_(std::move(orphan)), done_(done) {}

    asio::awaitable<void> run() {
        auto seen = co_await passes_.next();
        done_.report = seen.report;
        if (!seen.current || done_.report.stopped_by) {
            co_return;
        }
        const auto& record = seen.current->record;
        auto refusal = protocol::check_pin(record, seen.current->version(), pin_.operation_id, pin_.version);
        if (!refusal) {
            refusal = protocol::may_drop_orphan(record, orphan_);
        }
        if (refusal) {
            stop(done_.report, *refusal);
            co_return;
        }
        if (seen.members.empty()) {
            stop(done_.report, Code::outcome_unknown, "no member of the record answers");
            co_return;
        }
        co_await send(record, seen.members);
        if (done_.outcome == Outcome::not_sent || done_.outcome == Outcome::rejected) {
            co_return;
        }
        co_await look(record, seen.members);
    }

  private:
    asio::awaitable<std::vector<protocol::MemberEvidence>>
    read(const protocol::AuthorityRecord& record, std::vector<BoundMember> members, TimePoint deadline) {
        std::vector<std::string> names{orphan_.name};
        CatalogQuestion question(record.target.database, std::move(names));
        Catalog catalog(context_);
        auto evidence = co_await catalog.read_all(std::move(members), std::move(question), deadline);
        co_return evidence;
    }

    /// The way is open before the members are asked for the last time, so that the statement follows at once.
    asio::awaitable<void> send(const protocol::AuthorityRecord& record, std::vector<BoundMember> members) {
        const TimePoint until =
            earlier_of(context_.clock, context_.limits.mutation_timeout, passes_.deadline());
        Ddl ddl(context_);
        auto way = co_await ddl.prepare(members.front(), until);
        auto evidence = co_await read(record, members, until);
        const auto token =
            protocol::make_token(record.operation_id, protocol::Action::setup, 0, context_.entropy.bytes16());
        Failure why;
        auto permit = DiscardPermit::for_orphan(token, record, orphan_, evidence, why);
        if (!permit) {
            stop(done_.report, why);
            co_return;
        }
        protocol::DdlOptions options;
        options.token = token.text();
        options.distributed_ddl_task_timeout_s =
            static_cast<unsigned>(context_.limits.distributed_ddl_task_timeout.count());
        auto statement = protocol::drop_statement(
            protocol::StatementKind::drop_orphan,
            record.target.database,
            orphan_.name,
            record.cluster,
            options
        );
        auto hosts = hosts_of_record(record);
        auto sent = co_await ddl.execute_once(
            std::move(*permit), std::move(way), std::move(statement), std::move(hosts), until
        );
        done_.outcome = sent.outcome;
        if (sent.outcome != Outcome::acknowledged) {
            stop(done_.report, sent.problem);
        }
    }

    /// Until every member shows the name free: that is proof whatever the answer was.
    asio::awaitable<void> look(const protocol::AuthorityRecord& record, std::vector<BoundMember> members) {
        const TimePoint until =
            earlier_of(context_.clock, context_.limits.visibility_wait, passes_.deadline());
        Backoff backoff(context_.limits.poll_initial, context_.limits.poll_max);
        while (true) {
            auto evidence = co_await read(record, members, passes_.deadline());
            done_.free_on = members_without(record, evidence, orphan_.name);
            if (done_.free_on.size() == record.members.size()) {
                done_.gone = true;
                done_.report.stopped_by.reset();
                done_.report.stopped_detail.clear();
                co_return;
            }
            const TimePoint next = context_.clock.now() + backoff.next(context_.entropy);
            if (next >= until) {
                break;
            }
            co_await context_.clock.wait_until(next);
        }
        if (!done_.report.stopped_by) {
            stop(done_.report, Code::outcome_unknown, "a member still shows " + orphan_.name);
        }
    }

    Context& context_;
    Passes& passes_;
    Pin pin_;
    protocol::NamedTable orphan_;
    OrphanDrop& done_;
};

} // namespace

asio::awaitable<OrphanDrop> drop_orphan(
    Context& context, protocol::TargetName target, Pin pin, protocol::NamedTable orphan, TimePoint deadline
) {
    Passes passes(context, target, deadline);
    OrphanDrop done;
    done.report.target = target;
    Drop drop(context, passes, std::move(pin), std::move(orphan), done);
    bool cancelled = false;
    try {
        co_await drop.run();
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) {
            throw;
        }
        cancelled = true;
    }
    done.report = ended(passes, std::move(done.report), cancelled);
    co_return done;
}

} // namespace onceswap::engine
