#pragma once

#include "engine/publish.hpp"
#include "tools/cli/screen.hpp"
#include "tools/cli/session.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/metrics/event_counters.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>

namespace onceswap::reconcile_watch {

/// What one watch says, pass by pass. Lives as long as the watch, on its loop.
class Watching {
  public:
    explicit Watching(cli::Session& session);
    ~Watching();
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;

    /// With the interval as the longest wait between two passes.
    engine::Context context();

    /// After each pass: files first, then what is printed. False: the watch is over.
    boost::asio::awaitable<bool> pass(const protocol::Report& report, bool changed);

    /// The last words and the exit code.
    int finish(const protocol::Report& ended);

  private:
    bool write_files(const protocol::Report& report, bool changed);
    std::string printed(const protocol::Report& report, bool changed);
    std::string last_document(const protocol::Report& report, int code) const;
    std::string last_text(const protocol::Report& report);
    boost::asio::awaitable<void> write(std::string text);
    void say_end(const protocol::Report& report, int code);

    cli::Session& session_;
    metrics::EventCounters counters_;
    cli::Terminal terminal_;
    cli::Screen screen_;
    protocol::Report last_;
    std::string superseded_;
    bool read_ = false;         ///< a pass has ended
    bool reader_gone_ = false;  ///< nobody reads standard output any more
    bool files_failed_ = false; ///< said once
    bool redraws_ = false;
};

} // namespace onceswap::reconcile_watch
