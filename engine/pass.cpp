#include "engine/pass.hpp"

#include "engine/action_statement.hpp"
#include "engine/catalog.hpp"
#include "engine/queue.hpp"
#include "engine/task_group.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/mutant.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Phase;
using protocol::QueueEvidence;
using protocol::RecordStanding;

namespace {

/// An entry of the operation in the queue although its record says that nothing was dispatched.
protocol::QueueConclusion conclude_undispatched(const std::vector<QueueAnswer>& answers) {
    protocol::QueueConclusion conclusion;
    for (const QueueAnswer& answer : answers) {
        if (!answer.reading.readable) {
            conclusion.problems.push_back(protocol::text(answer.at) + ": " + answer.reading.problem);
            continue;
        }
        if (conclusion.evidence == QueueEvidence::unreadable) {
            conclusion.evidence = QueueEvidence::none;
        }
        const auto entry = dispatched_entry(answer.reading.rows);
        if (!entry.empty() && !mutated(protocol::Mutant::dispatched_entry_ignored)) {
            conclusion.evidence = QueueEvidence::several;
            conclusion.problems.push_back("entry " + entry + " of this operation, which dispatched nothing");
        }
    }
    return conclusion;
}

const protocol::MemberEvidence& answer_of(const PassFacts& facts, const BoundMember& member) {
    return *std::ranges::find_if(facts.answers, [&](const protocol::MemberEvidence& answer) {
        return answer.at == member.member.at;
    });
}

} // namespace

std::string dispatched_entry(const std::vector<protocol::QueueRow>& rows) {
    for (const protocol::QueueRow& row : rows) {
        const auto comment = row.settings.find("log_comment");
        if (comment == row.settings.end()) {
            continue;
        }
        const auto token = protocol::CorrelationToken::parse(comment->second);
        if (!token || token->action != protocol::Action::setup) {
            return row.entry;
        }
    }
    return {};
}

Passes::Passes(Context& context, protocol::TargetName target, TimePoint deadline)
    : context_(context), target_(std::move(target)), deadline_(deadline),
      backoff_(context.limits.poll_initial, context.limits.poll_max) {}

bool Passes::out_of_time() const {
    return context_.clock.now() >= deadline_;
}

Duration Passes::unchanged_for() const {
    return context_.clock.now() - known_since_;
}

void Passes::keep(VersionedRecord current) {
    const protocol::DdlAttempt* attempt = protocol::current_attempt(current.record);
    if (attempt == nullptr || attempt->token != terminal_token_) {
        terminal_token_.clear();
    }
    if (!known_ || known_->row != current.row) {
        known_since_ = context_.clock.now();
        backoff_.reset();
    }
    known_ = std::move(current);
}

void Passes::moved(const VersionedRecord& now) {
    keep(now);
    last_.current = now;
    members_ = bind_members(discovery_, known_->record);
}

void Passes::holder_saw(std::string token, protocol::HolderResult result) {
    holder_token_ = std::move(token);
    holder_result_ = result;
}

bool Passes::members_missing() const {
    return known_ && members_.size() < known_->record.members.size();
}

asio::awaitable<void> Passes::find_members() {
    auto found = co_await discover(context_, target_, deadline_);
    begin_with(std::move(found));
}

void Passes::begin_with(Discovery discovery) {
    discovery_ = std::move(discovery);
    discovered_ = true;
    reading_ = discovery_.authority;
    reading_began_ = discovery_.observed_at;
    if (reading_.standing == RecordStanding::valid && reading_.current &&
        (!known_ || reading_.current->version() >= known_->version())) {
        keep(*reading_.current);
    }
    if (known_) {
        members_ = bind_members(discovery_, known_->record);
    }
}

asio::awaitable<void> Passes::read_catalogues(std::vector<BoundMember> members, PassFacts& facts) {
    const protocol::AuthorityRecord& record = facts.current.record;
    std::vector<std::string> tables{record.target.table, record.candidate, record.aside};
    CatalogQuestion question(record.target.database, std::move(tables), record.target_key);
    Catalog catalog(context_);
    auto answers = co_await catalog.read_all(std::move(members), std::move(question), deadline_);
    facts.answers = std::move(answers);
}

asio::awaitable<void>
Passes::read_queue(std::vector<BoundMember> members, PassFacts& facts, bool everywhere) {
    const protocol::AuthorityRecord& record = facts.current.record;
    Queue queue(context_);
    if (record.phase == Phase::prepared) {
        auto prefix = protocol::token_prefix(record.operation_id);
        auto answers = co_await queue.read_by_prefix(std::move(members), std::move(prefix), deadline_);
        facts.queue = conclude_undispatched(answers);
        co_return;
    }
    const auto expected = expected_entry(record, context_.limits);
    const auto inventory = inventory_of(record);
    const protocol::DdlAttempt* attempt = protocol::current_attempt(record);
    if (!expected || !inventory) {
        facts.queue.evidence = QueueEvidence::none;
        co_return;
    }
    std::vector<QueueAnswer> answers;
    if (attempt->receipt) {
        // What is persisted needs no queue; the queue may have forgotten it.
    } else if (everywhere) {
        answers = co_await queue.read_by_token(std::move(members), expected->token, deadline_);
    } else {
        answers = co_await queue.look_up(std::move(members), expected->token, deadline_);
    }
    const auto readings = readings_of(answers);
    facts.queue = protocol::conclude_queue(*inventory, *expected, attempt->receipt, readings);
}

bool Passes::still_stands(const PassFacts& facts, const AuthorityReading& reading) {
    reading_ = reading;
    reading_began_ = facts.observed_at;
    if (!reading.readable || !reading.row) {
        return false;
    }
    if (reading.standing == RecordStanding::valid && reading.current) {
        if (reading.current->row == facts.current.row) {
            return true;
        }
        if (mutated(protocol::Mutant::changed_record_kept)) {
            return true;
        }
        if (reading.current->version() > facts.current.version()) {
            keep(*reading.current);
            members_ = bind_members(discovery_, known_->record);
        }
    }
    return false;
}

asio::awaitable<std::optional<Observation>> Passes::pass() {
    PassFacts facts;
    facts.current = *known_;
    facts.members = members_;
    facts.observed_at = context_.clock.wall_seconds();
    facts.gaps = discovery_.gaps;
    const protocol::DdlAttempt* attempt = protocol::current_attempt(facts.current.record);
    const std::string token = attempt == nullptr ? std::string() : attempt->token;
    if (!token.empty() && token == holder_token_) {
        facts.holder_result = holder_result_;
    }
    const bool terminal_before =
        attempt != nullptr && (attempt->receipt.has_value() || token == terminal_token_);
    // The order of evidence: catalogues that were asked before a terminal reading was complete say nothing
    // about it. So the queue comes first where the attempt may have ended since.
    const bool queue_first = attempt != nullptr && !terminal_before &&
                             !mutated(protocol::Mutant::old_catalogue_with_terminal_reading);
    bool everywhere = terminal_before;
    if (queue_first) {
        co_await read_queue(members_, facts, false);
        if (protocol::is_terminal(facts.queue.evidence)) {
            terminal_token_ = token;
            everywhere = true;
        }
    }
    auto executor = co_await asio::this_coro::executor;
    {
        TaskGroup group(executor);
        group.spawn(read_catalogues(members_, facts));
        // Once a terminal reading was asked of every member, a later one of fewer must not be believed
        // instead.
        if (everywhere || !queue_first) {
            group.spawn(read_queue(members_, facts, everywhere));
        }
        co_await group.join();
    }
    const auto reading = conclude_slot(facts.current.record.target_key, members_, facts.answers);
    if (!still_stands(facts, reading)) {
        co_return std::nullopt;
    }
    facts.gaps.insert(facts.gaps.end(), reading.gaps.begin(), reading.gaps.end());
    facts.gaps.insert(facts.gaps.end(), reading.laggards.begin(), reading.laggards.end());
    // Whoever answers as another server has lost its endpoint: it is looked for again before the next pass.
    std::vector<BoundMember> present;
    for (std::size_t i = 0; i < facts.answers.size(); ++i) {
        if (facts.answers[i].catalogue) {
            present.push_back(members_[i]);
        }
    }
    facts.members = members_;
    auto seen = judge(facts);
    seen.members = present;
    for (const BoundMember& member : present) {
        const auto& answer = answer_of(facts, member);
        if (answer.keeper && answer.keeper->authority && *answer.keeper->authority == facts.current.row) {
            seen.writers.push_back(member);
        }
    }
    members_ = std::move(present);
    co_return seen;
}

} // namespace onceswap::engine
