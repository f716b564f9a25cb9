#include "tools/cli/status_table.hpp"

#include "protocol/verdict.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

using namespace onceswap;
using namespace onceswap::cli;

BOOST_AUTO_TEST_SUITE(status_table_text)

namespace {

protocol::Uuid uuid(const char* text) {
    return *protocol::Uuid::parse(text);
}

const protocol::Uuid desired = uuid("11111111-2222-4333-8444-555555555555");
const protocol::Uuid predecessor = uuid("aaaaaaaa-2222-4333-8444-555555555555");

protocol::NameHolding holding(protocol::Role role, const protocol::Uuid& of, const char* path) {
    protocol::NameHolding result;
    result.role = role;
    result.uuid = of;
    result.zookeeper_path = path;
    return result;
}

protocol::Report mixed_report() {
    protocol::Report report;
    report.cluster = "c1";
    report.target.database = "db";
    report.target.table = "languages";
    report.observed_at = 1'760'000'252;
    report.record_updated_at = 1'760'000'000;
    report.operation_id = std::string(64, '3');
    report.phase = protocol::Phase::dispatching;
    report.dispatch_epoch = 1;
    report.record_version = 2;
    report.candidate = "onceswap_0123456789ab_33333333_00c0ffee";
    report.entry = "query-0000000376";
    report.evidence = protocol::QueueEvidence::in_progress;
    report.verdict.word = protocol::Word::partial_in_progress;
    report.verdict.reason = protocol::Code::partial_in_progress;
    report.verdict.detail = "ch-2:9000 has not swapped yet";

    protocol::Report::Row first;
    first.state.at.host = "ch-1";
    first.state.at.port = 9000;
    first.state.state = protocol::State::committed;
    first.state.target = holding(
        protocol::Role::desired, desired, "/clickhouse/tables/11111111-2222-4333-8444-555555555555/1"
    );
    first.state.candidate = holding(protocol::Role::predecessor, predecessor, "/clickhouse/tables/a/1");
    first.state.health.known = true;
    first.state.health.healthy = true;
    first.queue_status = "Finished";
    report.members.push_back(first);

    protocol::Report::Row second = first;
    second.state.at.host = "ch-2";
    second.state.state = protocol::State::pending;
    second.state.target = holding(
        protocol::Role::predecessor, predecessor, "/clickhouse/tables/aaaaaaaa-2222-4333-8444-555555555555/1"
    );
    second.state.candidate = holding(protocol::Role::desired, desired, "/clickhouse/tables/d/1");
    second.state.health.healthy = false;
    second.state.health.problems = {"is_readonly", "queue_size 3"};
    second.queue_status = "Active";
    report.members.push_back(second);

    protocol::Report::Row third;
    third.state.at.host = "ch-3";
    third.state.at.port = 9000;
    third.state.state = protocol::State::unavailable;
    third.state.reason = "connection refused";
    report.members.push_back(third);
    report.evidence_gaps = {"ch-3:9000 did not answer"};
    return report;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_CASE(without_a_terminal_everything_is_there_and_nothing_is_cut) {
    const std::string expected =
        R"(target     db.languages on cluster c1
operation  3333333333333333333333333333333333333333333333333333333333333333
record     phase DISPATCHING, epoch 1, version 2, age 4m12s
queue      query-0000000376, in progress
candidate  onceswap_0123456789ab_33333333_00c0ffee

HOST       QUEUE     CODE  TARGET        STAGING       KEEPER PATH                                                RO   STATE
ch-1:9000  Finished  0     new 11111111  old aaaaaaaa  /clickhouse/tables/11111111-2222-4333-8444-555555555555/1  no   COMMITTED
ch-2:9000  Active    0     old aaaaaaaa  new 11111111  /clickhouse/tables/aaaaaaaa-2222-4333-8444-555555555555/1  yes  PENDING
    not healthy: is_readonly, queue_size 3
ch-3:9000  -         -     ?             ?             -                                                          ?    UNAVAILABLE
    connection refused

gap:       ch-3:9000 did not answer
Verdict:   PARTIAL_IN_PROGRESS
Reason:    ONCESWAP_PARTIAL_IN_PROGRESS: ch-2:9000 has not swapped yet
Next:      Wait for this entry and look at the member that lags.
Do not:    send the statement again: members that are done would swap back.
)";
    const std::string got = status_table(mixed_report(), Terminal());
    BOOST_TEST(got == expected, got);
}

BOOST_AUTO_TEST_CASE(no_width_hides_the_verdict) {
    for (std::size_t width = 1; width <= 140; ++width) {
        Terminal terminal;
        terminal.is_terminal = true;
        terminal.width = width;
        const std::string got = status_table(mixed_report(), terminal);
        BOOST_TEST_CONTEXT("width " << width << "\n" << got) {
            BOOST_TEST(contains(got, "\nVerdict:   PARTIAL_IN_PROGRESS\n"));
            BOOST_TEST(contains(got, "\nNext:      Wait for this entry"));
            BOOST_TEST(contains(got, "\nDo not:    send the statement again"));
            BOOST_TEST(!contains(got, "\x1b"));
            const auto lines = lines_of(got);
            const auto host = [](const std::string& line) {
                return line.starts_with("HOST") || line.starts_with("ch-");
            };
            if (width >= 4) {
                BOOST_TEST(std::count_if(lines.begin(), lines.end(), host) == 4);
            }
            for (const std::string& line : lines) {
                if (host(line))
                    BOOST_TEST(line.size() <= width);
            }
        }
    }
    // 80 columns hold the states too, and the uuids' prefixes that tell the generations apart.
    for (const char* role : {"candidate", "aside"}) {
        protocol::Report report = mixed_report();
        if (role == std::string("aside"))
            std::swap(report.members[0].state.candidate, report.members[0].state.aside);
        Terminal terminal;
        terminal.width = 80;
        const std::string got = status_table(report, terminal);
        BOOST_TEST(contains(got, "  COMMITTED\n"), got);
        BOOST_TEST(contains(got, "  UNAVAILABLE\n"), got);
        BOOST_TEST(contains(got, "new 11111111"), got);
        BOOST_TEST(contains(got, "ch-1:9000"), got);
    }
}

BOOST_AUTO_TEST_CASE(colour_changes_nothing_but_colour) {
    Terminal terminal;
    terminal.color = true;
    std::string got = status_table(mixed_report(), terminal);
    BOOST_TEST(contains(got, "Verdict:   \x1b[33mPARTIAL_IN_PROGRESS\x1b[0m\n"));
    BOOST_TEST(contains(got, "\x1b[32mCOMMITTED\x1b[0m\n"));
    BOOST_TEST(contains(got, "\x1b[31mUNAVAILABLE\x1b[0m\n"));
    for (std::size_t at = 0; (at = got.find('\x1b')) != std::string::npos;)
        got.erase(at, got.find('m', at) - at + 1);
    BOOST_TEST(got == status_table(mixed_report(), Terminal()));
}

BOOST_AUTO_TEST_CASE(uuids_that_begin_alike_are_shown_until_they_differ) {
    protocol::Report report = mixed_report();
    report.members[0].state.candidate.uuid = uuid("11111111-2222-4334-8444-555555555555");
    const std::string got = status_table(report, Terminal());
    BOOST_TEST(contains(got, "new 11111111-2222-4333"), got);
    BOOST_TEST(contains(got, "old 11111111-2222-4334"), got);
}

BOOST_AUTO_TEST_CASE(a_server_cannot_write_to_the_terminal) {
    protocol::Report report = mixed_report();
    report.members[0].queue_text = "Code: 60. \x1b[2J\r\nVerdict:   COMMITTED";
    report.members[1].state.reason = "\x07";
    report.target.table = "t\n\x1b]0;x";
    report.warnings = {"\x7f"};
    const std::string got = status_table(report, Terminal());
    BOOST_TEST(!contains(got, "\x1b"));
    BOOST_TEST(!contains(got, "\nVerdict:   COMMITTED"));
    BOOST_TEST(!contains(got, "\x07"));
    BOOST_TEST(!contains(status_line(report), "\x1b"));
}

BOOST_AUTO_TEST_CASE(without_a_record_there_is_only_the_verdict) {
    protocol::Report report;
    report.cluster = "c1";
    report.target.database = "db";
    report.target.table = "t";
    report.verdict.word = protocol::Word::no_record;
    report.verdict.reason = protocol::Code::no_record;
    BOOST_TEST(status_table(report, Terminal()) == R"(target     db.t on cluster c1

Verdict:   NO_RECORD
Reason:    ONCESWAP_NO_RECORD
Next:      Nothing is open; publish when there is something to publish.
)");
    BOOST_TEST(status_line(report) == "NO_RECORD db.t on c1");
    BOOST_TEST(
        status_line(mixed_report()) == "PARTIAL_IN_PROGRESS db.languages on c1: epoch 1, query-0000000376"
    );
}

BOOST_AUTO_TEST_CASE(a_success_has_no_next_step_and_a_refusal_has_its_reason) {
    protocol::Report report = mixed_report();
    report.verdict.word = protocol::Word::completed;
    report.verdict.row = 4;
    report.verdict.detail.clear();
    const std::string done = status_table(report, Terminal());
    BOOST_TEST(done.ends_with("\nVerdict:   COMPLETED\n"), done);
    protocol::Report refused;
    refused.target.database = "db";
    refused.target.table = "t";
    refused.operation_id = std::string(64, '3');
    refused.verdict.word = protocol::Word::no_record;
    refused.verdict.reason = protocol::Code::no_record;
    refused.stopped_by = protocol::Code::target_absent;
    refused.stopped_detail = "db.t";
    const std::string text = status_table(refused, Terminal());
    BOOST_TEST(
        contains(
            text,
            "Verdict:   NO_RECORD\nStopped:   ONCESWAP_TARGET_ABSENT: db.t\nNext:      Create the target"
        ),
        text
    );
    BOOST_TEST(!contains(text, "epoch"), text);
}

BOOST_AUTO_TEST_CASE(findings_in_their_order) {
    protocol::Finding pass;
    pass.severity = protocol::Severity::pass;
    pass.check = "inventory";
    protocol::Finding warn;
    warn.severity = protocol::Severity::warn;
    warn.code = protocol::Code::hazard_clock_skew;
    warn.check = "clocks";
    warn.host = "ch-2:9000";
    warn.detail = "400 s";
    protocol::Finding refuse;
    refuse.severity = protocol::Severity::refuse;
    refuse.code = protocol::Code::database_unsupported;
    refuse.check = "database engine";
    refuse.detail = "Ordinary";
    const std::vector<protocol::Finding> findings = {pass, warn, refuse};
    BOOST_TEST(
        findings_list(findings, true, Terminal()) ==
        "pass    inventory\n"
        "warn    clocks  ONCESWAP_HAZARD_CLOCK_SKEW  ch-2:9000  400 s\n"
        "refuse  database engine  ONCESWAP_DATABASE_UNSUPPORTED  Ordinary\n"
    );
    BOOST_TEST(!contains(findings_list(findings, false, Terminal()), "pass"));
}

BOOST_AUTO_TEST_SUITE_END()
