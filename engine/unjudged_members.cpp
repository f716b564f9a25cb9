#include "engine/unjudged_members.hpp"

#include <algorithm>

namespace onceswap::engine {

namespace {

const Discovery::Speaker* speaker_of(const Discovery& discovery, const protocol::HostPort& member) {
    for (const Discovery::Speaker& speaker : discovery.speakers) {
        const auto calls_it_local = [&](const protocol::ClusterRow& row) {
            return row.is_local && row.cluster == discovery.cluster && row.host_name == member.host &&
                   row.port == member.port;
        };
        if (std::ranges::any_of(speaker.facts.clusters, calls_it_local)) {
            return &speaker;
        }
    }
    return nullptr;
}

protocol::NameHolding holding_of(const protocol::CatalogueFacts& facts, const protocol::TargetName& target) {
    protocol::NameHolding holding;
    const auto table = std::ranges::find_if(facts.tables, [&](const protocol::TableRow& row) {
        return row.database == target.database && row.name == target.table;
    });
    if (table != facts.tables.end()) {
        holding.role = protocol::Role::other;
        holding.uuid = table->uuid;
    }
    return holding;
}

} // namespace

std::vector<protocol::Report::Row>
unjudged_members(const Discovery& discovery, const protocol::TargetName& target) {
    std::vector<protocol::Report::Row> rows;
    if (discovery.speakers.empty()) {
        return rows;
    }
    const auto inventory =
        protocol::Inventory::from_rows(discovery.cluster, discovery.speakers.front().facts.clusters);
    if (!inventory) {
        return rows;
    }
    for (const protocol::Member& member : inventory->members()) {
        protocol::Report::Row row;
        row.state.at = member.at;
        const Discovery::Speaker* speaker = speaker_of(discovery, member.at);
        if (speaker == nullptr) {
            row.state.reason = "no endpoint says that it is this member";
        } else {
            row.state.judged = false;
            row.state.target = holding_of(speaker->facts, target);
            row.endpoint = speaker->endpoint.text();
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace onceswap::engine
