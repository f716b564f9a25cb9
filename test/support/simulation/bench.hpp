#pragma once

#include "engine/publish.hpp"
#include "fixtures/sim/world.hpp"
#include "loader.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::simulation {

/// The events of one call, for the tests that ask what went on and in how many rounds.
class Recorder : public engine::EventSink {
  public:
    void on_event(const engine::Event& event) override { events.push_back(event); }

    std::vector<std::string> steps() const;
    std::string describe() const;
    std::vector<engine::Event> events;
};

/// A world with one target, and calls of the engine on it.
class Bench {
  public:
    explicit Bench(sim::Scenario scenario = sim::simple_scenario(), std::uint64_t seed = 1);

    /// A publication of `rows` rows by a new process.
    std::optional<protocol::Report> publish(std::string invocation, std::uint64_t rows = 50);
    std::optional<protocol::Report>
    publish(sim::Publisher& process, engine::PublishRequest request, std::uint64_t rows = 50);
    sim::Started<protocol::Report>
    start_publish(sim::Publisher& process, engine::PublishRequest request, std::uint64_t rows = 50);
    std::optional<protocol::Report> resume();
    std::optional<protocol::Report> observe();

    engine::PublishRequest request(std::string invocation) const;
    sim::Publisher& process();
    engine::Context& context_of(sim::Publisher& process);

    /// What happened, for a failing test; with ONCESWAP_TRACE set also every request.
    std::string facts();

    /// Storage behind the target's name, empty where there is none.
    std::string target_uuid(sim::MemberIndex member);

    std::size_t members() const { return scenario_.members.size(); }

    sim::World world;
    Recorder recorder;
    engine::Limits limits;
    protocol::TargetName target{"db", "target"};
    protocol::TargetName like;

  private:
    sim::Scenario scenario_;
    std::vector<std::unique_ptr<engine::Context>> contexts_;
    unsigned processes_ = 0;
};

/// What must hold in every run, whatever was injected; fails with the world's seed and facts.
/// `swaps_per_member`: how often the publishing statement may have taken effect on one member.
void check_invariants(Bench& bench, std::string_view what, std::size_t operations = 1);

/// The desired end: COMPLETED, one entry, one effect on every member, the same target everywhere, nothing
/// left behind.
void check_published(Bench& bench, const std::optional<protocol::Report>& report, std::string_view what);

/// For BOOST_TEST_CONTEXT: verdict, reason and findings in one line.
std::string describe(const std::optional<protocol::Report>& report);
/// The verdict; `crashed` where the call ended without a report.
std::string word(const std::optional<protocol::Report>& report);

} // namespace onceswap::simulation
