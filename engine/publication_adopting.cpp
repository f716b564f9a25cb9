// An existing table becomes the candidate: one RENAME, sent at most once, and what it came to is read from
// the members' catalogues by the table's uuid.
#include "engine/adoption.hpp"
#include "engine/backoff.hpp"
#include "engine/ddl.hpp"
#include "engine/deadline.hpp"
#include "engine/publication.hpp"
#include "engine/queue.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/leading_refusal.hpp"
#include "protocol/statements.hpp"

#include <map>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;
using protocol::Outcome;
using protocol::RowResult;

namespace {

/// What the queue says of the setup statements of this operation, whichever try sent them.
struct SetupEntries {
    SetupEntries() = default;
    bool all_over = true;  ///< every member answered, and every entry is over on every host
    bool own_over = false; ///< the entry with the token is over on every host
    std::string problem;   ///< why not, or how one ended
};

static_assert(!std::is_aggregate_v<SetupEntries>);

void take_in(
    SetupEntries& entries,
    const protocol::Inventory& inventory,
    const std::vector<protocol::QueueRow>& rows,
    const std::string& token
) {
    const auto reading = protocol::read_entry(inventory, rows.front().entry, rows);
    const bool over = reading.aggregate == RowResult::success || reading.aggregate == RowResult::failure;
    const auto comment = rows.front().settings.find("log_comment");
    const bool own = !token.empty() && comment != rows.front().settings.end() && comment->second == token;
    entries.own_over = entries.own_over || (own && over);
    if (!over) {
        entries.all_over = false;
        entries.problem = reading.entry + " is not over on every member";
    }
    for (const auto& host : reading.members) {
        if (own && host.result == RowResult::failure) {
            entries.problem = protocol::text(host.at) + " refused the RENAME with code " +
                              std::to_string(host.code) + ": " +
                              protocol::digest_exception(host.exception_text).head;
        }
    }
}

SetupEntries conclude(
    const protocol::Inventory& inventory, const std::vector<QueueAnswer>& answers, const std::string& token
) {
    SetupEntries entries;
    for (const QueueAnswer& answer : answers) {
        if (!answer.reading.readable) {
            entries.all_over = false;
            entries.problem = protocol::text(answer.at) + ": " + answer.reading.problem;
            continue;
        }
        std::map<std::string, std::vector<protocol::QueueRow>> by_entry;
        for (const protocol::QueueRow& row : answer.reading.rows) {
            by_entry[row.entry].push_back(row);
        }
        for (const auto& [entry, rows] : by_entry) {
            take_in(entries, inventory, rows, token);
        }
    }
    return entries;
}

} // namespace

asio::awaitable<protocol::Result<FoundAdoptee>> ask_for_adoptee(
    Context& context,
    const Admitted& admitted,
    const PublishRequest& request,
    std::string target_key,
    std::string operation_id,
    std::string old_name
) {
    std::vector<std::string> names{old_name};
    for (const protocol::NamedTable& table : admitted.leftovers) {
        names.push_back(table.name);
    }
    Catalog catalog(context);
    CatalogQuestion question(request.target.database, std::move(names));
    auto evidence = co_await catalog.read_all(admitted.members, std::move(question), request.deadline);
    const auto adoptee = identify_adoptee(evidence, admitted.leftovers, target_key, operation_id, old_name);
    if (!adoptee) {
        co_return adoptee.error();
    }
    FoundAdoptee found;
    found.adoptee = *adoptee;
    found.place = find_adoptee(evidence, *adoptee, admitted.members.size()).place;
    co_return found;
}

/// Where the table is, once that is settled: under our name on every member, or, before this try has sent
/// anything, under its old one with nothing of an earlier try under way. Else ended, with who has which name.
asio::awaitable<bool> Publication::is_renamed(const Adoptee& adoptee, const std::string& token) {
    const TimePoint until = earlier_of(
        context_.clock,
        context_.limits.visibility_wait + context_.limits.distributed_ddl_task_timeout,
        request_.deadline
    );
    Catalog catalog(context_);
    Queue queue(context_);
    Backoff backoff(context_.limits.poll_initial, context_.limits.poll_max);
    using Place = Whereabouts::Place;
    while (true) {
        // The queue first: what is over there shows in catalogues that are read afterwards.
        auto prefix = protocol::token_prefix(operation_id_);
        auto answers = co_await queue.read_by_prefix(admitted_.members, std::move(prefix), request_.deadline);
        const SetupEntries entries = conclude(admitted_.inventory(), answers, token);
        std::vector<std::string> names{adoptee.old_name, adoptee.new_name};
        CatalogQuestion question(request_.target.database, std::move(names));
        auto evidence = co_await catalog.read_all(admitted_.members, std::move(question), request_.deadline);
        const Whereabouts where = find_adoptee(evidence, adoptee, admitted_.members.size());
        if (where.place == Place::after) {
            co_return true;
        }
        if (where.place == Place::before && token.empty() && entries.all_over) {
            co_return false;
        }
        const std::string why =
            where.layout + (entries.problem.empty() ? std::string() : "; " + entries.problem);
        if (where.place == Place::foreign) {
            end(Code::generation_diverged, why);
            co_return false;
        }
        const TimePoint next = context_.clock.now() + backoff.next(context_.entropy);
        const bool failed = entries.own_over && where.place != Place::unknown;
        if (failed || next >= until) {
            end(Code::candidate_not_ready, why);
            co_return false;
        }
        co_await context_.clock.wait_until(next);
    }
}

/// Everything that a candidate must be, under whichever name it has now. Rows that others still write are
/// waited for: the count is taken anew until it stands, within candidate_wait.
asio::awaitable<void> Publication::converge(StagedCandidate& table, std::chrono::milliseconds patience) {
    const TimePoint until = earlier_of(context_.clock, context_.limits.candidate_wait, request_.deadline);
    const std::string& database = request_.target.database;
    while (true) {
        auto rows = co_await measure_rows(context_, admitted_, table, database, request_.deadline);
        if (!rows) {
            end(rows.error());
            co_return;
        }
        table.staged_rows = *rows;
        auto admission =
            co_await admit_staged(context_, admitted_, table, request_.target, patience, request_.deadline);
        if (!admission.refused()) {
            generation_ = admission.candidate;
            co_return;
        }
        const protocol::Finding* first = protocol::leading_refusal(admission.findings);
        const bool may_pass = first != nullptr && first->code == Code::candidate_not_ready;
        auto again = protocol::Result<std::uint64_t>(*rows);
        if (may_pass && context_.clock.now() < until) {
            again = co_await measure_rows(context_, admitted_, table, database, request_.deadline);
        }
        const bool written_to = !again || *again != *rows;
        if (!written_to || context_.clock.now() >= until) {
            refuse(admission.findings);
            co_return;
        }
    }
}

/// Under its old name it must be all that a candidate must be, before anything is sent.
asio::awaitable<void> Publication::prove_adoptee(const Adoptee& adoptee) {
    step("admission of the table to adopt");
    StagedCandidate table;
    table.name = adoptee.old_name;
    table.uuid = adoptee.uuid;
    table.with_final = candidate_.with_final;
    const auto patience = context_.limits.visibility_wait;
    co_await converge(table, patience);
    if (ended_) {
        co_return;
    }
    auto hazards =
        co_await admit_publication(context_, discovery_, request_, operation_id_, adoptee.old_name);
    if (hazards.refused()) {
        refuse(hazards.admission.findings);
    }
}

asio::awaitable<void> Publication::rename_adoptee(const Adoptee& adoptee) {
    step("rename");
    const auto token =
        protocol::make_token(operation_id_, protocol::Action::setup, 0, context_.entropy.bytes16());
    protocol::DdlOptions options;
    options.token = token.text();
    options.distributed_ddl_task_timeout_s =
        static_cast<unsigned>(context_.limits.distributed_ddl_task_timeout.count());
    auto statement = protocol::rename_statement(
        protocol::StatementKind::rename_adopt,
        request_.target.database,
        adoptee.old_name,
        adoptee.new_name,
        admitted_.inventory().cluster(),
        options
    );
    Ddl ddl(context_);
    const TimePoint answer_by =
        earlier_of(context_.clock, context_.limits.mutation_timeout, request_.deadline);
    auto way = co_await ddl.prepare(admitted_.members.front(), answer_by);
    SetupPermit permit(token);
    auto hosts = hosts_of(admitted_.members);
    candidate_.requested = way.open();
    auto sent = co_await ddl.execute_once(
        std::move(permit), std::move(way), std::move(statement), std::move(hosts), answer_by
    );
    if (sent.outcome == Outcome::rejected || sent.outcome == Outcome::not_sent) {
        candidate_.requested = false;
        end(sent.problem);
        co_return;
    }
    const std::string sent_token = token.text();
    co_await is_renamed(adoptee, sent_token);
}

/// Which table it is and how far earlier tries have come, before anything is sent: a statement that would
/// stand behind one of theirs could only wait for it.
asio::awaitable<void> Publication::look_for_adoptee() {
    step("adopt");
    auto found = co_await ask_for_adoptee(
        context_, admitted_, request_, discovery_.target_key, operation_id_, adopted_from_
    );
    if (!found && found.error().code == Code::candidate_not_ready) {
        // Under neither name: an earlier try's RENAME may have run since admission looked for ours. What is
        // gone from the old name by then is shown by a search that begins now.
        admitted_ = co_await admit_publication(context_, discovery_, request_, operation_id_, std::string());
        if (admitted_.refused()) {
            refuse(admitted_.admission.findings);
            co_return;
        }
        found = co_await ask_for_adoptee(
            context_, admitted_, request_, discovery_.target_key, operation_id_, adopted_from_
        );
    }
    if (!found) {
        end(found.error());
        co_return;
    }
    adoptee_ = found->adoptee;
    candidate_.name = adoptee_.new_name;
    candidate_.uuid = adoptee_.uuid;
    const std::string& engine = admitted_.admission.target->engine_full; // admission B demands the same one
    candidate_.with_final = protocol::is_merging_engine(engine.substr(0, engine.find('(')));
    const std::string nothing_sent;
    const bool renamed = co_await is_renamed(adoptee_, nothing_sent);
    if (!ended_ && !renamed) {
        co_await prove_adoptee(adoptee_);
    }
}

/// The table gets our name, unless it has it, and is proven under it.
asio::awaitable<void> Publication::adopt() {
    const std::string nothing_sent;
    const bool renamed = co_await is_renamed(adoptee_, nothing_sent);
    if (!ended_ && !renamed) {
        co_await rename_adoptee(adoptee_);
    }
    if (ended_) {
        co_return;
    }
    candidate_.requested = true;
    step("admission of the candidate");
    const auto patience = context_.limits.candidate_wait;
    co_await converge(candidate_, patience);
}

asio::awaitable<protocol::Report> adopt(Context& context, PublishRequest request, std::string table) {
    request.dispatch = false;
    request.like = protocol::TargetName();
    Publication publication(context, std::move(request), StageFunction(), std::move(table));
    auto report = co_await publication.run();
    co_return report;
}

} // namespace onceswap::engine
