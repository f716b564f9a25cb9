#pragma once

#include "process.hpp"
#include "sim_process.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace onceswap::testing {

using Words = std::vector<std::string>;

Words operator+(Words left, const Words& right);

std::string refresh_load();
std::string reconcile_watch();

/// A directory of one test, removed with everything in it.
class Workshop {
  public:
    Workshop();
    ~Workshop();
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;

    std::string path(const std::string& name) const { return (directory_ / name).string(); }

    /// Writes a file and returns its path.
    std::string file(const std::string& name, const std::string& content) const;
    /// `count` rows {"id": n, "name": "row n"} for db.target.
    std::string rows(const std::string& name, unsigned count) const;

  private:
    std::filesystem::path directory_;
};

std::string content_of(const std::string& path);

bool contains(const std::string& text, const std::string& part);

/// The number of lines of a text.
std::size_t lines(const std::string& text);

/// Whether the slow, whole versions of the tests are wanted: ONCESWAP_TEST_ALL is set.
bool whole_tests();

} // namespace onceswap::testing
