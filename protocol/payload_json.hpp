#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/failure.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <string>

namespace onceswap::protocol {

/// The document of schema `onceswap.publication/1`. Every field is always there; what a record does not have
/// is null, an empty string or an empty list. A receipt is a list of [code, SHA-256, head] in the order of
/// `members`.
/// Canonical JSON. Throws std::invalid_argument if a text is not valid UTF-8.
std::string payload_text(const AuthorityRecord& record);
/// The number of bytes of payload_text; throws as it does.
std::size_t payload_bytes(const AuthorityRecord& record);
/// The number of bytes of one element of a list in the payload, without a comma.
std::size_t element_bytes(const DdlAttempt& attempt);
std::size_t element_bytes(const NamedTable& table);
std::size_t element_bytes(const RecentOperation& operation);

/// The record of a document: every field once, of its type, none unknown. Rules between fields are not looked
/// at, see find_violation. Error: authority_invalid with the path of the field.
Result<AuthorityRecord> from_payload_json(const boost::json::value& document);

} // namespace onceswap::protocol
