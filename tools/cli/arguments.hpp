#pragma once

#include "protocol/failure.hpp"
#include "tools/cli/options.hpp"

#include <boost/system/result.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onceswap::cli {

/// The command line ended the program: help or version on standard output with 0, or one line of what is
/// wrong on standard error with 2.
struct CommandLineEnd {
    CommandLineEnd() = default;

    CommandLineEnd(bool is_error_, std::string text_) : is_error(is_error_), text(std::move(text_)) {}

    bool is_error = false;
    std::string text; ///< an error: one line without the program's name, never a value that could be a secret
};

/// Where options come from besides the command line, so that tests need neither process nor file system.
struct Surroundings {
    std::function<std::optional<std::string>(const std::string& name)> variable;
    /// A whole file. Error: why it cannot be read, without its name.
    std::function<protocol::Result<std::string>(const std::string& path)> file;
};

Surroundings real_surroundings();

/// `words` are argv without the program. Every option is checked; what is returned is ready to use.
boost::system::result<Options, CommandLineEnd>
parse_arguments(Program program, std::vector<std::string> words, const Surroundings& surroundings);

} // namespace onceswap::cli
