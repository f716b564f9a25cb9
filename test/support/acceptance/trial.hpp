#pragma once

#include "acceptance/cluster_under_test.hpp"

#include <boost/json/array.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::acceptance {

/// Something that had to hold does not.
class Failed : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Somebody asked the program to end.
class Interrupted : public std::runtime_error {
  public:
    Interrupted() : std::runtime_error("interrupted") {}
};

/// How often each member has executed a publishing statement of the scenario; `known` false: the fixture
/// cannot tell.
struct Executions {
    Executions() = default;
    bool known = true;
    std::vector<std::int64_t> per_member;
};

/// One scenario on one cluster: its calls, what it demands, and the evidence for both.
class Trial {
  public:
    explicit Trial(ClusterUnderTest& cluster) : cluster_(cluster) {}

    ClusterUnderTest& cluster() { return cluster_; }

    Answer call(const Call& call);
    Answer publish(const std::string& invocation = "run-1", std::uint64_t rows = 20);

    Answer status() { return call(Call(Verb::status)); }

    void demand(bool holds, const std::string& what);
    void demand_word(const Answer& answer, std::string_view word);
    void note(const std::string& what, boost::json::value value);

    /// uuid behind the target's name on a member.
    std::string target(std::size_t member) { return cluster_.uuid(member, "target"); }

    /// The log_comments of publishing statements that are in the queue, in their order, each once.
    std::vector<std::string> publishing_tokens();
    Executions executions();

    /// COMPLETED; `publications` publishing statements in the queue, each executed once by each member; all
    /// members have the same target, which is not `before`, with so many rows; nothing else of ours is left
    /// but what the report lists as an orphan.
    void demand_published(
        const Answer& answer, const std::string& before, std::uint64_t rows, std::size_t publications = 1
    );
    /// No publishing statement was executed anywhere and all targets are as they were.
    void demand_untouched(const std::string& before);
    /// Each publishing statement was executed at most once by each member.
    void demand_at_most_once();
    /// Whatever is behind the target's name on a member is still there, and so is `uuid` somewhere.
    void demand_kept(const std::string& uuid);

    const boost::json::array& evidence() const { return evidence_; }

  private:
    /// The first entry of each publishing token.
    std::vector<Entry> publications();

    ClusterUnderTest& cluster_;
    boost::json::array evidence_;
};

} // namespace onceswap::acceptance
