// --host: the cluster is found through any of the hosts that lives.
#include "workshop.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace onceswap::testing;

BOOST_AUTO_TEST_SUITE(hosts)

namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

const std::string dead = "127.0.0.251";   // nobody listens there
const std::string silent = "127.0.0.252"; // takes connections and never answers

std::string port_of(const SimProcess& sim) {
    const std::string& url = sim.urls().front();
    return url.substr(url.rfind(':') + 1);
}

std::string host_of(const std::string& url) {
    const std::size_t begin = url.find("//") + 2;
    return url.substr(begin, url.rfind(':') - begin);
}

/// The kernel takes its connections and nobody reads them.
class SilentHost {
  public:
    explicit SilentHost(const std::string& port)
        : acceptor_(
              loop_,
              tcp::endpoint(asio::ip::make_address(silent), static_cast<std::uint16_t>(std::stoul(port)))
          ) {}

  private:
    asio::io_context loop_;
    tcp::acceptor acceptor_;
};

Words through(const std::vector<std::string>& hosts, const SimProcess& sim) {
    Words words;
    for (const std::string& host : hosts)
        words = words + Words{"--host", host};
    return words + Words{"--http-port", port_of(sim), "--cluster", "c1", "--table", "db.target"};
}

} // namespace

BOOST_AUTO_TEST_CASE(any_host_that_answers_is_enough_for_every_verb) {
    SimProcess sim({"--one-port", "--members", "3", "--rows", "7"});
    const SilentHost nobody_reads(port_of(sim));
    const Workshop workshop;
    const std::string rows = workshop.rows("rows.ndjson", 3);
    const Words where = through({dead, silent, host_of(sim.urls()[1])}, sim);
    const Words load{"--from", rows, "--invocation-id", "i"};

    const struct {
        std::string program;
        Words words;
        int code;
        std::string expected; ///< in what it prints
    } table[] = {
        {refresh_load(), Words{"plan"} + where + load, 0, "EXCHANGE TABLES"},
        {reconcile_watch(), Words{"doctor"} + where, 0, "3 of 3 endpoints answer"},
        {reconcile_watch(), Words{"status"} + where, 6, "ONCESWAP_NO_RECORD"},
        {refresh_load(), Words{"publish"} + where + load + Words{"--execute"}, 0, "COMPLETED"},
        {reconcile_watch(), Words{"status"} + where, 0, "127.0.0.4"},
        {reconcile_watch(), Words{"watch"} + where, 0, "COMPLETED"},
        {refresh_load(), Words{"resume"} + where + Words{"--execute"}, 0, "COMPLETED"},
        {refresh_load(), Words{"orphans", "list"} + where, 0, ""},
    };

    for (const auto& row : table) {
        const Ended ended = run(row.program, row.words);
        BOOST_TEST(ended.code == row.code, describe(ended));
        BOOST_TEST(contains(ended.out + ended.err, row.expected), describe(ended));
    }
    BOOST_TEST(sim.requests_of("exchange") == 1);
}

// A user that may send no settings (readonly=1) is recognized by whichever member answers.
BOOST_AUTO_TEST_CASE(a_readonly_user_is_recognized_behind_a_dead_member) {
    const Workshop workshop;
    const std::string scenario = workshop.file("scenario.json", R"({
        "members":[{"host":"127.0.0.2"},{"host":"127.0.0.3"}],
        "tables":[{"name":"target","columns":[{"name":"id","type":"UInt64"}],"rows":7}],
        "users":[{"name":"default"},{"name":"night","readonly":1}]})");
    SimProcess sim({"--one-port", "--scenario", scenario});
    const Words user{"--user", "night"};
    const Ended by_host =
        run(reconcile_watch(), Words{"status"} + through({dead, host_of(sim.urls()[0])}, sim) + user);
    BOOST_TEST(by_host.code == 6, describe(by_host));
    BOOST_TEST(!contains(by_host.out + by_host.err, "164"), describe(by_host));

    // The member that is asked first by its URL is dead: the others still say it.
    const Words urls{
        "--url",
        "http://" + dead + ":" + port_of(sim),
        "--url",
        sim.urls()[0],
        "--url",
        sim.urls()[1],
        "--cluster",
        "c1",
        "--table",
        "db.target"
    };
    const Ended by_url = run(reconcile_watch(), Words{"status"} + urls + user);
    BOOST_TEST(!contains(by_url.out + by_url.err, "164"), describe(by_url));
    BOOST_TEST(contains(by_url.out, "127.0.0.3"), describe(by_url));
}

BOOST_AUTO_TEST_CASE(when_none_answers_each_is_named_in_one_line_within_the_read_timeout) {
    SimProcess sim({"--one-port"});
    const SilentHost nobody_reads(port_of(sim));
    const Words hurry{"--read-timeout", "1s", "--connect-timeout", "1s"};
    const auto one_line = [](const Ended& ended, const std::vector<std::string>& named) {
        BOOST_TEST(ended.code == 1, describe(ended));
        BOOST_TEST(lines(ended.err) == 1U, describe(ended));
        BOOST_TEST(contains(ended.err, "ONCESWAP_CONNECTION_FAILED: "), describe(ended));
        for (const std::string& host : named)
            BOOST_TEST(contains(ended.err, host + ":"), describe(ended));
    };
    for (const std::string& program : {reconcile_watch(), refresh_load()}) {
        const Words verb = program == reconcile_watch() ? Words{"status"} : Words{"resume"};
        one_line(run(program, verb + through({dead, silent}, sim) + hurry), {dead, silent});
        // TLS with a port that speaks plain HTTP.
        const std::string plain = host_of(sim.urls()[0]);
        one_line(run(program, verb + through({dead, plain}, sim) + hurry + Words{"--secure"}), {dead, plain});
    }
    BOOST_TEST(sim.mutations() == 0U);
}

// A host that answers and knows no such cluster says more than one that does not answer.
BOOST_AUTO_TEST_CASE(a_cluster_that_nobody_knows) {
    SimProcess sim({"--one-port"});
    Words words = Words{"status"} + through({dead, host_of(sim.urls()[0])}, sim);
    for (std::string& word : words)
        if (word == "c1")
            word = "nope";
    const Ended ended = run(reconcile_watch(), words);
    BOOST_TEST(ended.code == 8, describe(ended));
    BOOST_TEST(lines(ended.err) == 1U, describe(ended));
    BOOST_TEST(contains(ended.err, "ONCESWAP_INVENTORY_INCOMPLETE: "), describe(ended));
    BOOST_TEST(contains(ended.err, dead), describe(ended));
    BOOST_TEST(contains(ended.err, "knows no cluster `nope`"), describe(ended));
}

BOOST_AUTO_TEST_SUITE_END()
