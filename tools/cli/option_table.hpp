#pragma once

#include "tools/cli/options.hpp"

#include <span>
#include <string>
#include <string_view>

namespace onceswap::cli {

/// Bits of the verbs that an option belongs to.
enum VerbSet : unsigned {
    for_publish = 1,
    for_resume = 2,
    for_abandon = 4,
    for_plan = 8,
    for_status = 16,
    for_all = 31,
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

/// The verbs of a program in this version, and the one-line description and the examples of each.
std::span<const Verb> verbs_of(Program program);
std::string_view description(Verb verb);
std::string_view examples(Verb verb);

} // namespace onceswap::cli
