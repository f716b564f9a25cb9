#pragma once

#include "fixtures/engine_node/peer.hpp"
#include "process.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::testing {

using Settings = engine_node::Settings;

/// An answer of a member, taken apart.
struct Reply {
    unsigned status = 0;
    std::string head;
    std::string body;

    /// Of X-ClickHouse-Exception-Code; 0 without one.
    int code() const;
};

/// A line of JSON to a port, and the line that comes back.
boost::json::value ask_line(std::uint16_t port, const std::string& line);

/// One engine-clickhouse, which the tests of this program share; each makes databases of its own.
class LiveEngine {
  public:
    /// Starts it with the first call; it ends with the program.
    static LiveEngine& get();

    explicit LiveEngine(std::vector<std::string> arguments);

    /// One statement to one member.
    Reply ask(std::size_t member, const std::string& sql, const Settings& parameters = {});
    /// The body of an answer that has to be 200.
    std::string rows(std::size_t member, const std::string& sql, const Settings& parameters = {});
    /// A database with `target (id UInt64, name String)`, Replicated, on both members, with some rows.
    void make_target(const std::string& database, unsigned rows);
    /// name of uuid of a table on a member; empty where it is not there.
    std::string uuid(std::size_t member, const std::string& database, const std::string& table);

    boost::json::value control(const std::string& line);
    /// What a member's DDL worker is told: pause, unpause, crash, hold, release, show.
    boost::json::value worker(std::size_t member, const Settings& parameters);
    /// To the proxy between a member's engine and ZooKeeper.
    boost::json::value keeper_proxy(std::size_t member, const std::string& line);
    /// How often each member's engine says that it has executed such a statement under this log_comment.
    std::vector<std::int64_t> executed(const std::string& comment, const std::string& text);

    std::uint16_t http_port(std::size_t member) const;
    std::string url(std::size_t member) const;

    const boost::json::value& ports() const { return ports_; }

    Process& process() { return process_; }

  private:
    Process process_;
    boost::json::value ports_;
};

/// Asks until `sql` answers `wanted` on the member; what it answered last. Gives up after half a minute.
std::string
wait_for_rows(LiveEngine& engine, std::size_t member, const std::string& sql, const std::string& wanted);

/// A file of a test, removed with it.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& text);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& name() const { return name_; }

  private:
    std::string name_;
};

/// `count` rows {"id": n, "name": "new n"} as NDJSON.
std::string new_rows(unsigned count);

/// The environment in which refresh-load and the cluster run.
std::map<std::string, std::string> engine_environment();

} // namespace onceswap::testing
