#include "engine/refused_read.hpp"
#include "protocol/report.hpp"
#include "simulation/bench.hpp"

#include <boost/test/unit_test.hpp>

// Members that answer, and refuse: what the refusal means is said by its code, and nothing is sent.

using namespace onceswap;
using namespace onceswap::simulation;
using protocol::Code;

namespace {

sim::Fault
refusal(int code, std::string text, sim::Match of = sim::Match(protocol::StatementKind::catalogue)) {
    sim::Fault fault;
    fault.point = sim::Point::arrive;
    fault.match = std::move(of);
    fault.effect = sim::Effect::answer;
    fault.code = code;
    fault.text = std::move(text);
    fault.times = 0; // all that follow
    return fault;
}

} // namespace

BOOST_AUTO_TEST_SUITE(refused_reads)

BOOST_AUTO_TEST_CASE(each_code) {
    for (const auto& [server_code, code] :
         {std::pair{516, Code::access_insufficient},
          {193, Code::access_insufficient},
          {192, Code::access_insufficient},
          {194, Code::access_insufficient},
          {497, Code::access_insufficient},
          {512, Code::access_insufficient},
          {43, Code::capability_missing},
          {46, Code::capability_missing},
          {47, Code::capability_missing},
          {50, Code::capability_missing},
          {60, Code::capability_missing},
          {62, Code::capability_missing},
          {63, Code::capability_missing},
          {73, Code::capability_missing},
          {115, Code::capability_missing},
          {164, Code::capability_missing},
          {452, Code::capability_missing},
          {202, Code::connection_failed},
          {999, Code::connection_failed},
          {0, Code::connection_failed},
          {-1, Code::connection_failed}})
        BOOST_TEST((engine::code_of_refused_read(server_code) == code), server_code);
}

/// The version comes of a second question, and only where the first was not understood.
BOOST_AUTO_TEST_CASE(a_server_that_does_not_know_what_it_is_asked_says_its_version) {
    Bench bench;
    bench.world.add(refusal(115, "Unknown setting http_write_exception_in_output_format"));
    const auto report = bench.publish("run-1");
    BOOST_REQUIRE(report.has_value());
    BOOST_TEST_CONTEXT(describe(report)) {
        BOOST_TEST((report->stopped_by == Code::capability_missing));
        BOOST_TEST(report->stopped_detail.find("is version 24.8") != std::string::npos);
        BOOST_TEST(report->stopped_detail.find("needed is 23.10 or later") != std::string::npos);
        BOOST_TEST(report->stopped_detail.find("Unknown setting") != std::string::npos);
    }
    BOOST_TEST(bench.world.truth().executions.empty());
    BOOST_TEST(bench.world.truth().authority_writes.empty());
}

BOOST_AUTO_TEST_CASE(a_server_that_does_not_say_its_version_either) {
    Bench bench;
    bench.world.add(refusal(62, "Syntax error"));
    bench.world.add(refusal(62, "Syntax error", sim::Match(protocol::StatementKind::version)));
    const auto report = bench.observe();
    BOOST_REQUIRE(report.has_value());
    BOOST_TEST((report->stopped_by == Code::capability_missing));
    BOOST_TEST(report->stopped_detail.find("is version unknown") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_wrong_password_is_not_the_network) {
    Bench bench;
    bench.world.add(refusal(516, "Authentication failed"));
    const auto report = bench.observe();
    BOOST_REQUIRE(report.has_value());
    BOOST_TEST((report->stopped_by == Code::access_insufficient));
    BOOST_TEST(report->stopped_detail.find("Authentication failed") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
