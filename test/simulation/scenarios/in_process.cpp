#include "in_process.hpp"

#include "engine/close.hpp"
#include "engine/deadline.hpp"
#include "engine/doctor.hpp"
#include "engine/orphans.hpp"
#include "engine/publish.hpp"
#include "engine/retire.hpp"
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

boost::json::value text_or_null(const std::string& text) {
    return text.empty() ? boost::json::value(nullptr) : boost::json::value(text);
}

/// The fields of docs/cli/doctor.schema.json that a scenario expects.
boost::json::object document_of(const protocol::Diagnosis& diagnosis) {
    boost::json::array lines;
    for (const protocol::DoctorLine& line : diagnosis.lines) {
        boost::json::object one;
        one["rule"] = protocol::row_of(line.rule).name;
        one["standing"] =
            line.standing == protocol::Standing::not_known ? "not_known" : protocol::text(line.standing);
        one["code"] = protocol::stable_name(protocol::row_of(line.rule).code);
        one["member"] = text_or_null(line.host);
        one["seen"] = line.seen;
        one["remedy"] = line.remedy;
        lines.push_back(std::move(one));
    }
    boost::json::object document;
    document["lines"] = std::move(lines);
    document["refused_with"] = nullptr;
    if (diagnosis.refused_with)
        document["refused_with"] = protocol::stable_name(*diagnosis.refused_with);
    return document;
}

boost::json::array texts(const std::vector<std::string>& from) {
    return boost::json::array(from.begin(), from.end());
}

/// The fields of docs/cli/orphans.schema.json that a scenario expects.
boost::json::object document_of(const engine::OrphanListing& listing) {
    boost::json::array tables;
    for (const protocol::ListedTable& listed : listing.tables) {
        boost::json::object one;
        one["name"] = listed.table.name;
        one["uuid"] = listed.table.uuid.text();
        one["state"] = protocol::text(listed.standing);
        one["target"] = text_or_null(listed.target ? listed.target->table : std::string());
        one["shown_on"] = texts(listed.shown_on);
        one["not_on"] = texts(listed.not_on);
        tables.push_back(std::move(one));
    }
    boost::json::object document;
    document["tables"] = std::move(tables);
    document["unreadable_records"] = texts(listing.unreadable);
    document["evidence_gaps"] = texts(listing.gaps);
    return document;
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

/// As both tools end a call that its deadline cut off before anything was proven.
protocol::Report with_deadline(protocol::Report report) {
    constexpr int failed = 1;
    constexpr int unknown = 4;
    constexpr int refused = 8;
    const int code = protocol::exit_code(report);
    if (code != failed && code != unknown && code != refused)
        return report;
    report.stopped_by = protocol::Code::deadline_reached;
    return report;
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
        if (step.run == Run::doctor)
            examine(process, context, step, outcome);
        else if (step.run == Run::orphans_list)
            list(process, context, step, outcome);
        else
            report(process, context, step, outcome);
        outcome.document["exit_code"] = outcome.exit;
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

    void report(
        sim::Publisher& process, engine::Context& context, const sim::ScenarioStep& step, StepOutcome& outcome
    ) {
        unproven_ = false;
        protocol::Report report = call(process, context, step);
        if (world_.in(std::chrono::milliseconds(0)) >= deadline_)
            report = with_deadline(std::move(report));
        outcome.exit = step.run == Run::plan ? plan_exit(report) : protocol::exit_code(report);
        // What the slot's verdict says of its operation is no matter where the orphan is gone.
        if (step.run == Run::orphans_drop && !report.stopped_by)
            outcome.exit = unproven_ ? protocol::exit_code(protocol::Code::outcome_unknown) : 0;
        outcome.document = protocol::to_json(report);
        if (step.run == Run::plan)
            outcome.document["steps"] = std::move(planned_);
    }

    void examine(
        sim::Publisher& process, engine::Context& context, const sim::ScenarioStep& step, StepOutcome& outcome
    ) {
        engine::DoctorRequest request;
        request.target = table_name(step.with.table);
        request.like = table_name(step.with.like);
        const std::string user = user_of(file_.scenario, step.with.user).name;
        request.user = user.empty() ? "default" : user;
        request.operation = step.with.operation;
        request.accept_lost_authority = step.with.accept_lost_authority;
        request.deadline = deadline_of(step);
        auto list = world_.run<engine::Checklist>(process, engine::examine(context, std::move(request)));
        if (!list)
            throw std::runtime_error("the process crashed");
        outcome.exit = protocol::exit_code(list->diagnosis);
        outcome.document = document_of(list->diagnosis);
    }

    void list(
        sim::Publisher& process, engine::Context& context, const sim::ScenarioStep& step, StepOutcome& outcome
    ) {
        const engine::OrphanListing listing = listing_of(process, context, step);
        const bool complete = listing.gaps.empty() && listing.unreadable.empty();
        outcome.exit = complete ? 0 : protocol::exit_code(protocol::Code::outcome_unknown);
        outcome.document = document_of(listing);
    }

    engine::OrphanListing
    listing_of(sim::Publisher& process, engine::Context& context, const sim::ScenarioStep& step) {
        auto listing = world_.run<protocol::Result<engine::OrphanListing>>(
            process, engine::list_orphans(context, table_name(step.with.table).database, deadline_of(step))
        );
        if (!listing)
            throw std::runtime_error("the process crashed");
        if (!*listing)
            throw std::runtime_error("nobody answered: " + listing->error().detail);
        return **listing;
    }

    engine::TimePoint deadline_of(const sim::ScenarioStep& step) {
        return world_.in(
            step.with.timeout_ms == 0 ? std::chrono::milliseconds(std::chrono::minutes(10))
                                      : std::chrono::milliseconds(step.with.timeout_ms)
        );
    }

    protocol::Report call(sim::Publisher& process, engine::Context& context, const sim::ScenarioStep& step) {
        const engine::TimePoint deadline = deadline_of(step);
        deadline_ = deadline;
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
        case Run::abandon: {
            engine::Pin pin = pin_of(process, context, step, deadline);
            return report_of(process, engine::abandon(context, target, std::move(pin), deadline));
        }
        case Run::retire: {
            engine::Pin pin = pin_of(process, context, step, deadline);
            return report_of(process, engine::retire(context, target, std::move(pin), deadline));
        }
        case Run::close: {
            engine::Pin pin = pin_of(process, context, step, deadline);
            return report_of(
                process, engine::close_keeping_predecessor(context, target, std::move(pin), deadline)
            );
        }
        case Run::orphans_drop:
            return drop(process, context, step, deadline);
        case Run::orphans_list:
        case Run::doctor:
            break; // no report
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

    /// What a status shows, as an operator copies it, unless the step says another one.
    engine::Pin pin_of(
        sim::Publisher& process,
        engine::Context& context,
        const sim::ScenarioStep& step,
        engine::TimePoint deadline
    ) {
        const protocol::Report seen =
            report_of(process, engine::observe(context, table_name(step.with.table), deadline));
        engine::Pin pin;
        pin.operation_id = step.with.operation.empty() ? seen.operation_id : step.with.operation;
        pin.version = seen.record_version.value_or(0);
        if (step.with.version)
            pin.version = static_cast<std::int32_t>(*step.with.version);
        return pin;
    }

    /// The engine is asked also for what the list does not call an orphan: it must refuse by itself.
    protocol::Report drop(
        sim::Publisher& process,
        engine::Context& context,
        const sim::ScenarioStep& step,
        engine::TimePoint deadline
    ) {
        const protocol::TargetName target = table_name(step.with.table);
        protocol::NamedTable orphan;
        orphan.name = step.with.name;
        for (const protocol::ListedTable& listed : listing_of(process, context, step).tables)
            if (listed.table.name == orphan.name)
                orphan = listed.table;
        engine::Pin pin = pin_of(process, context, step, deadline);
        auto drop = world_.run<engine::OrphanDrop>(
            process, engine::drop_orphan(context, target, std::move(pin), std::move(orphan), deadline)
        );
        if (!drop)
            throw std::runtime_error("the process crashed");
        unproven_ = !drop->gone;
        if (drop->report.stopped_by || !drop->gone)
            return drop->report;
        return report_of(process, engine::observe(context, target, deadline));
    }

    const sim::ScenarioFile& file_;
    std::vector<std::unique_ptr<engine::Context>>
        contexts_; // older than the world, whose coroutines refer to them
    sim::World world_;
    unsigned processes_ = 0;
    engine::TimePoint deadline_; ///< of the last call
    boost::json::array planned_; ///< the statements of the last plan
    bool unproven_ = false;      ///< the orphan is not proven to be gone
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
