#include "both_clusters.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <iostream>
#include <poll.h>
#include <thread>

// What a statement about the record says, and what it has done, where the keeper or the way to it fails: the
// engine with its ZooKeeper hurt, and the simulator with the fault that stands for it.

using namespace onceswap::testing;
namespace json = boost::json;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(keeper_map_faults)

namespace {

enum class Verb {
    insert_new,
    insert_there,
    insert_over,
    update,
    update_blindly,
    update_stale,
    remove,
    remove_blindly,
    select
};

constexpr std::array verbs{
    Verb::insert_new,
    Verb::insert_there,
    Verb::insert_over,
    Verb::update,
    Verb::update_blindly,
    Verb::update_stale,
    Verb::remove,
    Verb::remove_blindly,
    Verb::select
};

const char* name_of(Verb verb) {
    switch (verb) {
    case Verb::insert_new:
        return "INSERT of a new key";
    case Verb::insert_there:
        return "INSERT of a key that is there";
    case Verb::insert_over:
        return "INSERT over a key, not strict";
    case Verb::update:
        return "UPDATE";
    case Verb::update_blindly:
        return "UPDATE, not strict";
    case Verb::update_stale:
        return "UPDATE of another version";
    case Verb::remove:
        return "DELETE";
    case Verb::remove_blindly:
        return "DELETE, not strict";
    case Verb::select:
        return "SELECT";
    }
    return "";
}

bool strict(Verb verb) {
    return verb != Verb::insert_over && verb != Verb::update_blindly && verb != Verb::remove_blindly;
}

/// Whether it sends the keeper a transaction.
bool writes(Verb verb) {
    return verb != Verb::update_stale && verb != Verb::select;
}

/// One statement about a row of its own, which is there with version 0.
class Subject {
  public:
    Subject(BothClusters& both, Verb verb, const std::string& name)
        : both_(both), verb_(verb), row_(record_row(name)), fresh_(record_row(name + "x")) {
        both_.done("ALTER TABLE " + both_.table() + " DELETE WHERE 1 = 1", write_settings(false));
        both_.done(insert(row_), write_settings(true));
    }

    std::string sql() const {
        const std::string where = " WHERE target_key = '" + row_.key + "' AND _version = ";
        const std::string alter = "ALTER TABLE " + both_.table();
        switch (verb_) {
        case Verb::insert_new:
            return insert(fresh_);
        case Verb::insert_there:
        case Verb::insert_over:
            return insert(written_over(row_));
        case Verb::update:
        case Verb::update_blindly:
            return alter + " UPDATE " + assignments_of(written_over(row_)) + where + "0";
        case Verb::update_stale:
            return alter + " UPDATE " + assignments_of(written_over(row_)) + where + "7";
        case Verb::remove:
        case Verb::remove_blindly:
            return alter + " DELETE" + where + "0";
        case Verb::select:
            break;
        }
        Predicate all;
        all.key = row_.key;
        return select_rows(both_.table(), all);
    }

    Settings settings(unsigned retries = 0) const {
        if (verb_ == Verb::select)
            return with_transport({});
        Settings settings = write_settings(strict(verb_), retries);
        // DELETE goes by this one; everywhere else it is about reads.
        if (verb_ == Verb::remove || verb_ == Verb::remove_blindly)
            settings.emplace_back("keeper_max_retries", std::to_string(retries));
        return settings;
    }

    /// As the fault's `match` in the simulator: nothing else is hit.
    std::string match() const { return R"("match":{"sql":")" + row_.key + R"("})"; }

    std::string insert(const RecordRow& row) const {
        return "INSERT INTO " + both_.table() + " (" + record_columns + ") VALUES " + values_of(row);
    }

    const RecordRow& row() const { return row_; }

    const RecordRow& fresh() const { return fresh_; }

  private:
    BothClusters& both_;
    Verb verb_;
    RecordRow row_;
    RecordRow fresh_;
};

void clear_proxy(BothClusters& both) {
    both.engine().keeper_proxy(0, R"({"do":"clear"})");
}

/// Until a member's keeper session is back.
void wait_for_engine(BothClusters& both) {
    const std::string sql = select_rows(both.table(), {});
    for (const std::size_t member : {0U, 1U}) {
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (both.engine().ask(member, sql, with_transport({})).status != 200) {
            BOOST_REQUIRE(std::chrono::steady_clock::now() < end);
            ::poll(nullptr, 0, 20); // nothing tells a client when it is so
        }
    }
}

void hit_transaction(BothClusters& both, const std::string& action) {
    both.engine().keeper_proxy(
        0, R"({"do":"add","rule":{"name":"write","on":"transaction","type":14,"action":")" + action + "\"}}"
    );
}

void hit_simulator(BothClusters& both, const std::string& fault) {
    both.simulator().control("/faults", fault);
}

std::size_t fired(BothClusters& both) {
    return json::parse(both.simulator().control("/events?after=1000000&wait_ms=0"))
        .at("fired")
        .to_number<std::size_t>();
}

/// A member without a session says so in words of its own.
const std::string no_session_engine = "All connection tries failed while connecting to ZooKeeper";
const std::string no_session_simulator = "Session expired (Session expired)";

/// The outcomes must be equal, and what is stored; what the engine said.
Outcome equal(BothClusters& both, const Reply& real, const Reply& modelled, const std::string& what) {
    const Outcome engine = outcome_of(real);
    Outcome simulator = outcome_of(modelled);
    if (const std::size_t at = simulator.text.find(no_session_simulator); at != std::string::npos)
        simulator.text.replace(at, no_session_simulator.size(), no_session_engine);
    BOOST_TEST(
        (engine == simulator),
        what << "\n  engine    " << text_of(engine) << "\n  simulator " << text_of(simulator)
    );
    both.rows(1, {}, what);
    return engine;
}

} // namespace

/// Every statement x the transaction is dropped or its answer is lost x with and without retries.
BOOST_AUTO_TEST_CASE(a_transaction_that_is_cut_off) {
    BothClusters both("cut_off");
    std::size_t cells = 0;
    std::size_t unknown = 0;
    for (const bool committed : {false, true})
        for (const unsigned retries : {0U, 3U})
            for (const Verb verb : verbs) {
                const Subject subject(both, verb, "cut" + std::to_string(cells));
                const std::string what = std::string(name_of(verb)) + ", " +
                                         (committed ? "its answer is lost" : "it is dropped") + ", " +
                                         std::to_string(retries) + " retries";
                hit_transaction(both, committed ? "cut_reply" : "drop");
                const Reply real = both.engine().ask(0, subject.sql(), subject.settings(retries));
                clear_proxy(both);
                wait_for_engine(both);
                hit_simulator(
                    both,
                    std::string(R"({"point":")") + (committed ? "after" : "before") +
                        R"(_commit","effect":"keeper_loss",)" + subject.match() + "}"
                );
                const Reply modelled = both.simulator().ask(0, subject.sql(), subject.settings(retries));
                const Outcome outcome = equal(both, real, modelled, what);
                ++cells;
                if (outcome.text.find("Connection loss") != std::string::npos)
                    ++unknown;
            }
    BOOST_TEST(cells == 2U * 2U * verbs.size());
    std::cout << "transactions cut off: " << cells << " statements, " << unknown << " without an outcome\n";
}

/// Every write x what another member does between its reading and its writing.
BOOST_AUTO_TEST_CASE(a_transaction_that_is_overtaken) {
    enum class Other { update, remove, remove_then_insert, insert_new };
    BothClusters both("overtaken");
    std::size_t cells = 0;
    std::size_t conflicts = 0;
    for (const Verb verb : verbs) {
        if (!writes(verb))
            continue;
        for (const Other other :
             {Other::update, Other::remove, Other::remove_then_insert, Other::insert_new}) {
            const Subject subject(both, verb, "over" + std::to_string(cells));
            const std::string what = std::string(name_of(verb)) + ", overtaken by other " +
                                     std::to_string(static_cast<int>(other));
            const std::string alter = "ALTER TABLE " + both.table();
            const std::string where = " WHERE target_key = '" + subject.row().key + "'";
            std::vector<std::string> overtaking;
            if (other == Other::update)
                overtaking.push_back(alter + " UPDATE phase = 'OTHER'" + where);
            if (other == Other::remove || other == Other::remove_then_insert)
                overtaking.push_back(alter + " DELETE" + where);
            if (other == Other::remove_then_insert)
                overtaking.push_back(subject.insert(subject.row()));
            if (other == Other::insert_new)
                overtaking.push_back(subject.insert(subject.fresh()));

            hit_transaction(both, "hold");
            std::future<Reply> slow = std::async(std::launch::async, [&] {
                return both.engine().ask(0, subject.sql(), subject.settings());
            });
            BOOST_REQUIRE(
                both.engine().keeper_proxy(0, R"({"do":"wait","held":1})").at("held").as_int64() == 1
            );
            for (const std::string& sql : overtaking)
                both.engine().rows(1, sql, write_settings(true));
            both.engine().keeper_proxy(0, R"({"do":"release"})");
            const Reply real = slow.get();
            clear_proxy(both);

            const std::size_t before = fired(both);
            hit_simulator(both, R"({"point":"between_phases","effect":"hold",)" + subject.match() + "}");
            slow = std::async(std::launch::async, [&] {
                return both.simulator().ask(0, subject.sql(), subject.settings());
            });
            both.simulator().control("/events?after=0&fired=" + std::to_string(before) + "&wait_ms=30000");
            for (const std::string& sql : overtaking) {
                const Reply reply = both.simulator().ask(1, sql, write_settings(true));
                BOOST_REQUIRE_MESSAGE(reply.status == 200, reply.body);
            }
            both.simulator().control("/release");
            const Outcome outcome = equal(both, real, slow.get(), what);
            ++cells;
            conflicts += outcome.status == 200 ? 0 : 1;
        }
    }
    BOOST_TEST(cells == 7U * 4U);
    std::cout << "transactions overtaken: " << cells << " statements, " << conflicts << " conflicts\n";
}

/// Every statement after the keeper's process was killed; it is started again behind each.
BOOST_AUTO_TEST_CASE(the_keeper_is_gone) {
    BothClusters both("gone");
    std::size_t cells = 0;
    for (const Verb verb : verbs) {
        const Subject subject(both, verb, "gone" + std::to_string(cells));
        both.engine().control(R"({"do":"kill","process":"keeper"})");
        const Reply real = both.engine().ask(0, subject.sql(), subject.settings());
        both.engine().control(R"({"do":"start","process":"keeper"})");
        wait_for_engine(both);
        hit_simulator(both, R"({"effect":"lose_session","on":0})");
        const Reply modelled = both.simulator().ask(0, subject.sql(), subject.settings());
        hit_simulator(both, R"({"effect":"restore_session","on":0})");
        equal(both, real, modelled, std::string(name_of(verb)) + " without a keeper");
        ++cells;
    }
    std::cout << "statements without a keeper: " << cells << "\n";
}

/// The keeper is killed, or stopped and goes on later, while the transaction is on its way to it.
BOOST_AUTO_TEST_CASE(the_keeper_goes_during_a_write) {
    BothClusters both("during");
    std::size_t cells = 0;
    for (const bool killed : {true, false})
        for (const Verb verb : {Verb::insert_new, Verb::update, Verb::remove}) {
            const Subject subject(both, verb, "during" + std::to_string(cells));
            const std::string all_rows = select_rows(both.table(), {});
            const std::string before = both.engine().rows(0, all_rows, with_transport({}));
            hit_transaction(both, "hold");
            std::future<Reply> slow = std::async(std::launch::async, [&] {
                return both.engine().ask(0, subject.sql(), subject.settings());
            });
            BOOST_REQUIRE(
                both.engine().keeper_proxy(0, R"({"do":"wait","held":1})").at("held").as_int64() == 1
            );
            both.engine().control(
                killed ? R"({"do":"kill","process":"keeper"})" : R"({"do":"freeze","process":"keeper"})"
            );
            both.engine().keeper_proxy(0, R"({"do":"release"})");
            Reply real = slow.get();
            // One that stands still is given up by whichever limit is reached first.
            const std::string timeout = "Operation timeout";
            if (const std::size_t at = real.body.find(timeout); !killed && at != std::string::npos)
                real.body.replace(at, timeout.size(), "Connection loss");
            clear_proxy(both);
            both.engine().control(
                killed ? R"({"do":"start","process":"keeper"})" : R"({"do":"thaw","process":"keeper"})"
            );
            wait_for_engine(both);
            // What a keeper has in its socket when it is stopped it does when it goes on, unless the client
            // gave the connection up first and what it had sent was thrown away with it. Both end in the same
            // words.
            const bool is_done = both.engine().rows(0, all_rows, with_transport({})) != before;
            BOOST_TEST(!(killed && is_done), "a keeper that is killed first does nothing");
            hit_simulator(
                both,
                std::string(R"({"point":")") + (is_done ? "after" : "before") +
                    R"(_commit","effect":"keeper_loss",)" + subject.match() + "}"
            );
            const Reply modelled = both.simulator().ask(0, subject.sql(), subject.settings());
            equal(
                both,
                real,
                modelled,
                std::string(name_of(verb)) + (killed ? ", keeper killed" : ", keeper stopped and gone on")
            );
            ++cells;
        }
    BOOST_TEST(cells == 6U);
    std::cout << "writes during which the keeper goes: " << cells << "\n";
}

/// Two members write from one version, a hundred times, on the engine and in the simulator.
BOOST_AUTO_TEST_CASE(two_members_from_one_version) {
    BothClusters both("from_one");
    both.done(
        "INSERT INTO " + both.table() + " (" + record_columns + ") VALUES " + values_of(record_row("k")),
        write_settings(true)
    );
    using Ask = std::function<Reply(std::size_t, const std::string&, const Settings&)>;
    const Ask engine = [&](std::size_t member, const std::string& sql, const Settings& settings) {
        return both.engine().ask(member, sql, settings);
    };
    const Ask simulator = [&](std::size_t member, const std::string& sql, const Settings& settings) {
        return both.simulator().ask(member, sql, settings);
    };
    for (const auto& [who, ask] : {std::pair{"engine", engine}, std::pair{"simulator", simulator}}) {
        std::size_t conflicts = 0;
        for (int version = 0; version < 100; ++version) {
            Reply replies[2];
            std::thread threads[2];
            for (const std::size_t member : {0U, 1U})
                threads[member] = std::thread([&, member, &send = ask] {
                    replies[member] = send(
                        member,
                        "ALTER TABLE " + both.table() + " UPDATE fence_token = 'member " +
                            std::to_string(member) + " " + std::to_string(version) +
                            "' WHERE target_key = 'k' AND _version = " + std::to_string(version),
                        write_settings(true)
                    );
                });
            for (std::thread& thread : threads)
                thread.join();
            const auto rows = rows_of(ask(0, select_rows(both.table(), {}), with_transport({})).body);
            BOOST_REQUIRE(rows.size() == 1U);
            BOOST_REQUIRE(rows[0].version == version + 1);
            const std::size_t winner = rows[0].fence.starts_with("member 0 ") ? 0 : 1;
            BOOST_TEST(rows[0].fence.ends_with(" " + std::to_string(version)));
            BOOST_TEST(replies[winner].status == 200U, who << ": " << replies[winner].body);
            const Outcome loser = outcome_of(replies[1 - winner]);
            const bool conflict = loser.code == 999 && loser.text.find("(Bad version)") != std::string::npos;
            BOOST_TEST((conflict || loser.status == 200), who << ": " << text_of(loser));
            conflicts += conflict ? 1 : 0;
        }
        std::cout << "races on the " << who << ": 100 rounds, 100 winners, " << conflicts << " conflicts, "
                  << 100 - conflicts << " without effect\n";
    }
}

BOOST_AUTO_TEST_SUITE_END()
