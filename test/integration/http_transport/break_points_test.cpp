#include "http_transport/response.hpp"
#include "http_transport/transport_error.hpp"
#include "loop_fixture.hpp"
#include "test_certificates.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>

namespace onceswap::test {
namespace {

using http::BodyShape;
using http::TransportError;
using protocol::MutationKind;
using protocol::Outcome;

const std::string replies[] = {
    reply(200, one_row),
    chunked_reply(200, {one_row.substr(0, 10), one_row.substr(10)}, "Keep-Alive: timeout=3, max=9999\r\n"),
    "HTTP/1.1 100 Continue\r\n\r\n" + reply(200, one_row),
    reply(400, "Code: 62. DB::Exception: Syntax error\n", "X-ClickHouse-Exception-Code: 62\r\n"),
};

enum class End { orderly, abrupt, reset };

const char* text(End end) {
    switch (end) {
    case End::orderly:
        return "FIN";
    case End::abrupt:
        return "FIN without close_notify";
    case End::reset:
        return "RST";
    }
    return "";
}

Script cut_script(const std::string& whole, std::size_t size, End end) {
    Script script = {read_request(), send(whole.substr(0, size))};
    switch (end) {
    case End::orderly:
        script.push_back(finish());
        break;
    case End::abrupt:
        script.push_back(cut());
        break;
    case End::reset:
        script.push_back(reset());
        break;
    }
    return script;
}

/// A reply that is not whole proves nothing, wherever it ends and however.
void check_cut(const http::Exchange& exchange, std::size_t size, End end) {
    const http::Evidence& evidence = exchange.evidence;
    BOOST_TEST(!evidence.reply_complete);
    BOOST_TEST(static_cast<bool>(evidence.error));
    BOOST_TEST(evidence.bytes_handed_over > 0u);
    if (end != End::reset) { // what a reset throws away is the kernel's choice
        BOOST_TEST(evidence.any_reply_byte == (size > 0));
        const TransportError expected =
            size == 0 ? TransportError::closed_without_reply : TransportError::truncated;
        BOOST_TEST((evidence.error == expected), evidence.error.message());
    }
    for (const auto kind : {MutationKind::authority, MutationKind::ddl, MutationKind::insert}) {
        for (const auto shape : {BodyShape::empty, BodyShape::result_set}) {
            const Outcome outcome = classify_outcome(kind, observe(exchange, shape));
            BOOST_TEST((outcome == Outcome::outcome_unknown), protocol::text(outcome));
        }
    }
    BOOST_TEST(!successful_body(exchange).has_value());
}

} // namespace

BOOST_AUTO_TEST_SUITE(break_points)

BOOST_AUTO_TEST_CASE(a_mutation_whose_reply_is_cut_at_every_byte) {
    for (const std::string& whole : replies) {
        for (const End end : {End::orderly, End::reset}) {
            for (std::size_t size = 0; size < whole.size(); ++size) {
                BOOST_TEST_CONTEXT(text(end) << " after " << size << " bytes of " << whole) {
                    LoopFixture fixture;
                    ScriptedServer server(fixture.loop, {cut_script(whole, size, end)});
                    const auto exchange = fixture.mutate(server, insert_request());
                    check_cut(exchange, size, end);
                    BOOST_TEST(server.accepted() == 1u);
                    BOOST_TEST(server.requests() == 1u);
                    BOOST_TEST(fixture.transport().sends() == 1u);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(the_whole_reply_counts_however_the_connection_ends) {
    for (const std::string& whole : replies) {
        for (const End end : {End::orderly, End::abrupt}) {
            LoopFixture fixture;
            ScriptedServer server(fixture.loop, {cut_script(whole, whole.size(), end)});
            const auto exchange = fixture.mutate(server, insert_request());
            BOOST_TEST(exchange.evidence.reply_complete);
            BOOST_TEST(!exchange.evidence.error);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_read_is_tried_again_only_if_no_reply_byte_came) {
    const std::string& whole = replies[1];
    for (const End end : {End::orderly, End::reset}) {
        for (std::size_t size = 0; size < whole.size(); ++size) {
            BOOST_TEST_CONTEXT(text(end) << " after " << size << " bytes") {
                LoopFixture fixture;
                ScriptedServer server(
                    fixture.loop,
                    {cut_script(whole, size, end), {read_request(), send(whole)}, {read_request()}}
                );
                const auto exchange = fixture.read(server, select_request());
                const bool again = !exchange.evidence.any_reply_byte || exchange.evidence.reply_complete;
                if (end == End::orderly) {
                    BOOST_TEST(again == (size == 0));
                }
                BOOST_TEST(exchange.evidence.reply_complete == again);
                BOOST_TEST(exchange.evidence.attempts == (again ? 2u : 1u));
                BOOST_TEST(server.accepted() == exchange.evidence.attempts);
                BOOST_TEST(fixture.transport().sends() == 0u);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_read_is_tried_again_once) {
    LoopFixture fixture;
    ScriptedServer server(
        fixture.loop,
        {{read_request(), finish()}, {read_request(), finish()}, {read_request(), send(reply(200, one_row))}}
    );
    const auto exchange = fixture.read(server, select_request());
    BOOST_TEST(!exchange.evidence.reply_complete);
    BOOST_TEST(exchange.evidence.attempts == 2u);
    BOOST_TEST(server.accepted() == 2u);
    // The second try has an id of its own: the first may still run.
    BOOST_TEST(server.received()[0].find("query_id=onceswap-test-1&") != std::string::npos);
    BOOST_TEST(server.received()[1].find("query_id=onceswap-test-1-again&") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(over_tls_a_reply_cut_at_every_byte) {
    const TestCertificates certificates;
    const auto tls = certificates.server("IP:127.0.0.1");
    auto options = patient_options();
    options.tls.ca_file = certificates.ca_file();
    const std::string& whole = replies[1];
    for (const End end : {End::orderly, End::abrupt, End::reset}) {
        for (std::size_t size = 0; size < whole.size();
             size += (size < 4 || size + 8 > whole.size()) ? std::size_t{1} : std::size_t{7}) {
            BOOST_TEST_CONTEXT(text(end) << " after " << size << " bytes") {
                LoopFixture fixture;
                fixture.transport(options);
                ScriptedServer server(fixture.loop, {cut_script(whole, size, end)}, tls);
                const auto exchange = fixture.mutate(server, insert_request());
                check_cut(exchange, size, end);
                BOOST_TEST(server.requests() == 1u);
                BOOST_TEST(fixture.transport().sends() == 1u);
            }
        }
        if (end != End::reset) {
            LoopFixture fixture;
            fixture.transport(options);
            ScriptedServer server(fixture.loop, {cut_script(whole, whole.size(), end)}, tls);
            const auto exchange = fixture.mutate(server, insert_request());
            BOOST_TEST(exchange.evidence.reply_complete, text(end));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

/// Every step of a call fails once, in every way; the sweep ends with the first run whose failing step was
/// not reached.
BOOST_AUTO_TEST_SUITE(fault_sweeps)

namespace {

void sweep(
    StepPlan::What what, const http::TransportOptions& options, std::shared_ptr<boost::asio::ssl::context> tls
) {
    bool reached_end = false;
    std::size_t fault_free_steps = 0;
    for (std::size_t step = 1; !reached_end; ++step) {
        BOOST_TEST_CONTEXT("fault " << static_cast<int>(what) << " at step " << step) {
            LoopFixture fixture;
            const auto plan = std::make_shared<StepPlan>();
            plan->what = what;
            plan->at_step = step;
            fixture.transport(options, shaped_by(plan));
            ScriptedServer server(fixture.loop, {{read_request(), send(reply(200, ""))}}, tls);
            const auto exchange = fixture.mutate(server, insert_request());
            const http::Evidence& evidence = exchange.evidence;
            const Outcome outcome =
                classify_outcome(MutationKind::insert, observe(exchange, BodyShape::empty));
            const bool executed = server.requests() == 1 && server.received()[0].ends_with("VALUES (1)");
            // The one thing that must never be wrong.
            BOOST_TEST((outcome != Outcome::not_sent || !executed));
            BOOST_TEST((outcome != Outcome::acknowledged || executed));
            BOOST_TEST(fixture.transport().sends() <= 1u);
            BOOST_TEST(server.accepted() <= 1u);
            if (plan->reached() && what != StepPlan::What::one_byte) {
                BOOST_TEST(
                    (outcome == Outcome::not_sent || outcome == Outcome::outcome_unknown),
                    protocol::text(outcome)
                );
                BOOST_TEST((evidence.error || evidence.request_cut));
            } else {
                BOOST_TEST((outcome == Outcome::acknowledged), protocol::text(outcome));
            }
            reached_end = !plan->reached();
            fault_free_steps = plan->steps;
        }
        BOOST_REQUIRE(step < 1'000);
    }
    BOOST_TEST(fault_free_steps >= 3u); // a look, a write, a read at least: the sweep swept something
}

} // namespace

BOOST_AUTO_TEST_CASE(plain) {
    for (const auto what :
         {StepPlan::What::fail,
          StepPlan::What::fail_after,
          StepPlan::What::end_of_stream,
          StepPlan::What::one_byte}) {
        sweep(what, patient_options(), nullptr);
    }
}

BOOST_AUTO_TEST_CASE(tls) {
    const TestCertificates certificates;
    auto options = patient_options();
    options.tls.ca_file = certificates.ca_file();
    for (const auto what :
         {StepPlan::What::fail,
          StepPlan::What::fail_after,
          StepPlan::What::end_of_stream,
          StepPlan::What::one_byte}) {
        sweep(what, options, certificates.server("IP:127.0.0.1"));
    }
}

BOOST_AUTO_TEST_CASE(every_step_moves_one_byte) {
    const TestCertificates certificates;
    for (const bool with_tls : {false, true}) {
        auto options = patient_options();
        options.tls.ca_file = certificates.ca_file();
        LoopFixture fixture;
        const auto plan = std::make_shared<StepPlan>();
        plan->what = StepPlan::What::one_byte;
        fixture.transport(options, shaped_by(plan));
        ScriptedServer server(
            fixture.loop,
            {{read_request(), send(chunked_reply(200, {one_row}))}},
            with_tls ? certificates.server("IP:127.0.0.1") : nullptr
        );
        const auto exchange = fixture.mutate(server, insert_request());
        BOOST_TEST(exchange.evidence.reply_complete);
        BOOST_TEST(exchange.response.value().body == one_row);
        BOOST_TEST(exchange.evidence.bytes_handed_over == server.received()[0].size());
        BOOST_TEST(fixture.transport().sends() == 1u);
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::test
