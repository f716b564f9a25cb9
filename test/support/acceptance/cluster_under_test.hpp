#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::acceptance {

/// What a scenario asks of a cluster beyond publishing and looking. A fixture offers it or says why not.
enum class Need {
    lost_response,  ///< a statement takes effect and its answer does not reach the client
    keeper_write,   ///< one write of the record is committed and its answer lost, or it is dropped before
    ddl_worker,     ///< a member's DDL worker stands still at a point while its HTTP answers
    worker_crash,   ///< a member's process dies at a point of its DDL worker
    outsider,       ///< somebody else's statement to one member
    refused_host,   ///< one host refuses a statement with an error of its own
    client_gone,    ///< the client dies while the cluster has one of its requests
    client_stopped, ///< the client is told to stop while the cluster has one of its requests
    two_clients,    ///< two publications at once
    queue_rows,     ///< the queue's table shows any row
    drift_uuid,     ///< the target becomes another table on one member
    drift_schema,
    drift_engine,
    drift_path,
    drift_membership,
    partial_authority, ///< the control table is on one member only, or is another one there
    unsent,            ///< the connection of the DDL is refused after the write that permits it
    retire             ///< the operator's verb
};
constexpr std::size_t needs = static_cast<std::size_t>(Need::retire) + 1;
std::string_view text(Need need);

/// The statements that faults are aimed at.
enum class Statement { exchange, rename, drop, record_write };
std::string_view text(Statement statement);

/// Where a DDL worker stands.
enum class WorkerPoint { before_active, after_execute };
std::string_view text(WorkerPoint point);

/// When a client goes away: the cluster has its request and has done nothing, or all is done but the answer.
enum class Moment { arrived, done };
std::string_view text(Moment moment);

enum class Verb { publish, resume, status, abandon, retire };
std::string_view text(Verb verb);

/// What the client is told to do.
struct Call {
    Call() = default;

    explicit Call(Verb verb_) : verb(verb_) {}

    Verb verb = Verb::publish;
    std::string invocation = "run-1";
    std::uint64_t rows = 20;
    bool cleanup = true;
    /// Its deadline is near: a call that has to be seen waiting. How near is the fixture's own.
    bool brief = false;
};

/// What the client said in the end.
struct Answer {
    Answer() = default;
    boost::json::object report; ///< docs/cli/report.schema.json; empty: the client is gone
    std::string word;           ///< the verdict; empty: the client is gone
    std::string stopped;        ///< the code that ended the call early, or empty
    std::string phase;
    std::string operation;
    std::string candidate;
    std::optional<std::int64_t> version; ///< of the record

    static Answer of(boost::json::object report);
};

/// A name in the scenario's database and the uuid behind it.
struct Table {
    Table() = default;

    Table(std::string name_, std::string uuid_) : name(std::move(name_)), uuid(std::move(uuid_)) {}

    std::string name;
    std::string uuid;
    friend bool operator==(const Table&, const Table&) = default;
};

/// An entry of the DDL queue that is about the scenario's database.
struct Entry {
    Entry() = default;
    std::string name;
    std::string token; ///< log_comment
    std::string query; ///< as it is stored
};

/// Seconds that an outsider's ON CLUSTER statement waits for its hosts.
inline constexpr const char* outsiders_patience = "5";

/// What there is before a scenario begins.
struct Setup {
    Setup() = default;
    bool absent = false; ///< no target, and a `pattern` to be like
};

/// The fixture does not do this; the scenario is skipped with the reason.
class NotOffered : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A cluster, a client of it, what can go wrong between them, and what really happened. Everything blocks
/// until it is done. One scenario after the other, each in a database of its own with `target`
/// (id UInt64, name String) of `old_rows` rows.
/// What nobody offers throws NotOffered; anything that goes wrong with the fixture itself is
/// std::runtime_error.
class ClusterUnderTest {
  public:
    static constexpr std::uint64_t old_rows = 10;

    virtual ~ClusterUnderTest() = default;

    virtual std::string_view fixture() const = 0;
    /// What the members say that they are, and what else is real.
    virtual boost::json::object versions() = 0;
    /// Why this fixture does not have it; nullopt: it does.
    virtual std::optional<std::string> lacks(Need need) const = 0;
    virtual std::size_t members() const = 0;
    virtual std::string database() const = 0;

    virtual void begin(const std::string& scenario, const Setup& setup) = 0;
    /// Nothing goes wrong any more, and whatever was stopped runs again.
    virtual void end() = 0;

    virtual Answer call(const Call& call) = 0;
    virtual std::vector<Answer> together(const std::vector<Call>& calls);
    /// The client is killed when the cluster has its `nth` such request. At Moment::arrived the request is
    /// never executed.
    virtual void killed(const Call& call, Statement statement, unsigned nth, Moment moment);
    /// The same, but it is told to end (SIGTERM), and what it says.
    virtual Answer stopped(const Call& call, Statement statement, unsigned nth, Moment moment);

    virtual void lose_response(Statement statement);
    /// The `nth` write of the record (1: PREPARED, 2: DISPATCHING, 3: COMMITTED, ...) ends in a lost
    /// connection to the keeper: `committed` or not.
    virtual void lose_record_write(unsigned nth, bool committed);
    virtual void hold_worker(std::size_t member, WorkerPoint point, Statement statement);
    virtual void release_worker(std::size_t member);
    virtual void crash_member(std::size_t member, WorkerPoint point, Statement statement);
    virtual void start_member(std::size_t member);
    virtual void refuse_on_host(std::size_t member, Statement statement, const std::string& table);
    virtual void heal_host(std::size_t member);
    /// Sent by somebody else. The server's error, or empty.
    virtual std::string outsider(std::size_t member, const std::string& sql, const std::string& comment);
    /// The first entry that is about an EXCHANGE shows `status` and `code` for the host of that member.
    virtual void
    show_queue_row(std::size_t member, const std::string& status, std::optional<int> code, std::string text);
    virtual void drift(Need what, std::size_t member);
    /// The control table on member 0 alone; `mismatched`: and another one under its name on the others.
    virtual void partial_authority(bool mismatched);
    virtual void refuse_before_ddl();
    /// Whether everything that was to go wrong since begin() has gone wrong.
    virtual bool all_fired() = 0;

    // What is so, asked past everything that can go wrong.
    virtual std::vector<Table> tables(std::size_t member) = 0;
    virtual std::vector<Entry> entries() = 0;
    /// How often each member says that its worker handed such a statement with this log_comment to the
    /// engine, one that then failed included; nullopt: it cannot be known here.
    virtual std::optional<std::vector<std::int64_t>>
    executed(const std::string& token, Statement statement) = 0;
    virtual std::int64_t rows(std::size_t member, const std::string& table) = 0;

    /// Empty where there is none.
    std::string uuid(std::size_t member, std::string_view table);
};

} // namespace onceswap::acceptance
