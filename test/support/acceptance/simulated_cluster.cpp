#include "acceptance/simulated_cluster.hpp"

#include "acceptance/model_faults.hpp"
#include "engine/retire.hpp"
#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/profile.hpp"
#include "fixtures/sim/scenario_json.hpp"
#include "fixtures/sim/state.hpp"
#include "simulation/bench.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace onceswap::acceptance {

namespace json = boost::json;
using simulation::Bench;
using Report = std::optional<protocol::Report>;

namespace {

boost::asio::awaitable<protocol::Report> cancellable(
    engine::Context& context,
    engine::PublishRequest request,
    std::uint64_t rows,
    boost::asio::cancellation_signal& signal
) {
    auto executor = co_await boost::asio::this_coro::executor;
    auto work = engine::publish(context, std::move(request), simulation::loader(rows));
    auto report = co_await boost::asio::co_spawn(
        executor,
        std::move(work),
        boost::asio::bind_cancellation_slot(signal.slot(), boost::asio::use_awaitable)
    );
    co_return report;
}

sim::StatementClass class_of(Statement statement) {
    return *model::Occasion(statement, 2).match.statement_class;
}

class SimulatedCluster : public ClusterUnderTest {
  public:
    std::string_view fixture() const override { return "sim"; }

    json::object versions() override {
        const sim::Scenario scenario = sim::simple_scenario();
        return {{"members", json::array{sim::profile(scenario.version).version}}, {"real", json::array{}}};
    }

    std::optional<std::string> lacks(Need need) const override { return model::lacks(need); }

    std::size_t members() const override { return bench_->members(); }

    std::string database() const override { return "db"; }

    void begin(const std::string& /*scenario*/, const Setup& setup) override {
        setup_ = setup;
        make(model::Authority::none);
    }

    void end() override { bench_.reset(); }

    Answer call(const Call& call) override {
        auto started = start(call, bench_->process());
        bench_->world.run();
        return answer(started.result());
    }

    std::vector<Answer> together(const std::vector<Call>& calls) override {
        std::vector<sim::Started<protocol::Report>> started;
        for (const Call& call : calls)
            started.push_back(start(call, bench_->process()));
        bench_->world.run();
        std::vector<Answer> answers;
        for (auto& one : started)
            answers.push_back(answer(one.result()));
        return answers;
    }

    void killed(const Call& call, Statement statement, unsigned nth, Moment moment) override {
        sim::Publisher& process = bench_->process();
        const model::Occasion occasion(statement, nth);
        sim::Fault death(
            moment == Moment::arrived ? sim::Point::send : sim::Point::effect,
            occasion.match,
            sim::Effect::crash_client
        );
        death.match.client = process.name();
        death.nth = occasion.nth;
        arm(std::move(death));
        start(call, process);
        bench_->world.run();
    }

    Answer stopped(const Call& call, Statement statement, unsigned nth, Moment moment) override {
        sim::Publisher& process = bench_->process();
        const model::Occasion occasion(statement, nth);
        sim::Fault marker(
            moment == Moment::arrived ? sim::Point::arrive : sim::Point::effect,
            occasion.match,
            sim::Effect::delay
        );
        marker.match.client = process.name();
        marker.nth = occasion.nth;
        marker.delay = std::chrono::milliseconds(1);
        arm(std::move(marker));
        boost::asio::cancellation_signal signal;
        auto started = bench_->world.start<protocol::Report>(
            process, cancellable(bench_->context_of(process), request(call), call.rows, signal)
        );
        bool emitted = false;
        while (!started.done()) {
            if (!emitted && all_fired()) {
                signal.emit(boost::asio::cancellation_type::terminal);
                emitted = true;
            }
            if (!bench_->world.step())
                break;
        }
        return answer(started.result());
    }

    void lose_response(Statement statement) override { arm(model::lost_response(statement)); }

    void lose_record_write(unsigned nth, bool committed) override {
        arm(model::lost_record_write(nth, committed));
    }

    void hold_worker(std::size_t member, WorkerPoint point, Statement statement) override {
        arm(model::held_worker(member, point, statement));
    }

    void release_worker(std::size_t member) override { now(model::started_worker(member)); }

    void crash_member(std::size_t member, WorkerPoint point, Statement statement) override {
        arm(model::crashed_member(member, point, statement));
    }

    void start_member(std::size_t member) override { now(model::restarted_member(member)); }

    void refuse_on_host(std::size_t member, Statement statement, const std::string& /*table*/) override {
        arm(model::refused_host(member, statement));
    }

    void heal_host(std::size_t /*member*/) override { bench_->world.heal(); }

    std::string outsider(std::size_t member, const std::string& sql, const std::string& comment) override {
        sim::Query query;
        query.client = "outsider";
        query.sql = sql;
        query.settings.emplace_back("distributed_ddl_task_timeout", outsiders_patience);
        if (!comment.empty())
            query.settings.emplace_back("log_comment", comment);
        std::optional<sim::Reply> reply;
        bench_->world.cluster().submit(member, std::move(query), [&](sim::Reply got) {
            reply = std::move(got);
        });
        while (!reply && bench_->world.step()) {
        }
        if (!reply)
            throw std::runtime_error("the outsider got no answer");
        return reply->status == 200 && reply->exception_code == 0 ? std::string() : reply->body;
    }

    void show_queue_row(
        std::size_t member, const std::string& status, std::optional<int> code, std::string text
    ) override {
        const std::string host = bench_->world.cluster().state().members.at(member).setup.host;
        now(model::queue_row(host, status, code, text));
    }

    void drift(Need what, std::size_t member) override { now(model::drift(what, member)); }

    void partial_authority(bool mismatched) override {
        make(mismatched ? model::Authority::mismatched : model::Authority::partial);
    }

    void refuse_before_ddl() override {
        arm(sim::Fault(sim::Point::send, sim::Match(sim::StatementClass::exchange), sim::Effect::reset));
    }

    bool all_fired() override {
        const auto& fired = bench_->world.truth().fired;
        return std::ranges::all_of(armed_, [&](const std::string& name) {
            return std::ranges::any_of(fired, [&](const auto& one) { return one.fault == name; });
        });
    }

    std::vector<Table> tables(std::size_t member) override {
        std::vector<Table> tables;
        for (const auto& table : bench_->world.cluster().state().members.at(member).tables)
            tables.emplace_back(table.name, table.storage->uuid);
        return tables;
    }

    std::vector<Entry> entries() override {
        std::vector<Entry> entries;
        for (const auto& one : bench_->world.truth().entries) {
            Entry entry;
            entry.name = one.name;
            entry.token = one.token;
            entry.query = one.query;
            entries.push_back(std::move(entry));
        }
        return entries;
    }

    std::optional<std::vector<std::int64_t>>
    executed(const std::string& token, Statement statement) override {
        std::vector<std::int64_t> counts(members(), 0);
        for (const auto& one : bench_->world.truth().executions)
            if (one.token == token && one.statement_class == class_of(statement))
                ++counts.at(one.member);
        return counts;
    }

    std::int64_t rows(std::size_t member, const std::string& table) override {
        const auto storage = bench_->world.cluster().state().members.at(member).find("db", table);
        return storage ? static_cast<std::int64_t>(storage->rows) : -1;
    }

  private:
    void make(model::Authority authority) {
        armed_.clear();
        bench_ =
            std::make_unique<Bench>(sim::scenario_from_json(model::scenario(setup_, old_rows, authority)), 1);
    }

    void arm(sim::Fault fault) {
        fault.name = "armed-" + std::to_string(armed_.size() + 1);
        armed_.push_back(fault.name);
        bench_->world.add(std::move(fault));
    }

    /// At once, and a little time for what follows from it.
    void now(const sim::Fault& fault) {
        bench_->world.cluster().apply(fault, fault.on);
        bench_->world.run_for(std::chrono::milliseconds(100));
    }

    engine::PublishRequest request(const Call& call) {
        engine::PublishRequest request = bench_->request(call.invocation);
        request.cleanup = call.cleanup;
        request.deadline = deadline(call);
        return request;
    }

    engine::TimePoint deadline(const Call& call) {
        return bench_->world.in(call.brief ? std::chrono::minutes(1) : std::chrono::minutes(10));
    }

    sim::Started<protocol::Report> start(const Call& call, sim::Publisher& process) {
        engine::Context& context = bench_->context_of(process);
        switch (call.verb) {
        case Verb::publish:
            return bench_->start_publish(process, request(call), call.rows);
        case Verb::resume:
            return bench_->world.start<protocol::Report>(
                process, engine::resume(context, bench_->target, deadline(call))
            );
        case Verb::status:
            return bench_->world.start<protocol::Report>(
                process, engine::observe(context, bench_->target, deadline(call))
            );
        case Verb::abandon:
            return bench_->world.start<protocol::Report>(
                process, engine::abandon(context, bench_->target, pin(), deadline(call))
            );
        case Verb::retire:
            return bench_->world.start<protocol::Report>(
                process, engine::retire(context, bench_->target, pin(), deadline(call))
            );
        }
        throw std::logic_error("a verb that is none");
    }

    engine::Pin pin() {
        const Answer seen = call(Call(Verb::status));
        return engine::Pin(seen.operation, static_cast<std::int32_t>(seen.version.value_or(-1)));
    }

    static Answer answer(const Report& report) {
        return report ? Answer::of(protocol::to_json(*report)) : Answer();
    }

    Setup setup_;
    std::unique_ptr<Bench> bench_;
    std::vector<std::string> armed_;
};

} // namespace

std::unique_ptr<ClusterUnderTest> simulated_cluster() {
    return std::make_unique<SimulatedCluster>();
}

} // namespace onceswap::acceptance
