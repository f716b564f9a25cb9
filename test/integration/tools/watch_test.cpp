#include "published_schema.hpp"
#include "terminal_process.hpp"
#include "workshop.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace onceswap::testing;
namespace asio = boost::asio;
namespace json = boost::json;

BOOST_AUTO_TEST_SUITE(watch)

namespace {

/// A publication that is held where its EXCHANGE arrives: DISPATCHING, nothing in the queue yet.
struct Held {
    Held() {
        sim.add_fault(R"({"point":"arrive","effect":"hold","match":{"class":"exchange"}})");
        loader.emplace(
            refresh_load(),
            Words{"publish"} + sim.where() +
                Words{"--from", workshop.rows("rows", 5), "--execute", "--invocation-id", "i"}
        );
        BOOST_REQUIRE(sim.wait_until_fired(0, *loader));
    }

    SimProcess sim;
    Workshop workshop;
    std::optional<Process> loader;
};

/// A server that accepts and never answers.
struct Silent {
    asio::io_context loop;
    asio::ip::tcp::acceptor acceptor{loop, {asio::ip::address_v4::loopback(), 0}};

    std::string url() const { return "http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()); }
};

} // namespace

// The whole of it: changes, heartbeats while nothing changes, one final line; evidence and metrics as files.
BOOST_AUTO_TEST_CASE(every_change_a_heartbeat_and_one_final_line) {
    Held held;
    const std::uint64_t mutations = held.sim.mutations();
    const std::string evidence = held.workshop.path("evidence.json");
    const std::string metrics = held.workshop.path("metrics.prom");
    Process watcher(
        reconcile_watch(),
        Words{"watch"} + held.sim.where() +
            Words{"--json", "--interval", "1s", "--evidence", evidence, "--metrics-file", metrics}
    );
    BOOST_REQUIRE(watcher.wait_for_output("\"heartbeat\""));
    BOOST_TEST(contains(watcher.out(), "\"event\":\"change\""));
    BOOST_TEST(held.sim.mutations() == mutations); // it only read
    BOOST_TEST(json::parse(content_of(evidence)).at("phase").as_string() == "DISPATCHING");
    BOOST_TEST(contains(content_of(metrics), "onceswap_verdict{cluster=\"c1\",database=\"db\""));
    held.sim.release();
    const Ended ended = watcher.wait();
    BOOST_TEST_CONTEXT(describe(ended)) {
        BOOST_TEST(ended.code == 0);
        BOOST_TEST(ended.err == "");
    }
    BOOST_TEST(held.loader->wait().code == 0);
    BOOST_TEST(held.sim.requests_of("exchange") == 1);
    std::size_t at = 0;
    std::string last;
    while (at < ended.out.size()) {
        const std::size_t end = ended.out.find('\n', at);
        last = ended.out.substr(at, end - at);
        BOOST_TEST(json::parse(last).at("final").as_bool() == (end + 1 == ended.out.size()), last);
        at = end + 1;
    }
    BOOST_TEST(json::parse(last).at("exit_code").to_number<int>() == 0);
    BOOST_TEST(published_schema_problems("watch.schema.json", ended.out) == "");
    BOOST_TEST(published_schema_problems("report.schema.json", content_of(evidence)) == "");
    using std::filesystem::perms;
    BOOST_TEST((std::filesystem::status(evidence).permissions() == perms(0600)));
    BOOST_TEST((std::filesystem::status(metrics).permissions() == perms(0644)));
}

BOOST_AUTO_TEST_CASE(without_a_verb_it_watches_and_a_slot_without_a_record_ends_it) {
    SimProcess sim;
    const Ended ended = run(reconcile_watch(), sim.where());
    BOOST_TEST(ended.code == 6, describe(ended));
    BOOST_TEST(contains(ended.out, "Z NO_RECORD db.target on c1\n"), ended.out);
    BOOST_TEST(contains(ended.out, "Verdict:   NO_RECORD\n"), ended.out);
    BOOST_TEST(!contains(ended.out, "\x1b"));
    BOOST_TEST(lines(ended.err) == 1, describe(ended));
    BOOST_TEST(sim.mutations() == 0);
}

BOOST_AUTO_TEST_CASE(the_deadline_is_three_whatever_the_verdict_and_a_pin_seven) {
    Held held;
    const Ended late = run(reconcile_watch(), Words{"watch"} + held.sim.where() + Words{"--timeout", "2s"});
    BOOST_TEST(late.code == 3, describe(late)); // dispatched, and no entry is in sight
    BOOST_TEST(
        contains(late.out, "Verdict:   OUTCOME_UNKNOWN\nStopped:   ONCESWAP_DEADLINE_REACHED"), late.out
    );
    BOOST_TEST(contains(late.out, "if no entry ever appears"), late.out); // the verdict's own advice
    BOOST_TEST(lines(late.err) == 1, describe(late));
    BOOST_TEST(contains(late.err, "ONCESWAP_DEADLINE_REACHED: "), late.err);
    BOOST_TEST(contains(late.err, "The last verdict is OUTCOME_UNKNOWN."), late.err);
    const json::value seen =
        json::parse(run(reconcile_watch(), Words{"status"} + held.sim.where() + Words{"--json"}).out);
    const std::string operation(seen.at("operation_id").as_string());
    for (const Words& pin :
         {Words{"--operation", std::string(64, '0')}, Words{"--epoch", "99", "--operation", operation}}) {
        const Ended other = run(reconcile_watch(), Words{"watch"} + held.sim.where() + Words{"--json"} + pin);
        BOOST_TEST(other.code == 7, describe(other));
        BOOST_TEST(lines(other.err) == 1, describe(other));
        BOOST_TEST(lines(other.out) == 1, describe(other));
        BOOST_TEST(json::parse(other.out).as_object().contains("superseded"), other.out);
        BOOST_TEST(published_schema_problems("watch.schema.json", other.out) == "");
    }
    held.sim.release();
    BOOST_TEST(held.loader->wait().code == 0);
}

// A pin is compared with what was read: a cluster that cannot be reached holds no other operation.
BOOST_AUTO_TEST_CASE(what_could_not_be_read_is_unknown_whatever_is_pinned) {
    const Silent silent;
    const Words where{"--url", silent.url(), "--cluster", "c1", "--table", "db.t"};
    const auto begun = std::chrono::steady_clock::now();
    // Nothing was judged: the exit code is that of what stopped it, and no verdict's.
    for (const auto& [verb, code] : {std::pair<const char*, int>{"status", 1}, {"watch", 3}}) {
        const Ended ended =
            run(reconcile_watch(),
                Words{verb} + where +
                    Words{"--operation", std::string(64, '0'), "--read-timeout", "300ms", "--timeout", "2s"});
        BOOST_TEST(ended.code == code, describe(ended));
        BOOST_TEST(contains(ended.out, "Verdict:   OUTCOME_UNKNOWN\n"), ended.out);
        BOOST_TEST(contains(ended.out, "gap:       "), ended.out);
        BOOST_TEST(contains(ended.out, silent.url().substr(7)), ended.out);
    }
    BOOST_TEST((std::chrono::steady_clock::now() - begun < std::chrono::seconds(30)));
}

// Nobody answers and the patience is long: the signal alone ends it, at any moment of a pass.
BOOST_AUTO_TEST_CASE(a_stop_is_taken_while_a_server_is_silent) {
    const struct {
        int signal;
        int code;
    } rows[] = {{SIGINT, 130}, {SIGTERM, 143}};

    for (const auto& row : rows) {
        for (const bool readonly : {false, true}) { // the first question of all, and the first of a pass
            Silent silent;
            Process watcher(
                reconcile_watch(),
                Words{"watch", "--url", silent.url(), "--cluster", "c1", "--table", "db.t", "--verbose"} +
                    Words{"--read-timeout", "10m", "--connect-timeout", "10m", "--timeout", "20m"} +
                    (readonly ? Words{"--readonly-user"} : Words{})
            );
            asio::ip::tcp::socket taken(silent.loop.get_executor());
            silent.acceptor.accept(taken); // it is connected: it asks
            const auto begun = std::chrono::steady_clock::now();
            watcher.send(row.signal);
            const Ended ended = watcher.wait(std::chrono::minutes(1));
            const auto took = std::chrono::steady_clock::now() - begun;
            const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
            BOOST_TEST_MESSAGE("stopped after " << ms << " ms");
            BOOST_TEST_CONTEXT(describe(ended)) {
                BOOST_TEST(ended.code == row.code);
                BOOST_TEST(ms < 1'000); // 100 without sanitizers and other work
                BOOST_TEST(contains(ended.err, "stopped by signal; nothing was read yet\n"));
                BOOST_TEST(contains(ended.err, "to go on: reconcile-watch watch --url "));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(stopped_between_passes_it_says_what_goes_on_and_how_to_go_on) {
    Held held;
    Process watcher(reconcile_watch(), Words{"watch"} + held.sim.where() + Words{"--interval", "10m"});
    BOOST_REQUIRE(watcher.wait_for_output(" db.target on c1"));
    watcher.send(SIGUSR1);
    BOOST_TEST(watcher.wait_for_error(" db.target on c1: epoch 1\n"), watcher.err());
    watcher.send(SIGINT);
    const Ended ended = watcher.wait();
    BOOST_TEST(ended.code == 130, describe(ended));
    BOOST_TEST(contains(ended.err, "stopped by signal; only the waiting was stopped; "), ended.err);
    BOOST_TEST(contains(ended.err, "to go on: reconcile-watch watch --url "), ended.err);
    BOOST_TEST(contains(ended.out, "Verdict:   "), ended.out);
    held.sim.release();
    BOOST_TEST(held.loader->wait().code == 0);
}

BOOST_AUTO_TEST_CASE(a_reader_that_went_away_ends_it_quietly) {
    Held held;
    Process watcher(
        reconcile_watch(), Words{"watch"} + held.sim.where() + Words{"--json", "--interval", "1s"}
    );
    BOOST_REQUIRE(watcher.wait_for_output("\n"));
    watcher.close_output();
    const Ended ended = watcher.wait();
    BOOST_TEST(ended.err == "", describe(ended));
    BOOST_TEST(ended.code != 0, describe(ended)); // what it saw last is no success
    BOOST_TEST(ended.signal == 0);
    held.sim.release();
    BOOST_TEST(held.loader->wait().code == 0);
}

// A file that cannot be written is refused at the beginning; one whose folder goes away later is said once,
// the watch goes on, and the end is no success.
BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written) {
    for (const char* option : {"--metrics-file", "--evidence"}) {
        Held held;
        const std::string folder = held.workshop.path("folder");
        const Words watch =
            Words{"watch"} + held.sim.where() + Words{option, folder + "/file", "--interval", "1s"};
        const std::string said = "reconcile-watch: " + std::string(option) + ": " + folder +
                                 "/file: cannot be written: No such file or directory\n";
        const Ended refused = run(reconcile_watch(), watch);
        BOOST_TEST(refused.code == 2, describe(refused));
        BOOST_TEST(refused.err == said);
        std::filesystem::create_directory(folder);
        Process watcher(reconcile_watch(), watch);
        BOOST_REQUIRE(watcher.wait_for_output("\n"));
        std::filesystem::remove_all(folder);
        held.sim.release();
        const Ended ended = watcher.wait();
        BOOST_TEST(ended.code == 1, describe(ended));
        BOOST_TEST(contains(ended.err, said), ended.err);
        BOOST_TEST(held.loader->wait().code == 0);
    }
}

BOOST_AUTO_TEST_CASE(a_user_who_may_not_send_settings_watches_too) {
    const Workshop workshop;
    const std::string scenario =
        workshop.file("scenario.json", R"({"users":[{"name":"default"},{"name":"watcher","readonly":1}]})");
    SimProcess sim({"--scenario", scenario});
    const Ended published =
        run(refresh_load(),
            Words{"publish"} + sim.where() +
                Words{"--from", workshop.rows("rows", 3), "--execute", "--invocation-id", "i"});
    BOOST_REQUIRE_MESSAGE(published.code == 0, describe(published));
    const std::uint64_t mutations = sim.mutations();
    const Ended ended = run(reconcile_watch(), Words{"watch"} + sim.where() + Words{"--user", "watcher"});
    BOOST_TEST(ended.code == 0, describe(ended));
    BOOST_TEST(contains(ended.out, "Verdict:   COMPLETED\n"), ended.out);
    BOOST_TEST(sim.mutations() == mutations);
}

// On a terminal there is one table, drawn over the one before, and Ctrl-C leaves it with the last words.
namespace {

/// db.target with a publication that stands still, and another slot, published.
struct TwoSlots {
    explicit TwoSlots(bool second_is_held) : sim({"--scenario", workshop.file("scenario.json", two_tables)}) {
        const Ended other = run(refresh_load(), publication("db.other", "j"));
        BOOST_REQUIRE_MESSAGE(other.code == 0, describe(other));
        if (second_is_held)
            sim.add_fault(R"({"point":"arrive","effect":"hold","match":{"class":"exchange"}})");
        loader.emplace(refresh_load(), publication("db.target", "i"));
        if (second_is_held)
            BOOST_REQUIRE(sim.wait_until_fired(0, *loader));
        else
            BOOST_REQUIRE(loader->wait().code == 0);
    }

    Words of_database(const std::string& interval = "1s") const {
        Words words{"--all", "--database", "db", "--cluster", "c1", "--interval", interval};
        for (const std::string& url : sim.urls())
            words = words + Words{"--url", url};
        return words;
    }

    static constexpr const char* two_tables = R"({"tables":[
        {"database":"db","name":"target","rows":10,
         "columns":[{"name":"id","type":"UInt64"},{"name":"name","type":"String"}]},
        {"database":"db","name":"other","rows":10,
         "columns":[{"name":"id","type":"UInt64"},{"name":"name","type":"String"}]}]})";
    Workshop workshop;
    SimProcess sim;
    std::optional<Process> loader;

  private:
    Words publication(const std::string& table, const std::string& invocation) {
        Words words{
            "publish", "--cluster", "c1", "--table", table, "--execute", "--invocation-id", invocation
        };
        for (const std::string& url : sim.urls())
            words = words + Words{"--url", url};
        return words + Words{"--from", workshop.rows(invocation, 10)};
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(all_slots_until_each_is_settled) {
    TwoSlots slots(true);
    const std::string evidence = slots.workshop.path("evidence.json");
    Process watcher(
        reconcile_watch(), Words{"watch", "--json", "--evidence", evidence} + slots.of_database()
    );
    BOOST_REQUIRE(watcher.wait_for_output("\"heartbeat\""));
    BOOST_TEST(published_schema_problems("slots.schema.json", content_of(evidence)) == "");
    slots.sim.release();
    const Ended ended = watcher.wait();
    BOOST_TEST(slots.loader->wait().code == 0);
    BOOST_TEST_CONTEXT(describe(ended)) {
        BOOST_TEST(ended.code == 0);
        BOOST_TEST(ended.err == "");
        BOOST_TEST(published_schema_problems("watch.schema.json", ended.out) == "");
        std::map<std::string, std::vector<std::string>> verdicts;
        std::string last;
        std::istringstream text(ended.out);
        for (std::string line; std::getline(text, line); last = line) {
            const json::value document = json::parse(line);
            if (document.at("event").as_string() != "change")
                continue;
            const json::value& report = document.at("report");
            verdicts[std::string(report.at("table").as_string())].emplace_back(
                report.at("verdict").at("word").as_string()
            );
        }
        BOOST_TEST(verdicts["other"] == std::vector<std::string>{"COMPLETED"});
        BOOST_TEST(verdicts["target"].size() >= 2U);
        const json::value end = json::parse(last);
        BOOST_TEST(end.at("final").as_bool());
        BOOST_TEST(end.at("exit_code").to_number<int>() == 0);
        const json::array& each = end.at("slots").as_array();
        BOOST_REQUIRE(each.size() == 2U);
        BOOST_TEST(each[0].at("table").as_string() == "other");
        BOOST_TEST(each[1].at("verdict").as_string() == verdicts["target"].back());
    }
}

BOOST_AUTO_TEST_CASE(all_slots_and_the_deadline_or_a_signal) {
    TwoSlots slots(true);
    const Ended late = run(reconcile_watch(), Words{"watch", "--timeout", "2s"} + slots.of_database());
    BOOST_TEST_CONTEXT(describe(late)) {
        BOOST_TEST(late.code == 3);
        BOOST_TEST(contains(late.err, "ONCESWAP_DEADLINE_REACHED: "));
        BOOST_TEST(lines(late.err) == 1);
        BOOST_TEST(contains(late.out, "Z COMPLETED db.other on c1"));
        BOOST_TEST(contains(late.out, "Z OUTCOME_UNKNOWN db.target on c1"));
        BOOST_TEST(!contains(late.out, "\x1b"));
    }
    Process watcher(reconcile_watch(), Words{"watch"} + slots.of_database());
    BOOST_REQUIRE(watcher.wait_for_output("OUTCOME_UNKNOWN db.target"));
    watcher.send(SIGTERM);
    const Ended ended = watcher.wait();
    BOOST_TEST(ended.code == 143, describe(ended));
    BOOST_TEST(contains(ended.err, "stopped by signal; db.target: "), describe(ended));
    BOOST_TEST(contains(ended.err, "to go on: "), describe(ended));
    slots.sim.release();
    BOOST_TEST(slots.loader->wait().code == 0);
    const Ended whole = run(reconcile_watch(), Words{"watch"} + slots.of_database());
    BOOST_TEST(whole.code == 0, describe(whole));
    // A member that is away: unknown until the deadline, and then the deadline's code.
    slots.sim.add_fault(R"({"point":"at_time","at_us":0,"effect":"crash","on":1})");
    const Ended unknown = run(reconcile_watch(), Words{"watch", "--timeout", "2s"} + slots.of_database());
    BOOST_TEST(unknown.code == 3, describe(unknown));
    BOOST_TEST(contains(unknown.out, "OUTCOME_UNKNOWN db.other"), describe(unknown));
}

// The waits begin within a second and double: three to four rounds in ten seconds, whatever the interval.
BOOST_AUTO_TEST_CASE(all_slots_are_read_again_soon_and_then_more_seldom) {
    TwoSlots slots(true);
    const Ended late =
        run(reconcile_watch(), Words{"watch", "--json", "--timeout", "10s"} + slots.of_database("1h"));
    BOOST_TEST(late.code == 3, describe(late));
    std::size_t heartbeats = 0;
    for (auto at = late.out.find("\"heartbeat\""); at != std::string::npos;
         at = late.out.find("\"heartbeat\"", at + 1))
        ++heartbeats;
    BOOST_TEST(heartbeats >= 2U, describe(late)); // waits of at most 1 and 2 seconds
    BOOST_TEST(heartbeats <= 4U, describe(late)); // the fifth is at least 15.5 seconds away
    slots.sim.release();
    BOOST_TEST(slots.loader->wait().code == 0);
}

BOOST_AUTO_TEST_CASE(all_slots_that_come_and_go) {
    const Workshop workshop;
    SimProcess sim({"--scenario", workshop.file("scenario.json", TwoSlots::two_tables)});
    Words urls{"--cluster", "c1"};
    for (const std::string& url : sim.urls())
        urls = urls + Words{"--url", url};
    const auto publication = [&](const std::string& table) {
        return Words{"publish"} + urls + Words{"--table", table, "--execute", "--invocation-id", table} +
               Words{"--from", workshop.rows(table, 10)};
    };
    sim.add_fault(R"({"point":"arrive","effect":"hold","match":{"class":"exchange"}})");
    Process loader(refresh_load(), publication("db.target"));
    BOOST_REQUIRE(sim.wait_until_fired(0, loader));
    const Words watch{"watch", "--json", "--all", "--database", "db", "--interval", "1s"};
    Process watcher(reconcile_watch(), watch + urls);
    BOOST_REQUIRE(watcher.wait_for_output("\"heartbeat\""));

    const Ended other = run(refresh_load(), publication("db.other"));
    BOOST_REQUIRE_MESSAGE(other.code == 0, describe(other));
    BOOST_REQUIRE(watcher.wait_for_output("\"word\":\"COMPLETED\""));

    // Somebody deletes its record, and the queue forgets it.
    std::string key;
    std::string operation;
    const json::value truth = sim.truth();
    for (const json::value& row : truth.at("authority").as_array()) {
        if (row.at("phase").as_string() != "COMPLETED")
            continue;
        key = std::string(row.at("target_key").as_string());
        operation = std::string(row.at("operation_id").as_string());
    }
    BOOST_REQUIRE_MESSAGE(!key.empty(), json::serialize(truth.at("authority")));
    sim.add_fault(R"({"effect":"edit_authority","text":")" + key + R"(","values":{"_delete":"1"}})");
    sim.add_fault(R"({"effect":"remove_entries","text":"onceswap-v1-)" + operation.substr(0, 20) + R"("})");
    BOOST_REQUIRE(watcher.wait_for_output("\"word\":\"NO_RECORD\""));
    sim.release();
    BOOST_TEST(loader.wait().code == 0);
    const Ended ended = watcher.wait();
    BOOST_TEST_CONTEXT(describe(ended)) {
        BOOST_TEST(ended.code == 6);
        BOOST_TEST(published_schema_problems("watch.schema.json", ended.out) == "");
        const std::string head = ended.out.substr(0, ended.out.size() - 1);
        const json::value end = json::parse(head.substr(head.rfind('\n') + 1));
        const json::array& each = end.at("slots").as_array();
        BOOST_REQUIRE(each.size() == 2U);
        BOOST_TEST(each[0].at("table").as_string() == "other");
        BOOST_TEST(each[0].at("verdict").as_string() == "NO_RECORD");
        BOOST_TEST(each[1].at("table").as_string() == "target");
        BOOST_TEST(each[1].at("verdict").as_string() == "COMPLETED");
    }
}

BOOST_AUTO_TEST_CASE(all_slots_on_a_terminal) {
    TwoSlots slots(true);
    for (const int rows : {60, 24}) { // two tables fit, and do not
        TerminalProcess watcher(reconcile_watch(), Words{"watch"} + slots.of_database(), 80, rows);
        const char* again =
            rows == 60 ? "\x1b[J" : "COMPLETED db.other on c1"; // a second time; one line each
        BOOST_REQUIRE_MESSAGE(watcher.wait_for(again), watcher.out());
        watcher.press('\x03');
        BOOST_TEST(watcher.wait() == 130);
        const std::string screen = shown(watcher.out());
        BOOST_TEST(contains(screen, "stopped by signal; db.target: "), screen);
        BOOST_TEST(contains(screen, "\nOUTCOME_UNKNOWN db.target on c1"), screen);
        BOOST_TEST(contains(screen, "\nCOMPLETED db.other on c1"), screen);
    }
    slots.sim.release();
    BOOST_TEST(slots.loader->wait().code == 0);
}

BOOST_AUTO_TEST_CASE(on_a_terminal_the_table_is_drawn_in_place) {
    for (const int columns : {80, 200}) {
        Held held;
        TerminalProcess watcher(
            reconcile_watch(), Words{"watch"} + held.sim.where() + Words{"--interval", "1s"}, columns
        );
        BOOST_REQUIRE_MESSAGE(watcher.wait_for("\x1b[J"), watcher.out()); // drawn a second time
        watcher.press('\x03');
        BOOST_TEST(watcher.wait() == 130);
        const std::string screen = shown(watcher.out());
        BOOST_TEST_CONTEXT(screen) {
            BOOST_TEST(contains(watcher.out(), "\x1b[31mOUTCOME_UNKNOWN"));
            std::size_t tables = 0;
            for (auto at = screen.find("Verdict:   "); at != std::string::npos;
                 at = screen.find("Verdict:   ", at + 1))
                ++tables;
            BOOST_TEST(tables == 1U);
            BOOST_TEST(contains(screen, "stopped by signal; only the waiting was stopped; "));
            BOOST_TEST(!contains(screen, "reading again")); // it is not
        }
        held.sim.release();
        BOOST_TEST(held.loader->wait().code == 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
