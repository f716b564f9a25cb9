#include "engine/bound_member.hpp"

namespace onceswap::engine {

std::string name(const BoundMember& member) {
    return protocol::text(member.member.at);
}

std::vector<protocol::HostPort> hosts_of(const std::vector<BoundMember>& members) {
    std::vector<protocol::HostPort> hosts;
    hosts.reserve(members.size());
    for (const BoundMember& member : members)
        hosts.push_back(member.member.at);
    return hosts;
}

} // namespace onceswap::engine
