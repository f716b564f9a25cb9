#pragma once

#include <string>
#include <vector>

namespace onceswap::acceptance {

struct Options {
    Options() = default;
    std::vector<std::string> fixtures;  ///< of sim, sim-clickhouse, engine, url
    std::vector<std::string> scenarios; ///< empty: all
    std::string receipt;                ///< file; empty: none
    std::string evidence;               ///< folder; empty: none
    std::string commit;
    std::vector<std::string> urls;
    std::string cluster;
    std::string user;
    std::string password_file;
    bool list = false;
    bool quiet = false;
    bool help = false;
};

/// Throws std::invalid_argument with one line for people. `environment` finds a variable or is null.
Options read_options(const std::vector<std::string>& words, const char* (*environment)(const char*));
std::string usage();

} // namespace onceswap::acceptance
