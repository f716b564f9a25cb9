#include "acceptance/run_suite.hpp"

#include "acceptance/interruption.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <ctime>

namespace onceswap::acceptance {

namespace json = boost::json;

namespace {

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

/// The state at the end, asked of the cluster itself.
void note_state(Trial& trial) {
    ClusterUnderTest& cluster = trial.cluster();
    for (std::size_t member = 0; member < cluster.members(); ++member) {
        json::object names;
        for (const Table& table : cluster.tables(member))
            names[table.name] = table.uuid;
        trial.note("tables of member " + std::to_string(member), std::move(names));
    }
    json::array entries;
    for (const Entry& entry : cluster.entries())
        entries.push_back(
            json::object{{"entry", entry.name}, {"log_comment", entry.token}, {"query", entry.query}}
        );
    trial.note("entries", std::move(entries));
}

Row run_one(ClusterUnderTest& cluster, const Scenario& scenario, const std::string& evidence) {
    Row row;
    row.scenario = scenario.name;
    for (const Need need : scenario.needs) {
        if (const auto reason = cluster.lacks(need)) {
            row.result = Result::skipped;
            row.reason = std::string(text(need)) + ": " + *reason;
            return row;
        }
    }
    const auto begin = std::chrono::steady_clock::now();
    Trial trial(cluster);
    bool begun = false;
    try {
        cluster.begin(scenario.name, scenario.setup);
        begun = true;
        scenario.run(trial);
    } catch (const Interrupted&) {
        throw;
    } catch (const NotOffered& missing) {
        row.result = Result::skipped;
        row.reason = missing.what();
    } catch (const std::exception& failed) {
        end_if_interrupted(); // a signal to the whole group ends the clients, too
        row.result = Result::failed;
        row.reason = failed.what();
    }
    if (begun && row.result != Result::skipped) {
        try {
            const Executions executed = trial.executions();
            if (executed.known)
                row.executed = executed.per_member;
            note_state(trial);
        } catch (const Interrupted&) {
            throw;
        } catch (const std::exception& failed) {
            row.result = Result::failed;
            row.reason +=
                (row.reason.empty() ? "" : "; ") + std::string("its end cannot be read: ") + failed.what();
        }
    }
    if (begun)
        cluster.end();
    row.took =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    if (!evidence.empty() && row.result != Result::skipped) {
        const std::string name = std::string(cluster.fixture()) + "-" + scenario.name + ".json";
        write_file(
            evidence + "/" + name,
            json::serialize(json::object{
                {"scenario", scenario.name},
                {"fixture", cluster.fixture()},
                {"result", text(row.result)},
                {"reason", row.reason},
                {"evidence", trial.evidence()}
            }) + "\n"
        );
        row.evidence.push_back(name);
    }
    return row;
}

} // namespace

Receipt run_suite(
    ClusterUnderTest& cluster,
    const std::vector<Scenario>& scenarios,
    const std::string& evidence,
    const std::function<void(const std::string&)>& said
) {
    Receipt receipt;
    receipt.fixture = cluster.fixture();
    receipt.begun_at = utc_now();
    try {
        receipt.versions = cluster.versions();
        for (const Scenario& scenario : scenarios) {
            end_if_interrupted();
            Row row = run_one(cluster, scenario, evidence);
            said(
                receipt.fixture + " " + row.scenario + ": " + std::string(text(row.result)) +
                (row.reason.empty() ? "" : ": " + row.reason) + " (" + std::to_string(row.took.count()) +
                " ms)"
            );
            receipt.rows.push_back(std::move(row));
        }
        receipt.whole = true;
    } catch (const Interrupted&) {
        said(receipt.fixture + ": interrupted");
    }
    return receipt;
}

} // namespace onceswap::acceptance
