// What the table looks like for each verdict, on pseudo-terminals of 80 and 200 columns and off a terminal:
// test/unit/tools/snapshots. ONCESWAP_UPDATE_SNAPSHOTS=1 writes them anew; then read the difference.
#include "protocol/verdict.hpp"
#include "tools/cli/status_table.hpp"
#include "tools/cli/terminal.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pty.h>
#include <string>
#include <unistd.h>

using namespace onceswap;
using namespace onceswap::cli;

BOOST_AUTO_TEST_SUITE(table_snapshots)

namespace {

using protocol::Word;

protocol::Uuid uuid(const char* text) {
    return *protocol::Uuid::parse(text);
}

protocol::NameHolding holding(protocol::Role role, const char* id) {
    protocol::NameHolding result;
    result.role = role;
    result.uuid = uuid(id);
    result.zookeeper_path = std::string("/clickhouse/tables/") + id + "/01";
    return result;
}

/// A member that has swapped, or has not, or did not answer.
protocol::Report::Row member(const char* host, protocol::State state) {
    const char* desired = "11111111-2222-4333-8444-555555555555";
    const char* predecessor = "aaaaaaaa-2222-4333-8444-555555555555";
    protocol::Report::Row row;
    row.state.at = {host, 9000};
    row.state.state = state;
    if (state == protocol::State::unavailable) {
        row.state.reason = "http://10.1.2.3:8123: connect: the deadline was reached";
        return row;
    }
    const bool pending = state == protocol::State::pending;
    row.state.target = holding(
        pending ? protocol::Role::predecessor : protocol::Role::desired, pending ? predecessor : desired
    );
    protocol::NameHolding& other = state == protocol::State::aside ? row.state.aside : row.state.candidate;
    if (state != protocol::State::cleaned)
        other = holding(
            pending ? protocol::Role::desired : protocol::Role::predecessor, pending ? desired : predecessor
        );
    row.state.health.known = true;
    row.state.health.healthy = true;
    row.queue_status = pending ? "Active" : "Finished";
    return row;
}

/// A report as an engine makes it for the verdict: with the code of the same name as its reason.
protocol::Report report_of(Word word) {
    protocol::Report report;
    report.cluster = "prod_eu";
    report.target = {"analytics", "languages"};
    report.observed_at = 1'760'000'252;
    report.verdict.word = word;
    report.verdict.row = 1;
    report.verdict.reason =
        protocol::code_from_name(protocol::text(word)).value_or(protocol::Code::operation_abandoned);
    if (word == Word::no_record || word == Word::authority_lost || word == Word::authority_invalid)
        return report;
    report.operation_id = std::string(32, '3') + std::string(32, 'f');
    report.record_updated_at = 1'760'000'000;
    report.phase = protocol::Phase::dispatching;
    report.dispatch_epoch = 2;
    report.record_version = 7;
    report.candidate = "onceswap_0123456789ab_33333333_00c0ffee";
    report.entry = "query-0000000376";
    report.evidence = protocol::QueueEvidence::in_progress;
    using protocol::State;
    report.members = {
        member("ch-eu-1.internal", State::committed), member("ch-eu-2.internal", State::pending)
    };
    if (word == Word::completed)
        report.members = {
            member("ch-eu-1.internal", State::cleaned), member("ch-eu-2.internal", State::cleaned)
        };
    if (word == Word::drop_required)
        report.members = {member("ch-eu-1.internal", State::aside), member("ch-eu-2.internal", State::aside)};
    if (word == Word::outcome_unknown || word == Word::inventory_drift) {
        report.members.push_back(member("ch-eu-3.internal", State::unavailable));
        report.evidence_gaps = {"ch-eu-3.internal:9000 did not answer"};
    }
    return report;
}

/// What a child writes whose standard output is a terminal of that width; 0: a pipe.
std::string written(const protocol::Report& report, unsigned short columns) {
    int master = -1;
    int slave = -1;
    winsize size{};
    size.ws_col = columns;
    size.ws_row = 50;
    if (columns != 0)
        BOOST_REQUIRE(::openpty(&master, &slave, nullptr, nullptr, &size) == 0);
    int pipe_ends[2] = {-1, -1};
    if (columns == 0) {
        BOOST_REQUIRE(::pipe(pipe_ends) == 0);
        master = pipe_ends[0];
        slave = pipe_ends[1];
    }
    const Terminal terminal = terminal_of(slave, ColorChoice::automatic);
    ::close(slave);
    ::close(master);
    BOOST_TEST(terminal.is_terminal == (columns != 0));
    BOOST_TEST(terminal.width == columns);
    return status_table(report, terminal);
}

std::string all_tables(unsigned short columns) {
    std::string out;
    for (int number = 0; number <= static_cast<int>(Word::cleanup_incomplete); ++number) {
        const auto word = static_cast<Word>(number);
        out += "=== " + std::string(protocol::text(word)) + "\n" + written(report_of(word), columns);
    }
    return out;
}

std::string content_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

BOOST_AUTO_TEST_CASE(each_verdict_as_it_was) {
    ::setenv("TERM", "xterm-256color", 1);
    ::unsetenv("NO_COLOR");

    const struct {
        unsigned short columns;
        const char* name;
    } rows[] = {{80, "terminal-80.txt"}, {200, "terminal-200.txt"}, {0, "no-terminal.txt"}};

    for (const auto& row : rows) {
        const std::string path = std::string(ONCESWAP_SOURCE_DIR) + "/test/unit/tools/snapshots/" + row.name;
        const std::string got = all_tables(row.columns);
        if (std::getenv("ONCESWAP_UPDATE_SNAPSHOTS") != nullptr)
            std::ofstream(path, std::ios::binary) << got;
        const std::string expected = content_of(path);
        if (got == expected)
            continue;
        const std::string other =
            (std::filesystem::temp_directory_path() / ("onceswap-" + std::string(row.name))).string();
        std::ofstream(other, std::ios::binary) << got;
        BOOST_ERROR(row.name << " differs from what is printed now: diff " << path << " " << other);
    }
}

BOOST_AUTO_TEST_SUITE_END()
