#pragma once

#include "process.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::testing {

/// A sim-clickhouse of one test: its members' URLs and its control port.
class SimProcess {
  public:
    /// `arguments` as sim-clickhouse takes them. Throws when it does not come up.
    explicit SimProcess(std::vector<std::string> arguments = {});
    /// Ends the test program, loudly, where a member received anything from reconcile-watch that could change
    /// something: no test can forget to look.
    ~SimProcess();
    SimProcess(const SimProcess&) = delete;
    SimProcess& operator=(const SimProcess&) = delete;

    const std::vector<std::string>& urls() const { return urls_; }

    /// `--url ... --url ... --cluster ... --table db.target`
    std::vector<std::string> where() const;

    boost::json::value truth();
    /// How many requests of a statement class the members received.
    std::uint64_t requests_of(std::string_view statement_class);
    /// Requests of all classes that change something.
    std::uint64_t mutations();
    /// The classes of what the members received from one program (its User-Agent), one word for each request.
    std::vector<std::string> classes_from(std::string_view client);
    /// Executions of a class that took effect, over all members.
    std::uint64_t executions_of(std::string_view statement_class);
    /// Rows of a table on each member; -1 where it is not there.
    std::vector<std::int64_t> rows_of(std::string_view table);
    /// Phase of the only authority row; empty without one.
    std::string phase();
    /// Names of all tables of `db` on member 0 that begin with `onceswap_`.
    std::vector<std::string> candidates();

    void add_fault(const std::string& json);
    /// Waits until more than `fired` faults have fired or the process has ended; false: it ended first, or
    /// `limit` passed.
    bool wait_until_fired(
        std::uint64_t fired, Process& process, std::chrono::milliseconds limit = std::chrono::minutes(5)
    );
    std::uint64_t fired();
    void release(bool drop = false);

    /// A signal to the whole cluster: SIGSTOP, SIGCONT, SIGKILL.
    void send(int signal) { process_.send(signal); }

  private:
    boost::json::value
    ask(const std::string& method, const std::string& target, const std::string& body = {});

    Process process_;
    std::vector<std::string> urls_;
    std::string cluster_;
    std::string control_port_;
};

} // namespace onceswap::testing
