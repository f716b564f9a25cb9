#pragma once

#include "engine/publish.hpp"
#include "fixtures/harness/judge.hpp"
#include "fixtures/sim/world.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::harness_test {

/// A simulated world with a judge over it, driven step by step.
class JudgedWorld {
  public:
    explicit JudgedWorld(sim::Scenario scenario = sim::simple_scenario(), std::uint64_t seed = 1);

    /// A publication by a new process `p1`, `p2`, ..., judged to its end; what it said is judged too.
    std::optional<protocol::Report> publish(std::string invocation, bool cleanup = true);
    std::optional<protocol::Report> resume();
    std::optional<protocol::Report> observe();

    engine::PublishRequest request(std::string invocation) const;
    engine::Context& context_of(sim::Publisher& process);
    sim::Publisher& process();

    /// Steps and judges until every started coroutine is done.
    template <class T>
    std::optional<T> run(sim::Publisher& process, boost::asio::awaitable<T> work) {
        auto started = world.start<T>(process, std::move(work));
        while (!started.done() && step()) {
        }
        return std::move(started.result());
    }

    bool step();
    void idle(); ///< until nothing at all is left to happen

    /// The first violation of this invariant, empty if there is none.
    std::string found(harness::Invariant invariant) const;
    /// All violations, a line each, for a failing test.
    std::string violations() const;

    engine::Limits limits;
    protocol::TargetName target{"db", "target"};

  private:
    std::vector<std::unique_ptr<engine::Context>> contexts_; ///< older than the world: coroutines refer to it

  public:
    sim::World world;
    harness::Judge judge;

  private:
    std::optional<protocol::Report> heard(sim::Publisher& process, std::optional<protocol::Report> report);

    unsigned processes_ = 0;
};

} // namespace onceswap::harness_test
