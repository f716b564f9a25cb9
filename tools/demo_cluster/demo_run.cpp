#include "tools/demo_cluster/demo_run.hpp"

#include "engine/publish.hpp"
#include "engine/retire.hpp"
#include "fixtures/sim/world.hpp"
#include "protocol/digest.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/demo_cluster/demo_fault.hpp"
#include "tools/demo_cluster/demo_list.hpp"
#include "tools/demo_cluster/demo_rows.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>

#include <deque>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace onceswap::demo_cluster {

namespace {

constexpr std::uint64_t seed = 1;
constexpr std::uint64_t rows_before = 800;
constexpr auto moment = std::chrono::milliseconds(1);

/// Passes on what goes on in the world while there is a session to show it. Outlives the world, whose
/// coroutines refer to it to their end.
class Relay final : public engine::EventSink {
  public:
    void on_event(const engine::Event& event) override {
        if (to_ != nullptr)
            to_->on_event(event);
    }

    void loading(const cli::LoadProgress& progress) {
        if (to_ != nullptr)
            to_->loading(progress);
    }

    /// Connected for as long as this lives.
    class Connection {
      public:
        Connection(Relay& relay, cli::Progress& to) : relay_(relay) { relay_.to_ = &to; }

        ~Connection() { relay_.to_ = nullptr; }

        Connection(const Connection&) = delete;
        Connection& operator=(const Connection&) = delete;

      private:
        Relay& relay_;
    };

  private:
    cli::Progress* to_ = nullptr;
};

/// The cluster and what came of the commands so far.
class Story {
  public:
    Story(Relay& relay, std::deque<engine::Context>& contexts)
        : world(sim::simple_scenario(member_count, rows_before), seed), relay_(relay), contexts_(contexts) {
        target.database = "db";
        target.table = "target";
    }

    /// nullopt: the process died.
    std::optional<protocol::Report> run(const Step& step, const cli::Options& options);

    sim::World world;
    protocol::TargetName target;

  private:
    engine::PublishRequest request(const Step& step, const cli::Options& options) const;
    void happen(const std::vector<sim::Fault>& faults);

    Relay& relay_;
    std::deque<engine::Context>& contexts_;
    unsigned processes_ = 0;
    engine::Pin pin_; ///< what a `status` after the last command prints
};

void Story::happen(const std::vector<sim::Fault>& faults) {
    for (sim::Fault fault : faults) {
        if (fault.point == sim::Point::at_time)
            fault.at = world.now() + moment;
        world.add(std::move(fault));
    }
}

engine::PublishRequest Story::request(const Step& step, const cli::Options& options) const {
    engine::PublishRequest request;
    request.target = target;
    request.invocation_id = options.invocation_id;
    request.plan_digest = protocol::sha256_hex("the rows of the demo");
    request.cleanup = step.cleanup && options.cleanup;
    request.deadline = world.in(step.timeout);
    return request;
}

std::optional<protocol::Report> Story::run(const Step& step, const cli::Options& options) {
    happen(step.faults);
    if (!step.command) {
        world.run_until_idle();
        return std::nullopt;
    }
    sim::Publisher& process = world.publisher("p" + std::to_string(++processes_));
    engine::Limits limits;
    limits.grace = options.grace;
    limits.distributed_ddl_task_timeout = step.ddl_task_timeout;
    engine::Context& context = contexts_.emplace_back(process.context(relay_, limits));
    const engine::TimePoint deadline = world.in(step.timeout);
    std::optional<protocol::Report> report;
    switch (*step.command) {
    case Command::publish: {
        engine::StageFunction rows =
            demo_rows([&relay = relay_](std::uint64_t done, std::uint64_t bytes, std::uint64_t total) {
                relay.loading(cli::LoadProgress(done, bytes, total));
            });
        report = world.run<protocol::Report>(
            process, engine::publish(context, request(step, options), std::move(rows))
        );
        break;
    }
    case Command::resume:
        report = world.run<protocol::Report>(process, engine::resume(context, target, deadline));
        break;
    case Command::retire:
        report = world.run<protocol::Report>(process, engine::retire(context, target, pin_, deadline));
        break;
    case Command::abandon:
        report = world.run<protocol::Report>(process, engine::abandon(context, target, pin_, deadline));
        break;
    case Command::status:
        report = world.run<protocol::Report>(process, engine::observe(context, target, deadline));
        break;
    }
    // The cluster goes on without the process; the pins are what `status` prints then.
    if (process.crashed()) {
        report.reset();
        world.run_until_idle();
    }
    sim::Publisher& reader = world.publisher("status" + std::to_string(processes_));
    engine::Context& reading = contexts_.emplace_back(reader.context());
    const auto seen =
        world.run<protocol::Report>(reader, engine::observe(reading, target, world.in(step.timeout)));
    if (seen && seen->record_version)
        pin_ = engine::Pin(seen->operation_id, *seen->record_version);
    return report;
}

/// Empty: the options fit a demo.
std::string misfit(const cli::Options& options) {
    if (!options.from.empty())
        return "--demo has rows of its own: leave --from out";
    if (!options.table.table.empty())
        return "--demo has a table of its own: leave --table out";
    if (options.timeout.count() != 0)
        return "--demo has times of its own, and waits for none: leave --timeout out";
    return {};
}

/// What the session's last words refer to.
cli::Options options_of_demo(cli::Options options, const Story& story) {
    for (sim::MemberIndex member = 0; member < member_count; ++member)
        options.endpoints.push_back(story.world.endpoint(member));
    options.cluster = "c1";
    options.table = story.target;
    options.authority_root = protocol::default_authority_root;
    if (options.invocation_id.empty())
        options.invocation_id = "demo-1";
    return options;
}

} // namespace

boost::asio::awaitable<int> run_demo(cli::Session& outer) {
    const cli::Options& asked = outer.options();
    if (const std::string problem = misfit(asked); !problem.empty()) {
        outer.error(problem);
        co_return cli::exit_usage;
    }
    if (asked.demo_fault == "list") {
        const std::string document = boost::json::serialize(fault_list_document()) + "\n";
        cli::write_fully(STDOUT_FILENO, asked.json ? document : fault_list());
        co_return 0;
    }
    const DemoFault* const fault = find_demo_fault(asked.demo_fault);
    if (fault == nullptr) {
        outer.error(no_such_fault(asked.demo_fault));
        co_return cli::exit_usage;
    }
    Relay relay;
    std::deque<engine::Context> contexts;
    Story story(relay, contexts);
    cli::Options options = options_of_demo(asked, story);
    options.demo_fault = fault->name;
    cli::Session session(
        outer.program(),
        std::move(options),
        {},
        story.world.clock(),
        story.world.publisher("session").entropy()
    );
    const Relay::Connection connection(relay, session.progress());
    session.note(
        "demo: a simulated cluster c1 of ch-1, ch-2 and ch-3 in virtual time; --demo-fault " +
        std::string(fault->name) + ": " + std::string(fault->summary)
    );
    std::optional<protocol::Report> report;
    for (const Step& step : fault->steps()) {
        const boost::asio::use_awaitable_t<> awaitable;
        co_await boost::asio::post(awaitable); // signals
        session.note("demo: " + step.says);
        if (step.command)
            session.note("demo: $ " + std::string(text(*step.command)) + " ...");
        report = story.run(step, session.options());
        if (step.command && !report)
            session.note("demo: the process is gone, as with kill -9");
    }
    if (!report)
        throw std::logic_error("the demo's last command left no report");
    co_return cli::finish(session, *report, {});
}

} // namespace onceswap::demo_cluster
