#include "tools/cli/session.hpp"

#include "tools/cli/evidence_file.hpp"
#include "tools/cli/option_table.hpp"
#include "tools/cli/table_name.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace onceswap::cli {

namespace {

Verbosity verbosity_of(const Options& options) {
    const bool redraws = options.verb == Verb::watch && !options.verbose && ::isatty(STDOUT_FILENO) == 1;
    if (options.quiet || redraws) // the table says where we are, and two cannot draw in one place
        return Verbosity::quiet;
    return options.verbose ? Verbosity::verbose : Verbosity::normal;
}

engine::TimePoint deadline_of(const Options& options, const engine::Clock& clock) {
    return options.timeout.count() == 0 ? engine::TimePoint::max() : clock.now() + options.timeout;
}

} // namespace

Session::Session(
    Program program,
    Options options,
    std::vector<std::string> words,
    engine::Clock& clock,
    engine::Entropy& entropy
)
    : program_(program), options_(std::move(options)), words_(std::move(words)), clock_(clock),
      entropy_(entropy), diagnostics_(std::string(text(program))),
      progress_(clock, diagnostics_, terminal_of(STDERR_FILENO, options_.color), verbosity_of(options_)),
      deadline_(deadline_of(options_, clock)) {}

engine::Context Session::context() {
    return context(progress_);
}

engine::Context Session::context(engine::EventSink& events) {
    engine::EventSink* sink = &events;
    if (event_log_) {
        const auto write = [this](std::string_view line) {
            if (event_log_->append(line) == EventLogFile::Append::failed_first)
                error("--event-log: cannot be written any more; what happens meanwhile is missing in it");
        };
        sink = &logged_.try_emplace(sink, clock_, write, events).first->second;
    }
    engine::Cluster cluster;
    cluster.name = options_.cluster;
    cluster.endpoints = options_.endpoints;
    cluster.authority_root = options_.authority_root;
    engine::Limits limits;
    limits.read_timeout = options_.read_timeout;
    limits.grace = options_.grace;
    return engine::Context(*transport_, clock_, entropy_, *sink, std::move(cluster), limits);
}

bool Session::open_event_log() {
    if (options_.event_log.empty())
        return true;
    auto opened = EventLogFile::open(options_.event_log);
    if (!opened) {
        error("--event-log: " + opened.error());
        return false;
    }
    event_log_ = std::move(*opened);
    return true;
}

bool Session::out_of_time() const {
    return !options_.demo && clock_.now() >= deadline_;
}

void Session::note(std::string_view text) {
    if (!options_.quiet)
        diagnostics_.line(text);
}

void Session::error(std::string_view text) {
    diagnostics_.line(text);
}

bool Session::publish_result(const std::string& text, const boost::json::object& document) {
    boost::json::object marked = document;
    std::string mark;
    if (options_.demo) {
        marked["demo"] = options_.demo_fault;
        mark = "DEMO " + options_.demo_fault + ": a simulated cluster, nothing of this is real\n\n";
    }
    result_ = marked;
    const std::string json = boost::json::serialize(marked) + "\n";
    const std::string out = options_.json ? json : mark + text;
    diagnostics_.wipe();
    if (stop_signal != 0) // whoever stopped us does not wait for a reader that does not read
        write_while_read(STDOUT_FILENO, out);
    else
        write_fully(STDOUT_FILENO, out);
    return write_evidence(marked);
}

bool Session::write_evidence(const boost::json::object& document) {
    if (options_.evidence_file.empty())
        return true;
    const auto written = write_evidence_file(options_.evidence_file, boost::json::serialize(document) + "\n");
    if (!written)
        error("--evidence: " + written.error());
    return written.has_value();
}

std::string Session::command_to_go_on() const {
    std::string command(text(program_));
    bool has_invocation_id = false;
    for (const std::string& word : words_) {
        command += " " + shell_quoted(word);
        has_invocation_id =
            has_invocation_id || word == "--invocation-id" || word.starts_with("--invocation-id=");
    }
    if (!has_invocation_id && (options_.verb == Verb::publish || options_.verb == Verb::stage))
        command += " --invocation-id " + shell_quoted(options_.invocation_id);
    return command;
}

std::string Session::command_for(std::string_view program, std::string_view verb) const {
    std::string command = std::string(program) + " " + std::string(verb);
    for (const http::Endpoint& endpoint : options_.endpoints)
        command += " --url " + shell_quoted(endpoint.text());
    command +=
        " --cluster " + shell_quoted(options_.cluster) + " --table " + shell_quoted(text(options_.table));
    if (options_.authority_root != protocol::default_authority_root)
        command += " --authority-root " + shell_quoted(options_.authority_root);
    const std::pair<std::string_view, const std::string*> values[] = {
        {"password-file", &options_.password_file},
        {"ca", &options_.ca_file},
        {"cert", &options_.cert_file},
        {"key", &options_.key_file},
        {"server-name", &options_.server_name},
    };
    if (options_.user != "default")
        command += " --user " + shell_quoted(options_.user);
    for (const auto& [name, value] : values) {
        if (!value->empty())
            command += " --" + std::string(name) + " " + shell_quoted(*value);
    }
    if (options_.password_prompt)
        command += " --password-prompt";
    if (options_.insecure)
        command += " --insecure";
    return command;
}

std::string shell_quoted(std::string_view word) {
    const auto harmless = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_=+:,./@%").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), harmless))
        return std::string(word);
    std::string out = "'";
    for (const char c : word)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

} // namespace onceswap::cli
