#include "fixtures/harness/plan_json.hpp"
#include "fixtures/harness/story.hpp"
#include "fixtures/sim/json_fields.hpp"
#include "protocol/verdict.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

// The operator's commands run as processes of a plan: alone, killed at each of their requests, cancelled, and
// beside somebody else's. The judge looks at every step; what is asked here is that the command did it.

using namespace onceswap;
using namespace onceswap::harness;
using protocol::Word;

namespace {

struct Row {
    const char* what;
    Verb verb;
    Word ends;        ///< what `operator` reports
    const char* sent; ///< a request that the command is about
    const char* plan; ///< `operator` is the process with the command
};

constexpr Row rows[] = {
    {"abandon of what was only prepared",
     Verb::abandon,
     Word::abandoned,
     "authority_update",
     R"({"processes": [
            {"client": "p1", "invocation": "run-1", "rows": 3},
            {"client": "operator", "verb": "abandon", "after": "p1"}],
         "faults": [{"point": "effect", "match": {"class": "authority_insert"}, "effect": "crash_client"}]})"
    },
    {"retire of a publication that was lost",
     Verb::retire,
     Word::abandoned,
     "rename",
     R"({"members": 3,
         "processes": [
            {"client": "p1", "invocation": "run-1", "rows": 3},
            {"client": "operator", "verb": "retire", "after": "p1"}],
         "faults": [{"point": "arrive", "match": {"class": "exchange"}, "effect": "lose"},
                    {"point": "arrive", "match": {"class": "exchange"}, "effect": "crash_client"}]})"},
    {"retire of a first publication that was lost",
     Verb::retire,
     Word::abandoned,
     "rename",
     R"({"target_exists": false,
         "processes": [
            {"client": "p1", "invocation": "run-1", "rows": 3},
            {"client": "operator", "verb": "retire", "after": "p1"}],
         "faults": [{"point": "arrive", "match": {"class": "rename"}, "effect": "lose"},
                    {"point": "arrive", "match": {"class": "rename"}, "effect": "crash_client"}]})"},
    {"retire of what is committed",
     Verb::retire,
     Word::completed,
     "rename",
     R"({"processes": [
            {"client": "p1", "invocation": "run-1", "rows": 3, "cleanup": false},
            {"client": "operator", "verb": "retire", "after": "p1"}]})"},
    {"close of what is committed",
     Verb::close,
     Word::completed,
     "authority_update",
     R"({"members": 3,
         "processes": [
            {"client": "p1", "invocation": "run-1", "rows": 3, "cleanup": false},
            {"client": "operator", "verb": "close", "after": "p1"}]})"},
    {"close after the set-aside",
     Verb::close,
     Word::completed,
     "authority_update",
     R"({"processes": [
            {"client": "p1", "invocation": "run-1", "rows": 3},
            {"client": "operator", "verb": "close", "after": "p1", "at_us": 5000000}],
         "faults": [{"point": "enqueued", "match": {"token": "-aside-"}, "effect": "crash_client"}]})"},
    {"orphans drop after an abandon",
     Verb::drop_orphans,
     Word::abandoned,
     "drop",
     R"({"processes": [
            {"client": "p1", "invocation": "run-1", "rows": 3},
            {"client": "p2", "verb": "abandon", "after": "p1"},
            {"client": "operator", "verb": "drop_orphans", "after": "p2"}],
         "faults": [{"point": "effect", "match": {"class": "authority_insert"}, "effect": "crash_client"}]})"
    },
};

Plan plan_of(const Row& row) {
    return plan_from_json(sim::parse_json(row.plan, row.what));
}

Process& operator_of(Plan& plan) {
    const auto found = std::find_if(plan.processes.begin(), plan.processes.end(), [](const Process& one) {
        return one.client == "operator";
    });
    return *found;
}

/// The same command once more, when the first has ended.
void once_more(Plan& plan) {
    Process again = operator_of(plan);
    again.client = "again";
    again.after = "operator";
    again.crash_at = 0;
    again.cancel_at = 0;
    plan.processes.push_back(std::move(again));
}

const Ending* ending_of(const Outcome& outcome, std::string_view client) {
    const auto found = std::find_if(outcome.endings.begin(), outcome.endings.end(), [&](const Ending& one) {
        return one.client == client;
    });
    return found == outcome.endings.end() ? nullptr : &*found;
}

std::string violations(const Outcome& outcome) {
    std::string text;
    for (const Violation& violation : outcome.violations)
        text += std::string(harness::text(violation.invariant)) + ": " + violation.detail + "\n";
    for (const std::string& unknown : outcome.unknowns)
        text += "not settled: " + unknown + "\n";
    return text;
}

/// It held, and everything was settled in the end.
bool holds(const Outcome& outcome) {
    return outcome.violations.empty() && outcome.unknowns.empty();
}

/// Classes of what `operator` asked the members, in their order.
std::vector<std::string> asked(std::string_view trace) {
    std::vector<std::string> classes;
    std::istringstream lines{std::string(trace)};
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find(" request ");
        if (at == std::string::npos || !line.ends_with(" from operator"))
            continue;
        const std::string rest = line.substr(at + std::string_view(" request ").size());
        classes.push_back(rest.substr(0, rest.find(' ')));
    }
    return classes;
}

Outcome traced(const Plan& plan) {
    StoryOptions options;
    options.trace = true;
    return run(plan, options);
}

/// What changes anything, without the facade and staging that no command of an operator sends.
bool changes_anything(const std::string& request) {
    return request == "rename" || request == "drop" || request == "authority_update" ||
           request == "authority_insert" || request == "exchange";
}

} // namespace

BOOST_AUTO_TEST_SUITE(operator_verbs)

BOOST_AUTO_TEST_CASE(each_does_what_it_is_for) {
    for (const Row& row : rows) {
        const Outcome outcome = traced(plan_of(row));
        BOOST_TEST_CONTEXT(row.what << "\n" << violations(outcome)) {
            BOOST_TEST(holds(outcome));
            const Ending* ending = ending_of(outcome, "operator");
            BOOST_TEST_REQUIRE((ending != nullptr && ending->report));
            const protocol::Report& report = *ending->report;
            BOOST_TEST(!report.stopped_by, report.stopped_detail);
            BOOST_TEST(
                protocol::text(report.verdict.word) == protocol::text(row.ends), report.verdict.detail
            );
            const bool keeps = row.verb == Verb::retire || row.verb == Verb::close;
            BOOST_TEST(report.retained.empty() != keeps);
            std::vector<std::string> sent = asked(outcome.trace);
            std::erase_if(sent, [](const std::string& request) { return !changes_anything(request); });
            BOOST_TEST((std::find(sent.begin(), sent.end(), row.sent) != sent.end()));
            const bool writes_alone = row.verb == Verb::abandon || row.verb == Verb::close;
            BOOST_TEST((!writes_alone || sent.size() == 1U));
        }
    }
}

BOOST_AUTO_TEST_CASE(killed_at_any_request_it_can_be_given_again) {
    for (const Row& row : rows) {
        const std::vector<std::string> requests = asked(traced(plan_of(row)).trace);
        BOOST_TEST(!requests.empty(), row.what);
        for (unsigned n = 1; n <= requests.size(); ++n)
            for (const sim::Point point : {sim::Point::arrive, sim::Point::effect, sim::Point::reply}) {
                const bool changes = changes_anything(requests[n - 1]);
                if (!changes && (point != sim::Point::reply || n % 5 != 0))
                    continue; // one read is lost like another
                Plan plan = plan_of(row);
                operator_of(plan).crash_at = n;
                operator_of(plan).crash_point = point;
                once_more(plan);
                const Outcome outcome = run(plan);
                BOOST_TEST(holds(outcome), row.what << "\n" << to_text(plan) << violations(outcome));
            }
    }
}

BOOST_AUTO_TEST_CASE(cancelled_at_any_step_it_says_so_or_is_done) {
    for (const Row& row : rows) {
        bool ended_before = false;
        for (std::uint64_t step = 1; step < 2'000 && !ended_before; step += 19) {
            Plan plan = plan_of(row);
            operator_of(plan).cancel_at = step;
            once_more(plan);
            const Outcome outcome = run(plan);
            const Ending* ending = ending_of(outcome, "operator");
            BOOST_TEST(holds(outcome), row.what << "\n" << to_text(plan) << violations(outcome));
            BOOST_TEST_REQUIRE((ending != nullptr && ending->report));
            ended_before = !ending->report->stopped_by;
        }
        BOOST_TEST(ended_before, row.what);
    }
}

BOOST_AUTO_TEST_CASE(beside_another_command_nothing_breaks) {
    for (const Row& row : rows)
        for (const Verb other : {Verb::resume, Verb::abandon, Verb::retire, Verb::close, Verb::drop_orphans})
            for (std::uint64_t order = 1; order <= 4; ++order) {
                Plan plan = plan_of(row);
                plan.scheduler_seed = order;
                Process beside = operator_of(plan);
                beside.client = "beside";
                beside.verb = other;
                plan.processes.push_back(std::move(beside));
                const Outcome outcome = run(plan);
                BOOST_TEST(holds(outcome), row.what << "\n" << to_text(plan) << violations(outcome));
            }
}

BOOST_AUTO_TEST_SUITE_END()
