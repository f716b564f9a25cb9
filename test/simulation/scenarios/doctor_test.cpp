#include "engine/doctor.hpp"
#include "engine/publish.hpp"
#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/scenario_json.hpp"
#include "fixtures/sim/world.hpp"
#include "protocol/leading_refusal.hpp"
#include "protocol/report.hpp"
#include "scenarios/files.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace onceswap;
using namespace onceswap::scenarios;
using protocol::Rule;
using protocol::Standing;
namespace asio = boost::asio;

BOOST_AUTO_TEST_SUITE(doctor)

namespace {

const protocol::TargetName target("db", "target");

std::uint64_t mutations(sim::World& world) {
    const auto& sends = world.cluster().state().truth.sends;
    return static_cast<std::uint64_t>(std::ranges::count_if(sends, [](const auto& send) {
        return sim::is_mutation(send.statement_class);
    }));
}

/// One simulated cluster and one process that looks at it, as the first user of the scenario.
class Bench {
  public:
    explicit Bench(const sim::Scenario& scenario)
        : world_(scenario, 1),
          process_(world_.publisher("p", scenario.users.empty() ? sim::UserSetup() : scenario.users.front())
          ) {
        context_ = std::make_unique<engine::Context>(process_.context(engine::no_events(), engine::Limits()));
        context_->cluster.name = scenario.clusters.front().name;
    }

    engine::Checklist examine(const std::string& operation = {}) {
        engine::DoctorRequest request;
        request.target = target;
        request.user = "watcher";
        request.operation = operation;
        request.deadline = world_.in(std::chrono::minutes(10));
        auto list = world_.run<engine::Checklist>(process_, engine::examine(*context_, request));
        if (!list)
            throw std::runtime_error("the process crashed");
        return *list;
    }

    /// Publishes a table that needs no rows to be told apart from a refused one.
    protocol::Report publish() {
        engine::PublishRequest request;
        request.target = target;
        request.invocation_id = "nobody has run this yet";
        request.plan_digest = std::string(64, 'b');
        request.deadline = world_.in(std::chrono::minutes(10));
        auto report = world_.run<protocol::Report>(
            process_,
            engine::publish(
                *context_, request, [](engine::Context&, const engine::Candidate&) { return no_rows(); }
            )
        );
        if (!report)
            throw std::runtime_error("the process crashed");
        return *report;
    }

    std::uint64_t mutations() { return doctor::mutations(world_); }

  private:
    static asio::awaitable<protocol::Result<std::uint64_t>> no_rows() {
        const protocol::Result<std::uint64_t> none = std::uint64_t{0};
        co_return none;
    }

    std::unique_ptr<engine::Context> context_; // older than the world, whose coroutines refer to it
    sim::World world_;
    sim::Publisher& process_;
};

std::string list(const engine::Checklist& list) {
    std::string out;
    for (const protocol::DoctorLine& line : list.diagnosis.lines)
        if (line.standing != Standing::pass)
            out += "\n  " + std::string(text(line.standing)) + " " + std::string(text(line.rule)) + " " +
                   line.host + ": " + line.seen;
    return out;
}

std::string name(const std::optional<protocol::Code>& code) {
    return code ? std::string(protocol::stable_name(*code)) : "nothing refuses";
}

/// What a publication came to before it sent anything that changes something.
std::optional<protocol::Code> refused_with(const protocol::Report& report) {
    if (const protocol::Finding* refusal = protocol::leading_refusal(report.findings))
        return refusal->code;
    return report.stopped_by;
}

struct Hazard {
    const char* what;
    const char* scenario;
    Rule rule;
    Standing standing;
    const char* host;
    const char* seen;
};

#define TABLE                                                                                                \
    R"({"database":"db","name":"target","rows":3,"columns":[{"name":"id","type":"UInt64"},{"name":"name","type":"String"}])"

const std::vector<Hazard> hazards{
    {"no table yet",
     R"({"members":2,"tables":[{"database":"db","name":"other","columns":[{"name":"id","type":"UInt64"}]}]})",
     Rule::target_pattern,
     Standing::refuse,
     "",
     "exists on no member"},
    {"a healthy cluster before its first publication",
     R"({"members":2,"tables":[)" TABLE R"(}]})",
     Rule::keeper_map_prefix,
     Standing::not_known,
     "ch-1:9000",
     "no KeeperMap table"},
    {"never exchanged",
     R"({"members":2,"tables":[)" TABLE R"(}]})",
     Rule::exchange_proven,
     Standing::not_known,
     "",
     "no completed publication"},
    {"Keeper retries",
     R"({"members":2,"tables":[)" TABLE R"(}],"settings":{"keeper_max_retries":"10"}})",
     Rule::keeper_retries,
     Standing::warn,
     "ch-2:9000",
     "keeper_max_retries is 10"},
    {"members left out",
     R"({"members":2,"tables":[)" TABLE R"(}],"settings":{"skip_unavailable_shards":"1"}})",
     Rule::skip_unavailable_shards,
     Standing::warn,
     "ch-1:9000",
     "skip_unavailable_shards is 1"},
    {"entry format",
     R"({"members":2,"tables":[)" TABLE R"(}],"settings":{"distributed_ddl_entry_format_version":"1"}})",
     Rule::entry_format,
     Standing::refuse,
     "ch-1:9000",
     "needed is 2 or later"},
    {"a constraint",
     R"({"members":2,"tables":[)" TABLE R"(}],"settings":{"log_comment":"readonly:x"}})",
     Rule::settings_changeable,
     Standing::refuse,
     "ch-1:9000",
     "log_comment"},
    {"readonly user",
     R"({"members":2,"tables":[)" TABLE R"(}],"users":[{"name":"watcher","readonly":1}]})",
     Rule::readonly_user,
     Standing::warn,
     "ch-2:9000",
     "readonly is 1"},
    {"missing grants",
     R"({"members":2,"tables":[)" TABLE
     R"(}],"users":[{"name":"watcher","grants":["GRANT SELECT, SHOW, REMOTE ON *.* TO watcher"]}]})",
     Rule::grants,
     Standing::refuse,
     "ch-1:9000",
     "missing: INSERT ON db.*"},
    {"a Distributed table",
     R"({"members":2,"tables":[)" TABLE R"x(},
        {"name":"all","engine_full":"Distributed('c1', 'db', 'target', id)",
         "columns":[{"name":"id","type":"UInt64"}]}]})x",
     Rule::followers,
     Standing::warn,
     "ch-1:9000",
     "Distributed db.all names target"}

    ,
    {"a row policy",
     R"({"members":2,"tables":[)" TABLE
     R"(}],"row_policies":[{"name":"p","database":"db","table":"target"}]})",
     Rule::row_policies,
     Standing::warn,
     "ch-1:9000",
     "row policy 'p'"},
    {"the drop limit",
     R"({"members":2,"tables":[)" TABLE R"(,"total_bytes":60000000000}]})",
     Rule::drop_limit,
     Standing::warn,
     "ch-2:9000",
     "max_table_size_to_drop is 50000000000"},
    {"a macro is missing",
     R"({"members":[{"host":"ch-1"},{"host":"ch-2","macros":{"shard":"01"}}],"tables":[)" TABLE R"(}]})",
     Rule::macros,
     Standing::warn,
     "ch-2:9000",
     "no macro {replica}"},
    {"a secure port in remote_servers",
     R"({"members":[{"host":"ch-1"},{"host":"ch-2","port":9440,"tcp_port":9000}],"tables":[)" TABLE R"(}]})",
     Rule::port_equal,
     Standing::warn,
     "ch-2:9440",
     "says port 9440, the server's tcp_port is 9000"},
    {"a member that does not know itself",
     R"({"members":[{"host":"ch-1"},{"host":"ch-2","is_local":false}],"tables":[)" TABLE R"(}]})",
     Rule::own_row,
     Standing::warn,
     "ch-2:9000",
     "recognizes 0 rows"},
    {"clocks",
     R"({"members":[{"host":"ch-1"},{"host":"ch-2","clock_offset_ms":-400000}],"tables":[)" TABLE R"(}]})",
     Rule::clocks,
     Standing::warn,
     "ch-2:9000",
     " s behind http://ch-1:8123"},
    {"internal_replication",
     R"({"members":2,"clusters":[{"name":"c1","members":[0,1],"internal_replication":false}],"tables":[)" TABLE
     R"(}]})",
     Rule::internal_replication,
     Standing::refuse,
     "http://ch-1:8123",
     "internal_replication is 0"},
    {"two shards",
     R"({"members":2,"clusters":[{"name":"c1","members":[0,1],"shards":2}],"tables":[)" TABLE R"(}]})",
     Rule::cluster_shape,
     Standing::refuse,
     "http://ch-1:8123",
     "several shards"},
    {"one server listed twice",
     R"({"members":[{"host":"ch-1","server_uuid":"5e000000-0000-4000-8000-000000000001"},
        {"host":"ch-2","server_uuid":"5e000000-0000-4000-8000-000000000001"}],"tables":[)" TABLE R"(}]})",
     Rule::servers_differ,
     Standing::refuse,
     "ch-2:9000",
     "one server listed twice"},
    {"a lagging replica",
     R"({"members":2,"tables":[)" TABLE R"(,"replica":{"absolute_delay":"70","queue_size":"4"}}]})",
     Rule::target_lag,
     Standing::warn,
     "ch-1:9000",
     "queue_size 4, absolute_delay 70 s"},
    {"a silent member",
     R"({"members":2,"tables":[)" TABLE
     R"(}],"faults":[{"point":"at_time","at_us":0,"effect":"crash","on":1}]})",
     Rule::endpoint_answers,
     Standing::refuse,
     "http://ch-2:8123",
     "no answer for the catalogue"},
    {"what a silent member leaves open",
     R"({"members":2,"tables":[)" TABLE
     R"(}],"faults":[{"point":"at_time","at_us":0,"effect":"crash","on":1}]})",
     Rule::readonly_user,
     Standing::not_known,
     "http://ch-2:8123",
     "no answer for the environment"},
};

#undef TABLE

} // namespace

BOOST_AUTO_TEST_CASE(each_hazard_of_a_cluster_has_its_line) {
    for (const Hazard& row : hazards) {
        BOOST_TEST_CONTEXT(row.what) {
            Bench bench(sim::scenario_from_json(boost::json::parse(row.scenario)));
            const engine::Checklist checked = bench.examine();
            BOOST_TEST(bench.mutations() == 0);
            BOOST_TEST(
                std::ranges::any_of(
                    checked.diagnosis.lines,
                    [&](const protocol::DoctorLine& line) {
                        return line.rule == row.rule && line.standing == row.standing &&
                               line.host == row.host && line.seen.find(row.seen) != std::string::npos &&
                               !line.remedy.empty();
                    }
                ),
                list(checked)
            );
            // Whatever else is wrong, every rule has its line.
            for (const protocol::RuleRow& rule : protocol::admission_rules())
                BOOST_TEST(
                    std::ranges::any_of(
                        checked.diagnosis.lines,
                        [&](const protocol::DoctorLine& line) { return line.rule == rule.rule; }
                    ),
                    rule.name
                );
        }
    }
}

/// Another operation stands in the slot that whoever comes next finishes first: a publication's words are
/// then about that one.
bool has_open_slot(const engine::Checklist& checked) {
    return std::ranges::any_of(checked.diagnosis.lines, [](const protocol::DoctorLine& line) {
        return line.rule == Rule::slot_free && line.standing == Standing::warn;
    });
}

/// The clusters of all public cases: where doctor refuses, a publication sends nothing that changes anything
/// and ends with that code; where it does not, the publication gets to send something.
BOOST_AUTO_TEST_CASE(a_publication_is_refused_exactly_where_doctor_refuses) {
    std::size_t refused = 0;
    std::size_t admitted = 0;
    std::size_t open = 0;
    for (const auto& path : scenario_paths()) {
        const sim::Scenario scenario = load(path).scenario;
        BOOST_TEST_CONTEXT(path.filename().string()) {
            Bench looked_at(scenario);
            const engine::Checklist checked = looked_at.examine();
            BOOST_TEST(looked_at.mutations() == 0);
            if (has_open_slot(checked)) {
                ++open;
                continue;
            }
            Bench published(scenario);
            const protocol::Report report = published.publish();
            const bool sent = published.mutations() != 0;
            const std::string doctor_says = name(checked.diagnosis.refused_with);
            const std::string publish_says = sent ? name(std::nullopt) : name(refused_with(report));
            BOOST_TEST(
                doctor_says == publish_says,
                "doctor: " << doctor_says << ", publish: " << publish_says << " " << report.stopped_detail
                           << list(checked)
            );
            ++(checked.diagnosis.refused_with ? refused : admitted);
        }
    }
    BOOST_TEST_MESSAGE(
        refused << " scenarios are refused by both, " << admitted << " by neither, " << open
                << " have an operation to finish first"
    );
    BOOST_TEST(refused > 20U);
    BOOST_TEST(admitted > 20U);
}

BOOST_AUTO_TEST_SUITE_END()
