#pragma once

#include "engine/context.hpp"
#include "engine/event_log.hpp"
#include "engine/publish.hpp"
#include "protocol/report.hpp"
#include "tools/cli/diagnostics.hpp"
#include "tools/cli/event_log_file.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/progress.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace onceswap::cli {

/// One run of one verb: what it works with and how it says what came of it. Lives on one event loop.
class Session {
  public:
    Session(
        Program program,
        Options options,
        std::vector<std::string> words,
        engine::Clock& clock,
        engine::Entropy& entropy
    );

    Program program() const { return program_; }

    const Options& options() const { return options_; }

    Options& options() { return options_; }

    Diagnostics& diagnostics() { return diagnostics_; }

    Progress& progress() { return progress_; }

    engine::Clock& clock() { return clock_; }

    engine::Entropy& entropy() { return entropy_; }

    /// The end that the user set, from the start of the session.
    engine::TimePoint deadline() const { return deadline_; }

    /// Whether the user's time is over. Never in a demo, whose cluster has its own time.
    bool out_of_time() const;

    /// The one transport; replaced once when the user turns out to be readonly.
    http::Transport& transport() { return *transport_; }

    void use(std::unique_ptr<http::Transport> transport) { transport_ = std::move(transport); }

    engine::Context context();
    /// The same with another sink than `progress()`.
    engine::Context context(engine::EventSink& events);

    /// Opens the file of --event-log, where there is one; contexts that are made afterwards write to it.
    /// False: said why not on standard error.
    bool open_event_log();

    /// `program: note` on standard error unless --quiet.
    void note(std::string_view text);
    /// One line on standard error, always.
    void error(std::string_view text);

    /// Prints text or document on standard output and writes the evidence file. A reader that is gone is no
    /// error. False: the evidence file could not be written (said on standard error).
    bool publish_result(const std::string& text, const boost::json::object& document);

    /// Writes --evidence, where that is given, as write_evidence_file(). False: said why not on standard
    /// error.
    bool write_evidence(const boost::json::object& document);

    /// What publish_result() had last; empty before.
    const boost::json::object& result() const { return result_; }

    /// The command that goes on where this one stopped, for a shell: the same words with the invocation id,
    /// or with `instead` in the verb's place and without what belongs to loading.
    std::string command_to_go_on() const;
    std::string command_for(std::string_view program, std::string_view verb) const;

    /// What SIGUSR1 prints; else what `progress()` says.
    std::function<std::string()> status;

    /// Set by the first SIGINT or SIGTERM.
    int stop_signal = 0;

  private:
    Program program_;
    Options options_;
    std::vector<std::string> words_;
    engine::Clock& clock_;
    engine::Entropy& entropy_;
    Diagnostics diagnostics_;
    Progress progress_;
    std::optional<EventLogFile> event_log_;
    std::map<engine::EventSink*, engine::JsonLineSink> logged_; ///< in front of the sink that it hands on to
    engine::TimePoint deadline_;
    boost::json::object result_;
    std::unique_ptr<http::Transport> transport_;
};

using VerbFunction = boost::asio::awaitable<int> (*)(Session& session);

/// A whole program: parses, connects, runs the verb that `verb_function` gives for the options under signals
/// and returns the exit code. Nothing of it throws.
int run_program(Program program, int argc, char** argv, VerbFunction (*verb_function)(Verb verb));

/// A word for a POSIX shell.
std::string shell_quoted(std::string_view word);

} // namespace onceswap::cli
