#pragma once

#include "protocol/authority_record.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace onceswap::protocol {

/// The first rule of docs/protocol.md that a record breaks: limits, forms of identities, relations between
/// names, what a phase must and must not hold. nullopt: none. The codec asks on the way in and on the way
/// out, so nothing that breaks a rule is ever written, and nothing that somebody else wrote so is ever
/// believed. Not a rule here: PREPARED with a token and a cleanup phase without predecessor decode; the
/// verdict table names them.
std::optional<std::string> find_violation(const AuthorityRecord& record);

/// The part of find_violation about publication, set_aside, cleanup and retire.
std::optional<std::string> find_attempt_violation(const AuthorityRecord& record);

} // namespace onceswap::protocol
