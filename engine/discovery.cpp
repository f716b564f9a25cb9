#include "engine/discovery.hpp"

#include "engine/member_read.hpp"
#include "engine/refused_read.hpp"
#include "engine/task_group.hpp"
#include "protocol/row_decoding.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Code;
using protocol::Failure;

namespace {

/// What one endpoint said. A part that did not come is nullopt with its problem.
struct EndpointAnswer {
    EndpointAnswer() = default;
    http::Endpoint endpoint;
    std::optional<protocol::CatalogueFacts> catalogue;
    std::string catalogue_problem;
    std::optional<protocol::ServerException> refusal; ///< of the catalogue, by the server itself
    std::optional<protocol::AuthorityRows> authority;
    std::string authority_problem;
};

static_assert(!std::is_aggregate_v<EndpointAnswer>);

const protocol::Uuid any_server;

asio::awaitable<void>
ask_catalogue(Context& context, EndpointAnswer& of_endpoint, protocol::Statement statement, TimePoint until) {
    MemberRead read(of_endpoint.endpoint, of_endpoint.endpoint.text(), std::move(statement), false);
    const MemberAnswer answer = co_await read_once(context, read, until);
    of_endpoint.refusal = answer.exception;
    of_endpoint.catalogue = decode_answer(
        context, read, answer, any_server, protocol::decode_catalogue, of_endpoint.catalogue_problem
    );
}

/// Quiet: before the first publication there is no authority table to read.
asio::awaitable<void>
ask_record(Context& context, EndpointAnswer& of_endpoint, protocol::Statement statement, TimePoint until) {
    MemberRead read(of_endpoint.endpoint, of_endpoint.endpoint.text(), std::move(statement), true);
    read.quiet = true;
    const MemberAnswer answer = co_await read_once(context, read, until);
    if (!answer.body) {
        of_endpoint.authority_problem = answer.problem;
        co_return;
    }
    of_endpoint.authority = decode_answer(
        context, read, answer, any_server, protocol::decode_authority, of_endpoint.authority_problem
    );
}

asio::awaitable<std::vector<EndpointAnswer>> ask_all(
    Context& context,
    protocol::TargetName target,
    std::string target_key,
    bool with_catalogue,
    TimePoint deadline
) {
    std::vector<EndpointAnswer> answers(context.cluster.endpoints.size());
    const std::vector<std::string> tables{target.table, std::string(protocol::authority_table)};
    const auto catalogue = protocol::catalogue_statement(target.database, tables);
    const auto record = protocol::authority_row_statement(target.database, target_key);
    auto executor = co_await asio::this_coro::executor;
    TaskGroup group(executor);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        answers[i].endpoint = context.cluster.endpoints[i];
        if (with_catalogue) {
            group.spawn(ask_catalogue(context, answers[i], catalogue, deadline));
        }
        group.spawn(ask_record(context, answers[i], record, deadline));
    }
    co_await group.join();
    co_return answers;
}

/// The transport's own problems name the endpoint, those of decoding do not.
std::string named(const http::Endpoint& endpoint, const std::string& problem) {
    const std::string name = endpoint.text();
    return problem.starts_with(name) ? problem : name + ": " + problem;
}

bool shows_authority_table(const protocol::CatalogueFacts& facts) {
    return std::ranges::any_of(facts.tables, [](const protocol::TableRow& table) {
        return table.name == protocol::authority_table;
    });
}

/// A member without the authority table answers that it has none: that is an answer.
SlotAnswer slot_answer(const EndpointAnswer& answer) {
    SlotAnswer slot;
    slot.at = protocol::HostPort{answer.endpoint.host(), answer.endpoint.port()};
    if (answer.authority) {
        slot.answered = true;
        if (!answer.authority->rows.empty()) {
            slot.row = answer.authority->rows.front();
        }
    } else if (answer.catalogue && !shows_authority_table(*answer.catalogue)) {
        slot.answered = true;
    } else {
        slot.problem = answer.authority_problem;
    }
    return slot;
}

/// What the servers that answered say about the slot. One that did not may be a server of the record, so that
/// nobody's record is called foreign before every endpoint has said which server it is.
AuthorityReading conclude(const std::string& key, const std::vector<EndpointAnswer>& answers) {
    std::vector<protocol::Uuid> servers;
    std::vector<SlotAnswer> slots;
    for (const EndpointAnswer& answer : answers) {
        if (answer.catalogue) {
            servers.push_back(answer.catalogue->identity.server_uuid);
        }
        slots.push_back(slot_answer(answer));
    }
    auto reading = conclude_slot(key, servers, slots);
    if (reading.standing != protocol::RecordStanding::foreign || servers.size() == answers.size()) {
        return reading;
    }
    AuthorityReading unproven;
    unproven.gaps = std::move(reading.gaps);
    unproven.gaps.push_back(
        reading.problem.detail + ", but " + std::to_string(answers.size() - servers.size()) + " of " +
        std::to_string(answers.size()) + " endpoints did not say which servers they are"
    );
    return unproven;
}

} // namespace

std::vector<std::string>
names_of_cluster(std::string_view cluster, const std::vector<protocol::ClusterRow>& rows) {
    std::vector<std::string> names;
    const auto ours = protocol::Inventory::from_rows(cluster, rows);
    if (!ours) {
        return names;
    }
    std::set<std::string> all;
    for (const auto& row : rows) {
        all.insert(row.cluster);
    }
    for (const std::string& name : all) {
        const auto other = protocol::Inventory::from_rows(name, rows);
        if (other && other->members() == ours->members()) {
            names.push_back(name);
        }
    }
    return names;
}

/// Where no member could be understood: a server's own refusal says more than a connection that failed, and
/// one that does not know what it was asked says which version it is.
asio::awaitable<Failure> why_refused(
    Context& context, const std::vector<EndpointAnswer>& answers, Failure otherwise, TimePoint deadline
) {
    for (const EndpointAnswer& answer : answers) {
        if (answer.catalogue || !answer.refusal)
            continue;
        const Code code = code_of_refused_read(answer.refusal->code);
        if (code == Code::capability_missing) {
            const std::string version = co_await server_version(context, answer.endpoint, deadline);
            co_return Failure(
                code,
                answer.endpoint.text() + " is version " + version +
                    ", needed is 23.10 or later; it was asked for its catalogue: " + answer.catalogue_problem
            );
        }
        if (code != otherwise.code)
            co_return Failure(code, named(answer.endpoint, answer.catalogue_problem));
    }
    co_return otherwise;
}

asio::awaitable<Discovery> discover(Context& context, protocol::TargetName target, TimePoint deadline) {
    Discovery found;
    found.observed_at = context.clock.wall_seconds();
    found.cluster = context.cluster.name;
    found.target_key = protocol::target_key(found.cluster, target);
    auto answers = co_await ask_all(context, target, found.target_key, true, deadline);
    const protocol::CatalogueFacts* first = nullptr;
    Failure why(Code::connection_failed, "no endpoint was given");
    for (const EndpointAnswer& answer : answers) {
        if (!answer.catalogue) {
            found.gaps.push_back(named(answer.endpoint, answer.catalogue_problem));
            why = Failure(Code::connection_failed, found.gaps.back());
            continue;
        }
        found.speakers.emplace_back(answer.endpoint, *answer.catalogue);
        const auto names = names_of_cluster(context.cluster.name, answer.catalogue->clusters);
        if (first == nullptr && !names.empty()) {
            first = &*answer.catalogue;
        } else if (names.empty()) {
            const auto inventory =
                protocol::Inventory::from_rows(context.cluster.name, answer.catalogue->clusters);
            if (!inventory) {
                why =
                    Failure(inventory.error().code, answer.endpoint.text() + ": " + inventory.error().detail);
                found.gaps.push_back(why.detail);
            }
        }
    }
    if (first == nullptr) {
        found.problem = co_await why_refused(context, answers, why, deadline);
        // A publication can be under way in what is no cluster for one any more: its record says for which
        // members it was made.
        found.authority = conclude(found.target_key, answers);
        co_return found;
    }
    const std::string canonical = protocol::Inventory::canonical_name(context.cluster.name, first->clusters);
    if (canonical != found.cluster) {
        found.cluster = canonical;
        found.target_key = protocol::target_key(canonical, target);
        auto again = co_await ask_all(context, target, found.target_key, false, deadline);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            answers[i].authority = std::move(again[i].authority);
            answers[i].authority_problem = std::move(again[i].authority_problem);
        }
    }
    found.authority = conclude(found.target_key, answers);
    co_return found;
}

std::vector<BoundMember> bind_members(const Discovery& discovery, const protocol::AuthorityRecord& record) {
    std::vector<BoundMember> bound;
    for (const protocol::RecordedMember& recorded : record.members) {
        const auto speaker =
            std::ranges::find_if(discovery.speakers, [&](const Discovery::Speaker& candidate) {
                return candidate.facts.identity.server_uuid == recorded.server_uuid;
            });
        if (speaker == discovery.speakers.end()) {
            continue;
        }
        protocol::Member member;
        member.at = recorded.at;
        member.replica_num = recorded.replica_num;
        bound.emplace_back(std::move(member), recorded.server_uuid, speaker->endpoint);
    }
    return bound;
}

} // namespace onceswap::engine
