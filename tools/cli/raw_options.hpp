#pragma once

#include "tools/cli/options.hpp"

#include <boost/system/result.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::cli {

/// What was said for each option name, as text, from wherever it came. Flags hold `true` or `false`.
using RawOptions = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Where the word behind the verb stands among them; no option has an empty name.
inline constexpr std::string_view operand_key;

/// Turns text into options, applies the defaults and checks what belongs together. Error: one line.
boost::system::result<Options, std::string> interpret(Verb verb, const RawOptions& raw);

/// Why no option takes this value, whatever the option means: it is empty, has control characters or is
/// longer than 4096 bytes. A shell variable that is not set gives an empty word, and that must not mean the
/// default. Never quotes the value, which may be a secret in the wrong place.
std::optional<std::string> value_problem(std::string_view option, std::string_view value);

/// `1`, `true`, `yes`, `on` and their opposites, any letter case.
boost::system::result<bool, std::string> parse_flag(std::string_view text);

/// Reads the keys of a configuration file into `raw` where nothing was said before. Keys of other verbs are
/// fine: one file serves both programs. Error: one line.
boost::system::result<void, std::string> add_configuration(std::string_view json, RawOptions& raw);

} // namespace onceswap::cli
