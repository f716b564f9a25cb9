// What a write's outcome is called.
#include "engine/authority.hpp"

namespace onceswap::engine {

using protocol::Outcome;

const protocol::Failure* problem_of(const WriteResult& result) {
    if (const auto* conflict = std::get_if<Conflict>(&result))
        return &conflict->problem;
    if (const auto* rejected = std::get_if<Rejected>(&result))
        return &rejected->problem;
    if (const auto* not_sent = std::get_if<NotSent>(&result))
        return &not_sent->problem;
    if (const auto* unknown = std::get_if<OutcomeUnknown>(&result))
        return &unknown->problem;
    return nullptr;
}

Outcome outcome_of(const WriteResult& result) {
    if (std::holds_alternative<Won>(result))
        return Outcome::acknowledged;
    if (std::holds_alternative<Conflict>(result))
        return Outcome::conflict;
    if (std::holds_alternative<Rejected>(result))
        return Outcome::rejected;
    if (std::holds_alternative<NotSent>(result))
        return Outcome::not_sent;
    return Outcome::outcome_unknown;
}

std::string_view text(const WriteResult& result) {
    if (std::holds_alternative<Won>(result))
        return "Won";
    return protocol::text(outcome_of(result));
}

} // namespace onceswap::engine
