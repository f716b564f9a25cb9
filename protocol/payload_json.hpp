#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/failure.hpp"

#include <boost/json/object.hpp>

namespace onceswap::protocol {

/// The document of schema `onceswap.publication/1`. Every field is always there; what a record does not have
/// is null, an empty string or an empty list. A receipt is a list of [code, SHA-256, head] in the order of
/// `members`.
boost::json::object to_payload_json(const AuthorityRecord& record);

/// The record of a document: every field once, of its type, none unknown. Rules between fields are not looked
/// at, see find_violation. Error: authority_invalid with the path of the field.
Result<AuthorityRecord> from_payload_json(const boost::json::value& document);

} // namespace onceswap::protocol
