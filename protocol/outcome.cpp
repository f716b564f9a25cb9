#include "protocol/outcome.hpp"

#include "protocol/mutant.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace onceswap::protocol {

namespace {

// A query parser, setting or access check answers with one of these before anything of the statement runs.
constexpr auto refused_always =
    std::to_array({62, 115, 164, 192, 193, 194, 381, 452, 456, 457, 497, 512, 516});
// KeeperMap: bad arguments, unknown column, table or database, and the keys limit are checked before Keeper
// is written.
constexpr auto refused_for_authority = std::to_array({16, 36, 47, 60, 81, 290});
// Distributed DDL prohibited, unknown cluster: the initiator's, before the queue entry is created.
constexpr auto refused_for_ddl = std::to_array({392, 701});
// The initiator does not look at tables, so these come from a host although the text does not say so.
constexpr auto from_a_host = std::to_array({48, 57, 60, 81});
// Answers of what stands between us and the server.
constexpr auto intermediary_status = std::to_array({301U, 408U, 429U, 502U, 503U, 504U});

constexpr std::string_view host_error = "There was an error on [";
constexpr int keeper_exception = 999;
constexpr auto lost_the_race =
    std::to_array<std::string_view>({"(Bad version)", "(Node exists)", "(No node)"});
// A text that names one of these is about the connection to Keeper, whatever else it quotes.
constexpr auto keeper_trouble = std::to_array<std::string_view>(
    {"Connection loss", "Operation timeout", "Session expired", "Session moved", "Session was killed"}
);

template <class Range, class Value>
bool is_one_of(const Range& range, const Value& value) {
    return std::find(range.begin(), range.end(), value) != range.end();
}

bool contains_any(std::string_view text, std::span<const std::string_view> phrases) {
    return std::any_of(phrases.begin(), phrases.end(), [text](std::string_view phrase) {
        return text.find(phrase) != std::string_view::npos;
    });
}

/// The code in `Code: N` at the very beginning; 0 without one.
int leading_code(std::string_view text) {
    constexpr std::string_view prefix = "Code: ";
    int code = 0;
    if (text.starts_with(prefix)) {
        text.remove_prefix(prefix.size());
        std::from_chars(text.data(), text.data() + text.size(), code);
    }
    return code;
}

/// What follows the first `...Exception: `, which is the server's own sentence; codes quoted in it are not
/// its own.
std::string_view message(std::string_view text) {
    constexpr std::string_view marker = "Exception: ";
    const std::size_t at = text.find(marker);
    return at == std::string_view::npos ? text : text.substr(at + marker.size());
}

/// Header and body of one reply name different codes: two statements' answers, or somebody between.
bool contradicts_itself(const ServerException& exception) {
    const int in_text = leading_code(exception.text);
    return in_text != 0 && in_text != exception.code;
}

bool refused_before_any_effect(MutationKind kind, int code) {
    if (is_one_of(refused_always, code))
        return true;
    switch (kind) {
    case MutationKind::authority:
        return is_one_of(refused_for_authority, code);
    case MutationKind::ddl:
        return is_one_of(refused_for_ddl, code);
    case MutationKind::insert:
        // Errors of the content (26, 27, 33, 38, 41, 53, 117, 349, ...) are usually raised before the first
        // block is written, but the reply does not prove it: a body can be split into several blocks by
        // limits of the profile.
        return false;
    }
    return false;
}

/// An HTTP status with which a ClickHouse server refuses; with 2xx the answer had already begun.
bool is_refusal_status(unsigned status) {
    return status >= 400 && status <= 599 && !is_one_of(intermediary_status, status);
}

} // namespace

std::string_view text(Outcome outcome) {
    switch (outcome) {
    case Outcome::acknowledged:
        return "Acknowledged";
    case Outcome::rejected:
        return "Rejected";
    case Outcome::not_sent:
        return "NotSent";
    case Outcome::conflict:
        return "Conflict";
    case Outcome::host_failed:
        return "HostFailed";
    case Outcome::outcome_unknown:
        return "OutcomeUnknown";
    }
    return "OutcomeUnknown";
}

Outcome classify_outcome(MutationKind kind, const ReplyEvidence& evidence) {
    // 1. Nothing was handed over; whatever was read is the answer to something else.
    if (evidence.bytes_handed_over == 0)
        return Outcome::not_sent;
    // 2. A complete success.
    if (evidence.reply_complete && evidence.success_shape && evidence.status == 200 && !evidence.exception)
        return Outcome::acknowledged;
    if (evidence.status == 200 && mutated(Mutant::status_200_taken_as_success))
        return Outcome::acknowledged;
    if (evidence.status == 0 && mutated(Mutant::unanswered_taken_as_not_sent))
        return Outcome::not_sent;
    if (!evidence.reply_complete || !evidence.exception || contradicts_itself(*evidence.exception))
        return Outcome::outcome_unknown;

    const int code = evidence.exception->code;
    const std::string_view text = evidence.exception->text;
    const bool quotes_a_host = text.find(host_error) != std::string_view::npos;
    // 3. Refused before any effect, as the server's own error.
    if (refused_before_any_effect(kind, code) && !quotes_a_host && is_refusal_status(evidence.status))
        return Outcome::rejected;
    // 4. The record was changed by somebody else first.
    if (kind == MutationKind::authority && code == keeper_exception && contains_any(text, lost_the_race) &&
        !contains_any(text, keeper_trouble))
        return Outcome::conflict;
    // 5. A host answered with an error; others may have committed.
    if (kind == MutationKind::ddl && (message(text).starts_with(host_error) || is_one_of(from_a_host, code)))
        return Outcome::host_failed;
    // 6. Everything else.
    return Outcome::outcome_unknown;
}

} // namespace onceswap::protocol
