#include "protocol/authority_record.hpp"

#include "protocol/digest.hpp"
#include "protocol/utf8.hpp"

#include <algorithm>
#include <array>

namespace onceswap::protocol {

namespace {

constexpr std::array all_phases{
    Phase::prepared,
    Phase::dispatching,
    Phase::committed,
    Phase::set_aside_dispatching,
    Phase::cleanup_dispatching,
    Phase::retiring,
    Phase::completed,
    Phase::abandoned,
};

const DdlAttempt* last_of(const std::vector<DdlAttempt>& attempts) {
    return attempts.empty() ? nullptr : &attempts.back();
}

} // namespace

std::string_view text(Phase phase) {
    switch (phase) {
    case Phase::prepared:
        return "PREPARED";
    case Phase::dispatching:
        return "DISPATCHING";
    case Phase::committed:
        return "COMMITTED";
    case Phase::set_aside_dispatching:
        return "SET_ASIDE_DISPATCHING";
    case Phase::cleanup_dispatching:
        return "CLEANUP_DISPATCHING";
    case Phase::retiring:
        return "RETIRING";
    case Phase::completed:
        return "COMPLETED";
    case Phase::abandoned:
        return "ABANDONED";
    }
    return "";
}

std::optional<Phase> phase_from_text(std::string_view word) {
    for (const Phase phase : all_phases)
        if (text(phase) == word)
            return phase;
    return std::nullopt;
}

bool is_dispatching(Phase phase) {
    switch (phase) {
    case Phase::dispatching:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
    case Phase::retiring:
        return true;
    case Phase::prepared:
    case Phase::committed:
    case Phase::completed:
    case Phase::abandoned:
        return false;
    }
    return false;
}

std::string_view text(HolderResult result) {
    switch (result) {
    case HolderResult::none:
        return "none";
    case HolderResult::acknowledged:
        return "acknowledged";
    case HolderResult::host_failed:
        return "host_failed";
    case HolderResult::rejected:
        return "rejected";
    case HolderResult::not_sent:
        return "not_sent";
    case HolderResult::outcome_unknown:
        return "outcome_unknown";
    }
    return "";
}

ExceptionDigest digest_exception(std::string_view text) {
    if (text.empty())
        return {};
    return {printable_head(text, limits::exception_head_bytes), sha256_hex(text)};
}

bool is_failure(const Receipt& receipt) {
    return std::any_of(receipt.hosts.begin(), receipt.hosts.end(), [](const HostReceipt& host) {
        return host.code != 0;
    });
}

const DdlAttempt* current_attempt(const AuthorityRecord& record) {
    switch (record.phase) {
    case Phase::dispatching:
        return record.publication ? &*record.publication : nullptr;
    case Phase::set_aside_dispatching:
        return last_of(record.set_aside);
    case Phase::cleanup_dispatching:
        return last_of(record.cleanup);
    case Phase::retiring:
        return last_of(record.retire);
    case Phase::prepared:
    case Phase::committed:
    case Phase::completed:
    case Phase::abandoned:
        return nullptr;
    }
    return nullptr;
}

} // namespace onceswap::protocol
