#include "tools/serving/mutations.hpp"

#include "protocol/digest.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace onceswap::serving {

namespace {

using protocol::Action;
using protocol::AuthorityRecord;
using protocol::DdlAttempt;
using protocol::HostPort;
using protocol::QueueReading;
using protocol::QueueRow;
using protocol::RowResult;

constexpr std::size_t operation_digits = 20;

struct Attempt {
    Action action = Action::publish;
    const DdlAttempt* attempt = nullptr;
    std::int64_t until = 0; ///< the permit was written then or before
};

void append(std::vector<Attempt>& all, Action action, const std::vector<DdlAttempt>& attempts) {
    for (const DdlAttempt& attempt : attempts)
        all.push_back({action, &attempt, 0});
}

/// The record's attempts by epoch, each bound by what can only have been written after it.
std::vector<Attempt> attempts_of(const AuthorityRecord& record) {
    std::vector<Attempt> all;
    if (record.publication)
        all.push_back({Action::publish, &*record.publication, 0});
    append(all, Action::aside, record.set_aside);
    append(all, Action::cleanup, record.cleanup);
    append(all, Action::retire, record.retire);
    std::ranges::sort(all, {}, [](const Attempt& one) { return std::pair(one.attempt->epoch, one.action); });
    std::int64_t until = record.updated_at;
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
        if (one->attempt->receipt)
            until = std::min(until, one->attempt->receipt->observed_at);
        one->until = until;
    }
    return all;
}

std::string outcome_text(std::int64_t code) {
    return code == 0 ? "success" : "code " + std::to_string(code);
}

/// One entry with one token, as all readings together show it.
struct Entry {
    protocol::CorrelationToken token;
    std::string token_text;
    std::int64_t created_at = 0;
    bool digest_differs = false;
    std::map<HostPort, std::set<std::int64_t>> ended; ///< codes; more than one contradict each other
};

class Teller {
  public:
    Teller(const AuthorityRecord& record, std::int64_t observed_at)
        : record_(record), observed_at_(observed_at), attempts_(attempts_of(record)) {}

    void take(const QueueRow& row) {
        const auto comment = row.settings.find("log_comment");
        if (comment == row.settings.end())
            return;
        const auto token = protocol::CorrelationToken::parse(comment->second);
        if (!token || token->operation != operation())
            return;
        Entry& entry = entries_[{row.entry, comment->second}];
        const bool first = entry.token_text.empty();
        entry.token = *token;
        entry.token_text = comment->second;
        entry.created_at = first ? row.query_create_time : std::min(entry.created_at, row.query_create_time);
        if (const Attempt* of = attempt_with(entry.token_text); of != nullptr)
            entry.digest_differs =
                entry.digest_differs || (!of->attempt->query_digest.empty() &&
                                         protocol::sha256_hex(row.query) != of->attempt->query_digest);
        const RowResult result = protocol::normalize_row(row);
        const bool terminal = result == RowResult::success || result == RowResult::failure;
        if (terminal && row.host && row.port && is_member({*row.host, *row.port}))
            entry.ended[{*row.host, *row.port}].insert(row.exception_code.value_or(0));
    }

    std::vector<Mutation> tell() {
        for (const Attempt& one : attempts_)
            tell_recorded(one);
        for (const auto& [name, entry] : entries_)
            tell_queued(name.first, entry);
        std::ranges::sort(told_, [](const Mutation& a, const Mutation& b) {
            return std::tuple_cat(a.about(), std::tie(a.outcome)) <
                   std::tuple_cat(b.about(), std::tie(b.outcome));
        });
        return std::move(told_);
    }

  private:
    std::string operation() const { return record_.operation_id.substr(0, operation_digits); }

    bool is_member(const HostPort& at) const {
        return std::ranges::any_of(record_.members, [&](const auto& member) { return member.at == at; });
    }

    const Attempt* attempt_with(std::string_view token) const {
        const auto found =
            std::ranges::find_if(attempts_, [&](const Attempt& one) { return one.attempt->token == token; });
        return found == attempts_.end() ? nullptr : &*found;
    }

    Mutation& add(Action action, std::uint64_t epoch, Step step) {
        Mutation mutation;
        mutation.operation = operation();
        mutation.action = action;
        mutation.epoch = epoch;
        mutation.step = step;
        told_.push_back(std::move(mutation));
        return told_.back();
    }

    void tell_recorded(const Attempt& one) {
        const DdlAttempt& attempt = *one.attempt;
        add(one.action, attempt.epoch, Step::permitted).at = one.until;
        if (attempt.result != protocol::HolderResult::none) {
            Mutation& result = add(one.action, attempt.epoch, Step::result);
            result.outcome = protocol::text(attempt.result);
            result.at = one.until;
        }
        const bool seen = entries_.contains({attempt.entry, attempt.token});
        if (!attempt.entry.empty() && !seen) {
            Mutation& queued = add(one.action, attempt.epoch, Step::queued);
            queued.entry = attempt.entry;
            queued.at = one.until;
        }
        if (attempt.receipt)
            tell_receipt(one, *attempt.receipt);
    }

    void tell_receipt(const Attempt& one, const protocol::Receipt& receipt) {
        std::map<std::int64_t, std::vector<HostPort>> by_code;
        for (const protocol::HostReceipt& host : receipt.hosts)
            by_code[host.code].push_back(host.at);
        for (auto& [code, hosts] : by_code) {
            Mutation& ended = add(one.action, one.attempt->epoch, Step::ended);
            ended.entry = one.attempt->entry;
            ended.outcome = outcome_text(code);
            ended.hosts = std::move(hosts);
            ended.at = receipt.observed_at;
            ended.source = Source::receipt;
        }
    }

    void tell_queued(const std::string& name, const Entry& entry) {
        const Attempt* of = attempt_with(entry.token_text);
        Mutation& queued = add(entry.token.action, entry.token.epoch, Step::queued);
        queued.entry = name;
        queued.at = entry.created_at;
        queued.at_latest = false;
        queued.source = Source::queue;
        if (of == nullptr && entry.token.action != Action::setup)
            queued.outcome = "the record names no such statement";
        else if (of != nullptr && !of->attempt->entry.empty() && of->attempt->entry != name)
            queued.outcome = "another entry than the record's";
        else if (entry.digest_differs)
            queued.outcome = "its text is not the recorded one";
        if (of != nullptr && of->attempt->receipt && of->attempt->entry == name)
            return; // the record keeps how it ended
        std::map<std::int64_t, std::vector<HostPort>> by_code;
        for (const auto& [at, codes] : entry.ended)
            if (codes.size() == 1)
                by_code[*codes.begin()].push_back(at);
        for (auto& [code, hosts] : by_code) {
            Mutation& ended = add(entry.token.action, entry.token.epoch, Step::ended);
            ended.entry = name;
            ended.outcome = outcome_text(code);
            ended.hosts = std::move(hosts);
            ended.at = observed_at_;
            ended.source = Source::queue;
        }
    }

    const AuthorityRecord& record_;
    std::int64_t observed_at_;
    std::vector<Attempt> attempts_;
    std::map<std::pair<std::string, std::string>, Entry> entries_; ///< by name and token
    std::vector<Mutation> told_;
};

/// Takes what is new of `fresh` into the one that is known.
void learn(Mutation& known, const Mutation& fresh) {
    if (fresh.source == Source::queue || known.source != Source::queue)
        known.outcome = fresh.outcome; // the record alone does not know what the queue showed
    const bool stated_now = known.at_latest && !fresh.at_latest;
    const bool tighter = known.at_latest == fresh.at_latest && fresh.at < known.at;
    if (stated_now || tighter) {
        known.at = fresh.at;
        known.at_latest = fresh.at_latest;
        known.source = fresh.source;
    }
}

/// Hosts of `fresh` of which nothing is known.
std::vector<HostPort> new_hosts(const std::vector<Mutation>& kept, const Mutation& fresh) {
    std::vector<HostPort> hosts;
    for (const HostPort& host : fresh.hosts)
        if (std::ranges::none_of(kept, [&](const Mutation& known) {
                return known.about() == fresh.about() && known.outcome == fresh.outcome &&
                       std::ranges::find(known.hosts, host) != known.hosts.end();
            }))
            hosts.push_back(host);
    return hosts;
}

void take(std::vector<Mutation>& kept, const Mutation& fresh) {
    if (fresh.step == Step::ended) {
        Mutation more = fresh;
        more.hosts = new_hosts(kept, fresh);
        if (!more.hosts.empty())
            kept.push_back(std::move(more));
        return;
    }
    const auto known =
        std::ranges::find_if(kept, [&](const Mutation& one) { return one.about() == fresh.about(); });
    if (known == kept.end())
        kept.push_back(fresh);
    else
        learn(*known, fresh);
}

} // namespace

std::string_view text(Step step) {
    switch (step) {
    case Step::permitted:
        return "permitted";
    case Step::result:
        return "result";
    case Step::queued:
        return "queued";
    case Step::ended:
        return "ended";
    }
    return "permitted";
}

std::string_view text(Source source) {
    switch (source) {
    case Source::record:
        return "record";
    case Source::receipt:
        return "receipt";
    case Source::queue:
        return "queue";
    }
    return "record";
}

std::vector<Mutation> mutations_of(
    const AuthorityRecord& record, std::span<const QueueReading> readings, std::int64_t observed_at
) {
    Teller teller(record, observed_at);
    for (const QueueReading& reading : readings)
        if (reading.readable)
            for (const QueueRow& row : reading.rows)
                teller.take(row);
    return teller.tell();
}

bool merge_mutations(std::vector<Mutation>& kept, const std::vector<Mutation>& fresh, std::size_t most) {
    for (const Mutation& one : fresh)
        take(kept, one);
    // Operations stay in the order in which they were seen; within one, epochs only grow.
    std::vector<std::string> operations;
    for (const Mutation& one : kept)
        if (std::ranges::find(operations, one.operation) == operations.end())
            operations.push_back(one.operation);
    const auto place = [&](const Mutation& one) { return std::ranges::find(operations, one.operation); };
    std::ranges::sort(kept, [&](const Mutation& a, const Mutation& b) {
        return std::tuple(place(a), a.epoch, a.action, a.entry, a.step, a.at, a.outcome, a.hosts) <
               std::tuple(place(b), b.epoch, b.action, b.entry, b.step, b.at, b.outcome, b.hosts);
    });
    if (kept.size() <= most)
        return false;
    kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(most));
    return true;
}

} // namespace onceswap::serving
