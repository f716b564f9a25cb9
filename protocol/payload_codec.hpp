#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/failure.hpp"

#include <string>

namespace onceswap::protocol {

inline constexpr std::string_view payload_schema = "onceswap.publication/1";

/// The row to write for a record. `version` is left 0: the server assigns it.
/// Error: authority_invalid if the record breaks a limit or would not decode again.
Result<AuthorityRow> encode_record(const AuthorityRecord& record);

/// Strict: unknown or missing field, wrong type, non-canonical bytes, too long, wrong digest, or a column
/// that disagrees with the payload is authority_invalid with the reason. decode(encode(x)) == x for every x
/// that encodes.
Result<AuthorityRecord> decode_row(const AuthorityRow& row);

/// The number of bytes the payload can grow to before the operation ends: every receipt of every allowed
/// attempt at its longest. Checked against limits::payload_bytes when PREPARED is written.
std::size_t worst_case_payload_bytes(const AuthorityRecord& record);

} // namespace onceswap::protocol
