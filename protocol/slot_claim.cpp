#include "protocol/slot_claim.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace onceswap::protocol {

namespace {

std::string text_of(const boost::json::object& from, std::string_view name) {
    const auto* found = from.if_contains(name);
    const auto* text = found == nullptr ? nullptr : found->if_string();
    return text == nullptr ? std::string() : std::string(*text);
}

std::optional<RecordedMember> member_of(const boost::json::value& element) {
    const auto* from = element.if_object();
    if (from == nullptr) {
        return std::nullopt;
    }
    const auto server = Uuid::parse(text_of(*from, "server_uuid"));
    if (!server) {
        return std::nullopt;
    }
    RecordedMember member;
    member.server_uuid = *server;
    member.at.host = text_of(*from, "host_name");
    const auto* port = from->if_contains("port");
    const auto* number = port == nullptr ? nullptr : port->if_int64();
    if (number != nullptr && *number > 0 && *number <= std::numeric_limits<std::uint16_t>::max()) {
        member.at.port = static_cast<std::uint16_t>(*number);
    }
    return member;
}

} // namespace

std::optional<SlotClaim> claim_of(const AuthorityRow& row) {
    if (row.payload.size() > limits::payload_bytes) {
        return std::nullopt;
    }
    boost::system::error_code broken;
    const auto document = boost::json::parse(row.payload, broken);
    const auto* from = broken ? nullptr : document.if_object();
    if (from == nullptr) {
        return std::nullopt;
    }
    SlotClaim claim;
    claim.cluster = text_of(*from, "cluster");
    claim.target.database = text_of(*from, "database");
    claim.target.table = text_of(*from, "target");
    if (claim.target.database.empty() || claim.target.table.empty()) {
        return std::nullopt;
    }
    if (const auto* members = from->if_contains("members"); members != nullptr && members->is_array()) {
        for (const auto& element : members->get_array()) {
            if (auto member = member_of(element)) {
                claim.members.push_back(std::move(*member));
            }
        }
    }
    return claim;
}

} // namespace onceswap::protocol
