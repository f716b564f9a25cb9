#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onceswap::cli {

/// Verbs that the texts of codes and reports name in back-quotes and that no program of this version has.
std::span<const std::string_view> later_verbs();

/// The text, and where it names such a verb a remark that says so: no advice sends anybody to a command that
/// is refused.
std::string with_missing_verbs(std::string_view text);

} // namespace onceswap::cli
