#pragma once

#include "engine/publish.hpp"
#include "tools/cli/session.hpp"

#include <boost/asio/awaitable.hpp>

#include <map>
#include <optional>
#include <string>

namespace onceswap::refresh_load {

/// `resume --watch`: goes round over one slot, or all slots of a database, until a signal or the deadline.
/// In each slot it does what `resume` does: waits a little for an entry, keeps its result in the record
/// before the queue forgets it, ends cleanups whose time has come. Says something when a slot's report
/// changes, on standard output and to --on-verdict.
class ResumeService {
  public:
    explicit ResumeService(cli::Session& session) : session_(session) {}

    /// Returns the exit code: 3 at the deadline, or that of the signal. Cancellation: terminal,
    /// by the session's signals.
    boost::asio::awaitable<int> run();

  private:
    /// What a slot came to, and as what it was last told.
    struct Slot {
        protocol::Report report;
        std::string told;
    };

    boost::asio::awaitable<void> round();
    boost::asio::awaitable<void> resume_slot(protocol::TargetName target);
    boost::asio::awaitable<void> tell(Slot& slot, protocol::Report report);
    bool is_over() const;
    void print(const std::string& text) const;
    std::string what_slots_say() const;
    int finish() const;

    cli::Session& session_;
    std::map<std::string, Slot> slots_; ///< by `db.table`
    std::string list_problem_;          ///< said once, as long as it stays the same
};

} // namespace onceswap::refresh_load
