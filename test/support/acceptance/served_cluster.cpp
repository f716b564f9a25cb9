#include "acceptance/served_cluster.hpp"

#include "acceptance/http_question.hpp"
#include "acceptance/interruption.hpp"
#include "acceptance/model_faults.hpp"
#include "acceptance/tool_client.hpp"
#include "acceptance/trial.hpp"
#include "fixtures/sim/fault_json.hpp"
#include "sim_process.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace onceswap::acceptance {

namespace json = boost::json;
using testing::Process;
using testing::SimProcess;

namespace {

class ServedCluster : public ClusterUnderTest {
  public:
    ServedCluster() : client_("c1", {}) {
        client_.brief_limit("3s");
        std::string name = (std::filesystem::temp_directory_path() / "acceptance-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::runtime_error("no temporary folder: " + name);
        folder_ = name;
    }

    ~ServedCluster() override {
        sim_.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::string_view fixture() const override { return "sim-clickhouse"; }

    json::object versions() override {
        make(model::Authority::none);
        const HttpAnswer answer = question(Origin(sim_->urls().front()), "POST", "/", {}, "SELECT version()");
        std::string version = answer.body.substr(0, answer.body.find('\n'));
        sim_.reset();
        return {{"members", json::array{version, version}}, {"real", json::array{"HTTP on loopback"}}};
    }

    std::optional<std::string> lacks(Need need) const override {
        if (need == Need::unsent)
            return "over HTTP no member knows of a request that no byte of was sent";
        return model::lacks(need);
    }

    std::size_t members() const override { return 2; }

    std::string database() const override { return "db"; }

    void begin(const std::string& /*scenario*/, const Setup& setup) override {
        setup_ = setup;
        make(model::Authority::none);
    }

    void end() override { sim_.reset(); }

    Answer call(const Call& call) override { return client_.run(call); }

    std::vector<Answer> together(const std::vector<Call>& calls) override {
        std::vector<std::unique_ptr<Process>> processes;
        for (const Call& call : calls)
            processes.push_back(client_.start(call));
        std::vector<Answer> answers;
        for (const auto& process : processes)
            answers.push_back(client_.finish(*process));
        return answers;
    }

    void killed(const Call& call, Statement statement, unsigned nth, Moment moment) override {
        const auto process = held_at(call, statement, nth, moment);
        process->send(SIGKILL);
        process->wait();
        sim_->release(true);
    }

    Answer stopped(const Call& call, Statement statement, unsigned nth, Moment moment) override {
        const auto process = held_at(call, statement, nth, moment);
        process->send(SIGTERM);
        sim_->release(false);
        return client_.finish(*process);
    }

    void lose_response(Statement statement) override { arm(model::lost_response(statement)); }

    void lose_record_write(unsigned nth, bool committed) override {
        arm(model::lost_record_write(nth, committed));
    }

    void hold_worker(std::size_t member, WorkerPoint point, Statement statement) override {
        arm(model::held_worker(member, point, statement));
    }

    void release_worker(std::size_t member) override { add(model::started_worker(member)); }

    void crash_member(std::size_t member, WorkerPoint point, Statement statement) override {
        arm(model::crashed_member(member, point, statement));
    }

    void start_member(std::size_t member) override { add(model::restarted_member(member)); }

    void refuse_on_host(std::size_t member, Statement statement, const std::string& /*table*/) override {
        arm(model::refused_host(member, statement));
    }

    void heal_host(std::size_t /*member*/) override { add(model::healed()); }

    std::string outsider(std::size_t member, const std::string& sql, const std::string& comment) override {
        std::vector<std::pair<std::string, std::string>> parameters{
            {"distributed_ddl_task_timeout", outsiders_patience}
        };
        if (!comment.empty())
            parameters.emplace_back("log_comment", comment);
        const HttpAnswer answer = question(Origin(sim_->urls().at(member)), "POST", "/", parameters, sql);
        return answer.status == 200 && answer.exception_code == 0 ? std::string() : answer.body;
    }

    void show_queue_row(
        std::size_t member, const std::string& status, std::optional<int> code, std::string text
    ) override {
        const json::value truth = sim_->truth();
        const std::string host(truth.at("members").as_array().at(member).at("host").as_string());
        add(model::queue_row(host, status, code, text));
    }

    void drift(Need what, std::size_t member) override { add(model::drift(what, member)); }

    void partial_authority(bool mismatched) override {
        make(mismatched ? model::Authority::mismatched : model::Authority::partial);
    }

    bool all_fired() override {
        const json::value truth = sim_->truth();
        const json::array& fired = truth.at("fired").as_array();
        return std::ranges::all_of(armed_, [&](const std::string& name) {
            return std::ranges::any_of(fired, [&](const json::value& one) {
                return one.at("fault").as_string() == name;
            });
        });
    }

    std::vector<Table> tables(std::size_t member) override {
        end_if_interrupted();
        std::vector<Table> tables;
        const json::value truth = sim_->truth();
        for (const json::value& table : truth.at("members").as_array().at(member).at("tables").as_array())
            tables.emplace_back(
                std::string(table.at("name").as_string()), std::string(table.at("uuid").as_string())
            );
        return tables;
    }

    std::vector<Entry> entries() override {
        std::vector<Entry> entries;
        const json::value truth = sim_->truth();
        for (const json::value& one : truth.at("queue").as_array()) {
            Entry entry;
            entry.name = one.at("entry").as_string();
            entry.token = one.at("token").as_string();
            entry.query = one.at("query").as_string();
            entries.push_back(std::move(entry));
        }
        return entries;
    }

    std::optional<std::vector<std::int64_t>>
    executed(const std::string& token, Statement statement) override {
        std::vector<std::int64_t> counts(members(), 0);
        const json::value truth = sim_->truth();
        for (const json::value& one : truth.at("executions").as_array())
            if (one.at("token").as_string() == token && one.at("class").as_string() == text(statement))
                ++counts.at(one.at("member").to_number<std::size_t>());
        return counts;
    }

    std::int64_t rows(std::size_t member, const std::string& table) override {
        return sim_->rows_of(table).at(member);
    }

  private:
    void make(model::Authority authority) {
        armed_.clear();
        sim_.reset();
        const std::string file = (folder_ / "scenario.json").string();
        std::ofstream(file) << json::serialize(model::scenario(setup_, old_rows, authority));
        sim_ = std::make_unique<SimProcess>(std::vector<std::string>{"--scenario", file});
        client_.aim(sim_->urls(), "db", setup_.absent);
    }

    void add(const sim::Fault& fault) { sim_->add_fault(json::serialize(sim::to_json(fault))); }

    void arm(sim::Fault fault) {
        fault.name = "armed-" + std::to_string(armed_.size() + 1);
        armed_.push_back(fault.name);
        add(fault);
    }

    std::unique_ptr<Process> held_at(const Call& call, Statement statement, unsigned nth, Moment moment) {
        const model::Occasion occasion(statement, nth);
        sim::Fault hold(
            moment == Moment::arrived ? sim::Point::arrive : sim::Point::effect,
            occasion.match,
            sim::Effect::hold
        );
        hold.nth = occasion.nth;
        const std::uint64_t before = sim_->fired();
        arm(std::move(hold));
        auto process = client_.start(call);
        if (!sim_->wait_until_fired(before, *process, std::chrono::minutes(1))) {
            end_if_interrupted();
            throw std::runtime_error(
                "no request of the client was held: " + testing::describe(process->wait())
            );
        }
        return process;
    }

    ToolClient client_;
    std::filesystem::path folder_;
    Setup setup_;
    std::unique_ptr<SimProcess> sim_;
    std::vector<std::string> armed_;
};

} // namespace

std::unique_ptr<ClusterUnderTest> served_cluster() {
    return std::make_unique<ServedCluster>();
}

} // namespace onceswap::acceptance
