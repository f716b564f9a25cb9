#pragma once

#include "tools/cli/options.hpp"

#include <string>
#include <string_view>

namespace onceswap::cli {

std::string_view version(); ///< `0.1.0`
/// Of the source tree when it was configured, 12 digits; `unknown` where that was no checkout.
std::string_view commit();

/// What --version prints: program and version, then commit, Boost and OpenSSL, one a line.
std::string version_text(Program program);

} // namespace onceswap::cli
