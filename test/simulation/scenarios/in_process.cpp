#include "in_process.hpp"

#include "engine/deadline.hpp"
#include "engine/publish.hpp"
#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/truth_json.hpp"
#include "fixtures/sim/world.hpp"
#include "http_transport/response.hpp"
#include "protocol/report.hpp"
#include "protocol/statements.hpp"

#include <stdexcept>

namespace onceswap::scenarios {

namespace asio = boost::asio;
using Run = sim::ScenarioStep::Run;

namespace {

asio::awaitable<protocol::Result<std::uint64_t>>
send_rows(engine::Context& context, engine::Candidate candidate, std::uint64_t rows) {
    std::string body;
    for (std::uint64_t i = 0; i < rows; ++i)
        body += "{\"id\":" + std::to_string(i) + ",\"name\":\"row\"}\n";
    const auto deadline = context.clock.now() + std::chrono::seconds(30);
    auto prepared = co_await context.transport.prepare(context.cluster.endpoints.front(), deadline);
    if (!prepared.call)
        co_return protocol::Failure(protocol::Code::staging_failed, "no connection for the rows");
    const protocol::TargetName table{"db", candidate.name};
    http::Request request(
        protocol::insert_rows_statement(table, candidate.name + "-0"), "rows-" + candidate.name
    );
    request.payload = std::move(body);
    request.deadline = deadline;
    auto exchange = co_await prepared.call->send(std::move(request));
    const auto observed = http::observe(exchange, http::BodyShape::empty);
    const auto outcome = protocol::classify_outcome(protocol::MutationKind::insert, observed);
    if (outcome == protocol::Outcome::rejected)
        co_return protocol::Failure(protocol::Code::staging_failed, "the rows were refused");
    if (outcome != protocol::Outcome::acknowledged)
        co_return protocol::Failure(protocol::Code::staging_unknown, std::string(protocol::text(outcome)));
    co_return rows;
}

engine::StageFunction loader(std::uint64_t rows) {
    return [rows](engine::Context& context, const engine::Candidate& candidate) {
        return send_rows(context, candidate, rows);
    };
}

protocol::TargetName table_name(const std::string& text) {
    if (text.empty())
        return {};
    const std::size_t dot = text.find('.');
    return protocol::TargetName(text.substr(0, dot), text.substr(dot + 1));
}

sim::UserSetup user_of(const sim::Scenario& scenario, const std::string& name) {
    for (const sim::UserSetup& user : scenario.users)
        if (name.empty() || user.name == name)
            return user;
    if (!name.empty())
        throw std::invalid_argument("the scenario has no user " + name);
    return {};
}

bool refuses(const protocol::Report& report) {
    for (const protocol::Finding& finding : report.findings)
        if (finding.severity == protocol::Severity::refuse)
            return true;
    return false;
}

/// As refresh-load ends a plan.
int plan_exit(const protocol::Report& report) {
    constexpr int refused = 8;
    if (refuses(report))
        return refused;
    return report.stopped_by ? protocol::exit_code(report) : 0;
}

class Steps {
  public:
    explicit Steps(const sim::ScenarioFile& file) : file_(file), world_(file.scenario, 1) {}

    StepOutcome run(const sim::ScenarioStep& step) {
        StepOutcome outcome;
        outcome.truth_before = truth();
        sim::Publisher& process =
            world_.publisher("p" + std::to_string(++processes_), user_of(file_.scenario, step.with.user));
        engine::Context& context = context_of(process, step);
        const protocol::Report report = call(process, context, step);
        outcome.exit = step.run == Run::plan ? plan_exit(report) : protocol::exit_code(report);
        outcome.document = protocol::to_json(report);
        outcome.document["exit_code"] = outcome.exit;
        if (step.run == Run::plan)
            outcome.document["steps"] = std::move(planned_);
        outcome.truth = truth();
        return outcome;
    }

  private:
    boost::json::value truth() { return sim::truth_to_json(world_.cluster().state()); }

    engine::Context& context_of(sim::Publisher& process, const sim::ScenarioStep& step) {
        engine::Limits limits;
        if (step.with.read_timeout_ms != 0)
            limits.read_timeout = std::chrono::milliseconds(step.with.read_timeout_ms);
        auto context = std::make_unique<engine::Context>(process.context(engine::no_events(), limits));
        context->cluster.name =
            step.with.cluster.empty() ? file_.scenario.clusters.front().name : step.with.cluster;
        if (!step.with.urls.empty()) {
            context->cluster.endpoints.clear();
            for (const sim::MemberIndex member : step.with.urls)
                context->cluster.endpoints.push_back(world_.endpoint(member));
        }
        contexts_.push_back(std::move(context));
        return *contexts_.back();
    }

    protocol::Report call(sim::Publisher& process, engine::Context& context, const sim::ScenarioStep& step) {
        const auto patience = step.with.timeout_ms == 0 ? std::chrono::milliseconds(std::chrono::minutes(10))
                                                        : std::chrono::milliseconds(step.with.timeout_ms);
        const engine::TimePoint deadline = world_.in(patience);
        const protocol::TargetName target = table_name(step.with.table);
        engine::PublishRequest request;
        request.target = target;
        request.like = table_name(step.with.like);
        request.invocation_id = step.with.invocation;
        request.plan_digest = std::string(64, 'a');
        request.accept_lost_authority = step.with.accept_lost_authority;
        request.cleanup = step.with.cleanup;
        request.deadline = deadline;
        switch (step.run) {
        case Run::status:
            return report_of(process, engine::observe(context, target, deadline));
        case Run::plan:
            return plan_of(process, engine::plan(context, request));
        case Run::publish:
            return report_of(process, engine::publish(context, request, loader(step.with.rows)));
        case Run::resume:
            return report_of(process, engine::resume(context, target, deadline));
        case Run::abandon:
            return abandon(process, context, target, deadline);
        }
        throw std::logic_error("a step of no kind");
    }

    protocol::Report report_of(sim::Publisher& process, asio::awaitable<protocol::Report> work) {
        auto report = world_.run<protocol::Report>(process, std::move(work));
        if (!report)
            throw std::runtime_error("the process crashed");
        return *report;
    }

    protocol::Report plan_of(sim::Publisher& process, asio::awaitable<engine::Plan> work) {
        auto plan = world_.run<engine::Plan>(process, std::move(work));
        if (!plan)
            throw std::runtime_error("the process crashed");
        planned_.clear();
        for (const engine::Plan::Step& one : plan->steps)
            planned_.push_back(boost::json::object{{"statement", one.statement}, {"scope", one.scope}});
        return plan->report;
    }

    /// Pinned to what a status shows, as an operator does it.
    protocol::Report abandon(
        sim::Publisher& process,
        engine::Context& context,
        const protocol::TargetName& target,
        engine::TimePoint deadline
    ) {
        const protocol::Report seen = report_of(process, engine::observe(context, target, deadline));
        engine::Pin pin;
        pin.operation_id = seen.operation_id;
        pin.version = seen.record_version.value_or(0);
        return report_of(process, engine::abandon(context, target, pin, deadline));
    }

    const sim::ScenarioFile& file_;
    std::vector<std::unique_ptr<engine::Context>>
        contexts_; // older than the world, whose coroutines refer to them
    sim::World world_;
    unsigned processes_ = 0;
    boost::json::array planned_; ///< the statements of the last plan
};

} // namespace

std::vector<StepOutcome> run_in_process(const sim::ScenarioFile& file) {
    Steps steps(file);
    std::vector<StepOutcome> outcomes;
    for (const sim::ScenarioStep& step : file.steps)
        outcomes.push_back(steps.run(step));
    return outcomes;
}

} // namespace onceswap::scenarios
