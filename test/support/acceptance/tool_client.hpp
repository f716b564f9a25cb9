#pragma once

#include "acceptance/cluster_under_test.hpp"
#include "process.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace onceswap::acceptance {

/// The client of clusters behind HTTP: refresh-load and reconcile-watch as processes of their own.
class ToolClient {
  public:
    using Words = std::vector<std::string>;

    /// `environment`: of the tools.
    ToolClient(std::string cluster, std::map<std::string, std::string> environment);
    ~ToolClient();
    ToolClient(const ToolClient&) = delete;
    ToolClient& operator=(const ToolClient&) = delete;

    /// Where the tools find the cluster and the target, from now on.
    void aim(Words urls, const std::string& database, bool absent);

    /// How long a brief call may take.
    void brief_limit(std::string limit) { brief_limit_ = std::move(limit); }

    std::unique_ptr<testing::Process> start(const Call& call, const Answer* pinned = nullptr);
    /// Its end. Throws Interrupted after it has killed it.
    Answer finish(testing::Process& process);
    /// start() and finish(); for `abandon` and `retire` with the pins that `status` shows.
    Answer run(const Call& call);

  private:
    std::string rows_file(std::uint64_t rows);

    std::string cluster_;
    std::map<std::string, std::string> environment_;
    std::filesystem::path folder_;
    Words where_;
    std::string like_;
    std::string brief_limit_ = "5s";
};

} // namespace onceswap::acceptance
