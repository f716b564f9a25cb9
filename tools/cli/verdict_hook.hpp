#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace onceswap::cli {

/// A command of the user's that is told what came of a verb.
struct VerdictHook {
    VerdictHook() = default;

    std::string command;                ///< for /bin/sh -c
    std::string document;               ///< all that its standard input holds
    std::chrono::milliseconds limit{0}; ///< then it and its children get SIGTERM, two seconds later SIGKILL
    /// Added to our environment; what is called ONCESWAP_PASSWORD there is left out.
    std::vector<std::pair<std::string, std::string>> variables;
};

/// Runs the command in a process group of its own; its standard output goes to our standard error, since
/// ours is for data. Returns what is to be said of it: empty where it ended with 0. Whatever it does changes
/// nothing else. Nothing is put into the command's text, so nothing can be injected there.
/// Cancellation: terminal; the group is killed, and the text says so. Throws nothing.
boost::asio::awaitable<std::string> run_hook(VerdictHook hook);

} // namespace onceswap::cli
