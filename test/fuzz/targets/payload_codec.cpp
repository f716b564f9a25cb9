#include "protocol/payload_codec.hpp"

#include "protocol/digest.hpp"
#include "targets.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace onceswap::fuzz {
namespace {

std::string string_at(const boost::json::object& object, std::string_view name) {
    const boost::json::value* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

/// The row whose columns say what the payload says, with the digest of these bytes: the strictness is left to
/// the decoder, not to a digest that no mutation would hit.
protocol::AuthorityRow row_of(std::string_view payload) {
    protocol::AuthorityRow row;
    row.payload = std::string(payload);
    row.payload_sha256 = protocol::sha256_hex(payload);
    row.version = 1;
    boost::system::error_code error;
    const boost::json::value document = boost::json::parse(payload, error);
    if (error || !document.is_object())
        return row;
    const boost::json::object& object = document.get_object();
    row.target_key = string_at(object, "target_key");
    row.operation_id = string_at(object, "operation_id");
    row.fence_token = string_at(object, "fence_token");
    row.phase = string_at(object, "phase");
    if (const boost::json::value* epoch = object.if_contains("dispatch_epoch")) {
        boost::system::error_code no_number;
        row.dispatch_epoch = epoch->to_number<std::uint64_t>(no_number);
        if (no_number)
            row.dispatch_epoch = 0;
    }
    return row;
}

} // namespace

/// The input is a payload.
void payload_codec(std::string_view input) {
    const protocol::AuthorityRow row = row_of(input);
    const auto record = protocol::decode_row(row);
    if (!record)
        return;
    const auto again = protocol::encode_record(*record);
    if (!again)
        return; // a record may be readable and break a rule of what may be written
    must(again->payload == row.payload, "a record that decodes encodes to the same bytes");
    must(again->phase == row.phase && again->target_key == row.target_key, "columns and payload agree");
}

} // namespace onceswap::fuzz
