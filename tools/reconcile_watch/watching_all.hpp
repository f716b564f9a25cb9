#pragma once

#include "engine/publish.hpp"
#include "tools/cli/screen.hpp"
#include "tools/cli/session.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/metrics/event_counters.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace onceswap::reconcile_watch {

/// `watch --all`: reads every slot of a database round after round, eight at a time, and says what changes in
/// each, until none can change by waiting, the deadline, or a signal. The wait between two rounds begins
/// short, grows to the interval while nothing changes, and is short again after a change. Slots that come
/// meanwhile are watched too; one whose record is gone is read on, and says so.
class WatchingAll {
  public:
    explicit WatchingAll(cli::Session& session);
    ~WatchingAll();
    WatchingAll(const WatchingAll&) = delete;
    WatchingAll& operator=(const WatchingAll&) = delete;

    /// Returns when the watch is over. Cancellation: terminal, throws operation_aborted.
    boost::asio::awaitable<void> rounds();

    /// The last words and the exit code: that of the slot that needs a person most, 3 at the deadline.
    int finish();

  private:
    struct Slot {
        protocol::Report report;
        std::string seen; ///< the report without its time
    };

    /// The targets of one round, shared by its readers.
    struct Round {
        std::vector<protocol::TargetName> targets;
        std::size_t next = 0;
        std::vector<std::string> changes; ///< what is to be printed, in the order in which it was read
    };

    engine::Context context();
    boost::asio::awaitable<void> list(Round& round);
    boost::asio::awaitable<void> read(Round& round);
    boost::asio::awaitable<void> write(std::string text);
    void keep(Round& round, const std::string& key, protocol::Report report);
    std::vector<protocol::Report> reports() const;
    bool write_files(bool changed);
    std::string printed(const Round& round);
    std::string blocks() const;
    std::string summary(std::size_t width) const;
    bool is_settled() const;
    int code_of_slots() const;
    void say_end(int code);

    cli::Session& session_;
    metrics::EventCounters counters_;
    cli::Terminal terminal_;
    cli::Screen screen_;
    std::map<std::string, Slot> slots_; ///< by `db.table`; what cannot be decoded by what it says
    std::string list_problem_;          ///< why the last listing failed; said once
    bool listed_ = false;               ///< the slots are known
    bool late_ = false;                 ///< the deadline came
    bool reader_gone_ = false;
    bool files_failed_ = false;
    bool redraws_ = false;
};

} // namespace onceswap::reconcile_watch
