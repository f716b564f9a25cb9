#pragma once

#include "tools/cli/options.hpp"

#include <span>
#include <string>
#include <string_view>

namespace onceswap::cli {

/// Bits of the verbs that an option belongs to.
enum VerbSet : unsigned {
    for_plan = 1U << 0,
    for_stage = 1U << 1,
    for_publish = 1U << 2,
    for_resume = 1U << 3,
    for_abandon = 1U << 4,
    for_retire = 1U << 5,
    for_close = 1U << 6,
    for_orphans = 1U << 7,
    for_watch = 1U << 8,
    for_status = 1U << 9,
    for_doctor = 1U << 10,
    for_explain = 1U << 11,
    for_serve = 1U << 12,
    for_mutating = for_stage | for_publish | for_resume | for_abandon | for_retire | for_close | for_orphans,
    for_cluster = for_plan | for_mutating | for_watch | for_status | for_doctor | for_serve,
    for_all = for_cluster | for_explain,
};

VerbSet set_of(Verb verb);

enum class OptionKind { flag, value, list };

/// One row of the contract in docs/cli: the same name is a flag, a variable and a key of the configuration
/// file.
struct OptionRow {
    std::string_view name; ///< without dashes: `password-file`
    OptionKind kind;
    std::string_view value_name; ///< `FILE`; empty for a flag
    unsigned verbs;              ///< VerbSet
    bool command_line_only;      ///< what must be said each time: --execute, pins and the like
    std::string_view description;
};

std::span<const OptionRow> option_table();

/// `ONCESWAP_PASSWORD_FILE` for `password-file`.
std::string variable_name(std::string_view option);

} // namespace onceswap::cli
