#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <sstream>

// docs/round-trips.md, measured: with every latency zero but the network's, the virtual time of a step is a
// number of requests one behind the other. The simulated transport opens a connection for each, one way long.

using namespace onceswap;
using namespace onceswap::simulation;

namespace {

constexpr auto one_way = std::chrono::milliseconds(1);
constexpr auto one_request = 3 * one_way; ///< connect, request, reply

/// Remembers when each step began.
class StepClock : public engine::EventSink {
  public:
    explicit StepClock(sim::World& world) : world_(world) {}

    void on_event(const engine::Event& event) override {
        if (event.kind == engine::EventKind::step) {
            begin(event.name);
        }
        waited_ = waited_ || event.kind == engine::EventKind::wait;
    }

    void begin(std::string name) { began_.emplace_back(std::move(name), world_.now()); }

    bool waited() const { return waited_; }

    std::vector<std::pair<std::string, long>> rounds() const {
        std::vector<std::pair<std::string, long>> rounds;
        for (std::size_t i = 0; i + 1 < began_.size(); ++i) {
            const auto took = began_[i + 1].second - began_[i].second;
            rounds.emplace_back(began_[i].first, (took + one_request - sim::Time(1)) / one_request);
        }
        return rounds;
    }

  private:
    sim::World& world_;
    std::vector<std::pair<std::string, sim::Time>> began_;
    bool waited_ = false;
};

sim::Scenario network_only(std::size_t members) {
    auto scenario = sim::simple_scenario(members);
    const sim::Latency none{};
    scenario.network = sim::Latency(one_way, one_way);
    scenario.statement = none;
    scenario.keeper = none;
    scenario.worker_step = none;
    scenario.replication = none;
    return scenario;
}

std::vector<std::pair<std::string, long>> measure(Bench& bench, const std::string& invocation) {
    StepClock steps(bench.world);
    auto& process = bench.process();
    auto context = process.context(steps, bench.limits);
    const auto report = bench.world.run<protocol::Report>(
        process, engine::publish(context, bench.request(invocation), loader(10))
    );
    steps.begin("end");
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_REQUIRE(report.has_value());
        BOOST_TEST((report->verdict.word == protocol::Word::completed));
        BOOST_TEST(!steps.waited());
    }
    return steps.rounds();
}

using Rounds = std::vector<std::pair<std::string, long>>;

/// Rows of the table: | `step` | first | next | why |. A step that does not happen has a dash.
void read_page(Rounds& first, Rounds& next) {
    std::ifstream page(ONCESWAP_SOURCE_DIR "/docs/round-trips.md");
    BOOST_REQUIRE(page.good());
    std::string line;
    while (std::getline(page, line)) {
        std::istringstream cells(line);
        std::string empty;
        std::string step;
        std::string of_first;
        std::string of_next;
        std::getline(cells, empty, '|');
        std::getline(cells, step, '|');
        std::getline(cells, of_first, '|');
        std::getline(cells, of_next, '|');
        if (step.find('`') == std::string::npos) {
            continue;
        }
        const auto begin = step.find('`') + 1;
        const std::string name = step.substr(begin, step.rfind('`') - begin);
        if (of_first.find_first_of("0123456789") != std::string::npos) {
            first.emplace_back(name, std::stol(of_first));
        }
        if (of_next.find_first_of("0123456789") != std::string::npos) {
            next.emplace_back(name, std::stol(of_next));
        }
    }
}

std::string as_table(const Rounds& rounds) {
    std::string all;
    for (const auto& [step, count] : rounds) {
        all += "\n| `" + step + "` | " + std::to_string(count) + " |";
    }
    return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(round_trips)

BOOST_AUTO_TEST_CASE(the_page_says_what_is_measured) {
    Rounds first;
    Rounds next;
    read_page(first, next);
    for (const std::size_t members : {2U, 8U}) {
        Bench bench(network_only(members), 1);
        const auto of_first = measure(bench, "run-1");
        const auto of_next = measure(bench, "run-2");
        BOOST_TEST_CONTEXT(
            members << " members, first:" << as_table(of_first) << "\nnext:" << as_table(of_next)
        ) {
            BOOST_TEST((of_first == first));
            BOOST_TEST((of_next == next));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
