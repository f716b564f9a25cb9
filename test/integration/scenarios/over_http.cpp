#include "over_http.hpp"

#include "published_schema.hpp"
#include "sim_process.hpp"
#include "workshop.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

namespace onceswap::scenarios {

namespace json = boost::json;
using testing::Ended;
using testing::Words;
using testing::operator+;
using Run = sim::ScenarioStep::Run;

namespace {

class Steps {
  public:
    Steps(
        const std::string& path,
        const sim::ScenarioFile& file,
        const std::string& folder,
        std::vector<std::string>& complaints
    )
        : file_(file), folder_(folder), complaints_(complaints), sim_({"--scenario", path}) {}

    StepOutcome run(const sim::ScenarioStep& step) {
        StepOutcome outcome;
        outcome.truth_before = sim_.truth();
        const Ended ended = call(step, arguments(step) + Words{"--json"});
        outcome.exit = ended.code;
        outcome.document =
            step.run == Run::orphans_drop && ended.out.empty() ? refusal_of(ended) : parse(step.run, ended);
        outcome.truth = sim_.truth();
        if (step.run == Run::status && file_.scenario.faults.empty() && file_.scenario.timeline.empty())
            compare_table(step);
        return outcome;
    }

    /// Holds every document read so far against its schema: once for all of them, as each check is a process.
    void check_documents() const {
        for (const auto& [schema, lines] : documents_) {
            const std::string problems = testing::published_schema_problems(schema, lines);
            if (!problems.empty())
                complaints_.push_back(schema + ": " + problems);
        }
    }

  private:
    Words where(const sim::ScenarioStep& step) const {
        const std::string& cluster = file_.scenario.clusters.front().name;
        Words words{
            "--cluster", step.with.cluster.empty() ? cluster : step.with.cluster, "--table", step.with.table
        };
        for (std::size_t member = 0; member < sim_.urls().size(); ++member) {
            const auto& given = step.with.urls;
            if (given.empty() || std::find(given.begin(), given.end(), member) != given.end())
                words = words + Words{"--url", sim_.urls()[member]};
        }
        const std::string user = user_of(step).name;
        if (user != "default")
            words = words + Words{"--user", user};
        if (step.with.read_timeout_ms != 0)
            words = words + Words{"--read-timeout", std::to_string(step.with.read_timeout_ms) + "ms"};
        if (step.with.timeout_ms != 0)
            words = words + Words{"--timeout", std::to_string(step.with.timeout_ms) + "ms"};
        return words;
    }

    sim::UserSetup user_of(const sim::ScenarioStep& step) const {
        for (const sim::UserSetup& user : file_.scenario.users)
            if (step.with.user.empty() || user.name == step.with.user)
                return user;
        return {};
    }

    Words load(const sim::ScenarioStep& step) {
        const std::string name = folder_ + "/" + std::to_string(++files_) + ".ndjson";
        std::ofstream rows(name, std::ios::binary);
        for (std::uint64_t row = 0; row < step.with.rows; ++row)
            rows << "{\"id\":" << row << ",\"name\":\"row\"}\n";
        Words words{
            "--from", name, "--invocation-id", step.with.invocation, "--plan-digest", std::string(64, 'a')
        };
        if (!step.with.like.empty())
            words = words + Words{"--like", step.with.like};
        if (!step.with.cleanup)
            words.emplace_back("--no-cleanup");
        if (step.with.accept_lost_authority)
            words.emplace_back("--accept-lost-authority");
        return words;
    }

    Words arguments(const sim::ScenarioStep& step) {
        const Words verb{std::string(text(step.run))};
        switch (step.run) {
        case Run::status:
            return verb + where(step);
        case Run::plan:
            return verb + where(step) + load(step);
        case Run::publish:
            return verb + where(step) + load(step) + Words{"--execute"};
        case Run::resume:
            return verb + where(step) + Words{"--execute"};
        case Run::abandon:
        case Run::retire:
            return verb + where(step) + pins(step) + Words{"--execute"};
        case Run::close:
            return verb + where(step) + pins(step) + Words{"--keep-predecessor", "--execute"};
        case Run::orphans_list:
            return Words{"orphans", "list"} + where(step);
        case Run::orphans_drop:
            return Words{"orphans", "drop"} + where(step) + pins(step) +
                   Words{"--name", step.with.name, "--execute"};
        case Run::doctor:
            return verb + where(step) + doctor_words(step);
        }
        return verb;
    }

    static Words doctor_words(const sim::ScenarioStep& step) {
        Words words;
        if (!step.with.operation.empty())
            words = words + Words{"--operation", step.with.operation};
        if (!step.with.like.empty())
            words = words + Words{"--like", step.with.like};
        if (step.with.accept_lost_authority)
            words.emplace_back("--accept-lost-authority");
        return words;
    }

    /// What a status shows, as an operator copies it, unless the step says another one.
    Words pins(const sim::ScenarioStep& step) {
        const Ended seen =
            testing::run(testing::reconcile_watch(), Words{"status"} + where(step) + Words{"--json"});
        const json::object document = parse(Run::status, seen);
        const std::string operation = step.with.operation.empty()
                                          ? std::string(document.at("operation_id").as_string())
                                          : step.with.operation;
        const std::string version = step.with.version
                                        ? std::to_string(*step.with.version)
                                        : std::string(document.at("record_version").as_string());
        return {"--operation", operation, "--version", version};
    }

    Ended call(const sim::ScenarioStep& step, const Words& words) const {
        std::map<std::string, std::string> environment;
        const sim::UserSetup user = user_of(step);
        if (!user.password.empty())
            environment["ONCESWAP_PASSWORD"] = user.password;
        const bool watches = step.run == Run::status || step.run == Run::doctor;
        const std::string program = watches ? testing::reconcile_watch() : testing::refresh_load();
        return testing::run(program, words, {}, environment);
    }

    /// What a command that was refused before there was a report says: `PROGRAM: CODE: why`.
    static json::object refusal_of(const Ended& ended) {
        const std::size_t begin = ended.err.find("ONCESWAP_");
        const std::size_t end = ended.err.find(':', begin == std::string::npos ? 0 : begin);
        if (begin == std::string::npos || end == std::string::npos)
            throw std::runtime_error("neither a document nor a code: " + testing::describe(ended));
        json::object stopped;
        stopped["code"] = ended.err.substr(begin, end - begin);
        json::object document;
        document["stopped"] = std::move(stopped);
        document["says"] = ended.err;
        return document;
    }

    static std::string schema_of(Run run) {
        if (run == Run::doctor)
            return "doctor.schema.json";
        if (run == Run::orphans_drop)
            return "orphans-drop.schema.json";
        return run == Run::orphans_list ? "orphans.schema.json" : "report.schema.json";
    }

    json::object parse(Run run, const Ended& ended) {
        boost::system::error_code error;
        const json::value document = json::parse(ended.out, error);
        if (error || !document.is_object())
            throw std::runtime_error("no document: " + testing::describe(ended));
        json::object read = document.as_object();
        json::object checked = read;
        if (run == Run::plan)
            checked.erase("steps");
        documents_[schema_of(run)] += json::serialize(checked) + '\n';
        return run == Run::orphans_drop ? read.at("report").as_object() : read;
    }

    void compare_table(const sim::ScenarioStep& step) {
        const Ended ended = call(step, arguments(step));
        if (ended.code != step.exit)
            complaints_.push_back("the table's exit code: " + testing::describe(ended));
        const bool has_verdict = ended.out.find("Verdict:   " + step.verdict + "\n") != std::string::npos;
        if (!has_verdict && !step.stopped)
            complaints_.push_back("the table does not say the verdict: " + testing::describe(ended));
    }

    const sim::ScenarioFile& file_;
    std::string folder_;
    std::vector<std::string>& complaints_;
    testing::SimProcess sim_;
    unsigned files_ = 0;
    std::map<std::string, std::string> documents_; ///< by schema, one a line
};

} // namespace

std::vector<StepOutcome> run_over_http(
    const std::string& path,
    const sim::ScenarioFile& file,
    const std::string& folder,
    std::vector<std::string>& complaints
) {
    Steps steps(path, file, folder, complaints);
    std::vector<StepOutcome> outcomes;
    for (const sim::ScenarioStep& step : file.steps)
        outcomes.push_back(steps.run(step));
    steps.check_documents();
    return outcomes;
}

} // namespace onceswap::scenarios
