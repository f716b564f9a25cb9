#include "acceptance/engine_cluster.hpp"

#include "acceptance/http_cluster.hpp"
#include "acceptance/interruption.hpp"
#include "acceptance/trial.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <stdexcept>

namespace onceswap::acceptance {

namespace asio = boost::asio;
namespace json = boost::json;
using testing::Process;

namespace {

constexpr std::chrono::seconds patience{60};

std::uint16_t port_of(const json::value& value) {
    return value.to_number<std::uint16_t>();
}

/// One line to a control port, and the line that comes back.
json::object command(std::uint16_t port, const json::value& line) {
    asio::io_context loop;
    asio::ip::tcp::socket socket(loop);
    socket.connect({asio::ip::address_v4::loopback(), port});
    asio::write(socket, asio::buffer(json::serialize(line) + "\n"));
    std::string answer;
    asio::read_until(socket, asio::dynamic_buffer(answer), '\n');
    json::object object = json::parse(answer).as_object();
    if (const json::value* error = object.if_contains("error"))
        throw std::runtime_error(json::serialize(line) + ": " + json::serialize(*error));
    return object;
}

/// A process of the fixture with the line of ports that it prints.
struct Server {
    Server(
        const std::string& program,
        std::vector<std::string> words,
        std::map<std::string, std::string> environment
    )
        : process(
              std::string(ONCESWAP_BINARY_DIR) + "/" + program, std::move(words), std::move(environment)
          ) {
        const auto until = std::chrono::steady_clock::now() + patience * 3;
        while (!process.wait_for_output("\n", std::chrono::milliseconds(200))) {
            if (interrupted() != 0 || !process.running() || std::chrono::steady_clock::now() > until) {
                end();
                end_if_interrupted();
                throw std::runtime_error(program + " does not come up: " + process.err());
            }
        }
        ports = json::parse(process.out()).as_object();
    }

    ~Server() { end(); }

    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Asks it to end and waits until it has.
    void end() {
        process.send(SIGTERM);
        process.wait(patience);
    }

    Process process;
    json::object ports;
};

std::map<std::string, std::string> environment() {
    std::map<std::string, std::string> result;
    for (const char* name : {"ONCESWAP_LIBCHDB", "XDG_CACHE_HOME"})
        if (const char* value = std::getenv(name))
            result[name] = value;
    return result;
}

std::vector<Origin> origins_of(const Server& server) {
    std::vector<Origin> origins;
    for (const json::value& url : server.ports.at("urls").as_array())
        origins.emplace_back(std::string(url.as_string()));
    return origins;
}

/// How the text of a statement begins in the queue and in the engine's log.
std::string stored_text(Statement statement) {
    switch (statement) {
    case Statement::exchange:
        return "EXCHANGE TABLES ";
    case Statement::rename:
        return "RENAME TABLE ";
    case Statement::drop:
        return "DROP TABLE IF EXISTS ";
    case Statement::record_write:
        break;
    }
    throw std::logic_error("a write of the record is no DDL");
}

/// The queue's view reads every entry that ever was, and executions are counted in a log that only grows: a
/// cluster serves so many scenarios and a fresh one the next.
constexpr unsigned scenarios_of_a_cluster = 6;

class EngineFixture : public HttpCluster {
  public:
    EngineFixture()
        : HttpCluster({}, "c1", std::make_unique<ToolClient>("c1", std::map<std::string, std::string>())) {
        client().brief_limit("6s");
        start();
    }

    std::string_view fixture() const override { return "engine"; }

    json::object versions() override {
        json::object versions = HttpCluster::versions();
        versions["real"] = json::array{"ClickHouse's engine (libchdb)", "KeeperMap", "ZooKeeper"};
        return versions;
    }

    std::optional<std::string> lacks(Need need) const override {
        if (need == Need::queue_rows)
            return "the rows of the queue are what its own DDL workers write";
        if (need == Need::drift_schema)
            return "the engine refuses a replica with other columns, and ALTER is not part of the overlay";
        if (need == Need::drift_membership)
            return "the configuration of the engine's clusters is read when it starts";
        if (need == Need::unsent)
            return "the proxies cannot tell the DDL's connection before it carries the statement";
        return std::nullopt;
    }

    void begin(const std::string& scenario, const Setup& setup) override {
        if (served_++ == scenarios_of_a_cluster) {
            start();
            served_ = 1;
        }
        calm();
        HttpCluster::begin(scenario, setup);
    }

    void end() override { calm(); }

    void killed(const Call& call, Statement statement, unsigned nth, Moment moment) override {
        const auto process = held_at(call, statement, nth, moment);
        process->send(SIGKILL);
        process->wait();
        let_go(true);
    }

    Answer stopped(const Call& call, Statement statement, unsigned nth, Moment moment) override {
        const auto process = held_at(call, statement, nth, moment);
        process->send(SIGTERM);
        let_go(false);
        return client().finish(*process);
    }

    void lose_response(Statement statement) override {
        ++armed_;
        const json::object rule{
            {"name", "lost " + std::string(text(statement))},
            {"on", "bytes"},
            {"after", sent_text(statement, 1)},
            {"direction", "to_client"},
            {"action", "reset"}
        };
        for (const auto& proxy : proxies_)
            add_rule(*proxy, rule);
    }

    void lose_record_write(unsigned nth, bool committed) override {
        ++armed_;
        command(
            keeper_control(0),
            json::object{
                {"do", "add"},
                {"rule",
                 json::object{
                     {"name", "write"},
                     {"on", "transaction"},
                     {"type", 14},
                     {"contains", "/authority/v1/data/"},
                     {"action", committed ? "cut_reply" : "drop"},
                     {"nth", nth}
                 }}
            }
        );
    }

    void hold_worker(std::size_t member, WorkerPoint point, Statement statement) override {
        worker(
            member,
            {{"do", "hold"},
             {"at", std::string(text(point))},
             {"match", stored_text(statement) + database() + "."}}
        );
    }

    void release_worker(std::size_t member) override { worker(member, {{"do", "release"}}); }

    void crash_member(std::size_t member, WorkerPoint point, Statement statement) override {
        worker(
            member,
            {{"do", "crash"},
             {"at", std::string(text(point))},
             {"match", stored_text(statement) + database() + "."}}
        );
        crashed_ = member;
    }

    void start_member(std::size_t member) override {
        control(json::object{{"do", "wait_end"}, {"member", member}});
        control(json::object{{"do", "start"}, {"member", member}});
        crashed_.reset();
    }

    bool all_fired() override {
        std::size_t fired = fired_in(keeper_control(0)) - keeper_fired_before_;
        for (std::size_t i = 0; i < proxies_.size(); ++i)
            fired += fired_in(control_of(*proxies_[i])) - fired_before_.at(i);
        return fired >= armed_;
    }

    std::optional<std::vector<std::int64_t>>
    executed(const std::string& token, Statement statement) override {
        const json::object answer = control(json::object{
            {"do", "executed"}, {"comment", token}, {"text", stored_text(statement) + database()}
        });
        std::vector<std::int64_t> counts;
        for (const json::value& count : answer.at("executed").as_array())
            counts.push_back(count.to_number<std::int64_t>());
        return counts;
    }

  protected:
    std::vector<std::string> client_urls() const override {
        std::vector<std::string> urls;
        for (const auto& proxy : proxies_)
            urls.push_back("http://127.0.0.1:" + std::to_string(port_of(proxy->ports.at("port"))));
        return urls;
    }

  private:
    void start() {
        proxies_.clear();
        server_.reset();
        crashed_.reset();
        server_ = std::make_unique<Server>("engine-clickhouse", std::vector<std::string>(), environment());
        move_to(origins_of(*server_));
        for (const Origin& origin : origins())
            proxies_.push_back(std::make_unique<Server>(
                "fault-proxy",
                std::vector<std::string>{"--to", "127.0.0.1:" + origin.port, "--protocol", "http"},
                std::map<std::string, std::string>()
            ));
    }

    static std::uint16_t control_of(const Server& proxy) { return port_of(proxy.ports.at("control_port")); }

    std::uint16_t keeper_control(std::size_t member) const {
        return port_of(server_->ports.at("members").as_array().at(member).at("keeper_proxy_control_port"));
    }

    json::object control(const json::value& line) {
        return command(port_of(server_->ports.at("control_port")), line);
    }

    void worker(std::size_t member, const std::vector<std::pair<std::string, std::string>>& parameters) {
        const HttpAnswer answer = question(origins().at(member), "POST", "/_node/worker", parameters, {});
        if (answer.status != 200)
            throw std::runtime_error("the worker of member " + std::to_string(member) + ": " + answer.body);
    }

    static std::size_t fired_in(std::uint16_t port) {
        return command(port, json::object{{"do", "status"}}).at("fired").as_array().size();
    }

    static void add_rule(const Server& proxy, const json::object& rule) {
        command(control_of(proxy), json::object{{"do", "add"}, {"rule", rule}});
    }

    /// What begins the `nth` such request of a client.
    std::string sent_text(Statement statement, unsigned nth) const {
        const std::string quoted = "`" + database() + "`";
        switch (statement) {
        case Statement::exchange:
            return "EXCHANGE TABLES " + quoted;
        case Statement::rename:
            return "RENAME TABLE " + quoted;
        case Statement::drop:
            return "DROP TABLE IF EXISTS " + quoted;
        case Statement::record_write:
            break;
        }
        return (nth == 1 ? "INSERT INTO " : "ALTER TABLE ") + quoted + ".`__onceswap_authority`";
    }

    /// A client whose request is held by a proxy: before its statement is whole at the member, or with the
    /// whole answer made.
    std::unique_ptr<Process> held_at(const Call& call, Statement statement, unsigned nth, Moment moment) {
        const unsigned occasion = statement == Statement::record_write && nth > 1 ? nth - 1 : nth;
        const json::object rule{
            {"name", "held"},
            {"on", "bytes"},
            {"after", sent_text(statement, nth)},
            {"direction", moment == Moment::arrived ? "to_server" : "to_client"},
            {"action", "stall"},
            {"nth", occasion}
        };
        for (const auto& proxy : proxies_)
            add_rule(*proxy, rule);
        auto process = client().start(call);
        const auto until = std::chrono::steady_clock::now() + patience;
        while (!held()) {
            end_if_interrupted();
            if (!process->running() || std::chrono::steady_clock::now() > until)
                throw std::runtime_error(
                    "no request of the client was held: " + testing::describe(process->wait())
                );
            ::poll(nullptr, 0, 5); // three programs work on it; none of them tells
        }
        return process;
    }

    bool held() const {
        for (const auto& proxy : proxies_)
            if (command(control_of(*proxy), json::object{{"do", "status"}}).at("held").to_number<int>() > 0)
                return true;
        return false;
    }

    void let_go(bool drop) {
        for (const auto& proxy : proxies_) {
            command(control_of(*proxy), json::object{{"do", "clear"}});
            command(control_of(*proxy), json::object{{"do", "release"}, {"drop", drop}});
        }
    }

    void calm() {
        let_go(true);
        fired_before_.clear();
        for (const auto& proxy : proxies_)
            fired_before_.push_back(fired_in(control_of(*proxy)));
        for (std::size_t member = 0; member < members(); ++member)
            command(keeper_control(member), json::object{{"do", "clear"}});
        keeper_fired_before_ = fired_in(keeper_control(0));
        armed_ = 0;
        if (crashed_)
            start_member(*crashed_);
        for (std::size_t member = 0; member < members(); ++member)
            release_worker(member);
    }

    std::unique_ptr<Server> server_;
    std::vector<std::unique_ptr<Server>> proxies_;
    std::vector<std::size_t> fired_before_;
    std::size_t keeper_fired_before_ = 0;
    std::size_t armed_ = 0;
    std::optional<std::size_t> crashed_;
    unsigned served_ = 0;
};

} // namespace

std::unique_ptr<ClusterUnderTest> engine_cluster() {
    return std::make_unique<EngineFixture>();
}

} // namespace onceswap::acceptance
