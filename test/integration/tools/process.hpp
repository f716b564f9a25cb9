#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace onceswap::testing {

/// How a process ended and what it said.
struct Ended {
    int code = -1;  ///< exit code, or 128 + signal as a shell says it
    int signal = 0; ///< that ended it, 0: none
    std::string out;
    std::string err;
    long peak_kib = 0; ///< ru_maxrss
};

/// A child process with its three streams in pipes. Its environment is only PATH, HOME, patient
/// timeouts for our tools and what is given.
/// Killed by the destructor if it still runs.
class Process {
  public:
    Process(
        std::string program,
        std::vector<std::string> arguments,
        std::map<std::string, std::string> environment = {}
    );
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    void write(const std::string& text); ///< to its standard input
    void close_input();
    void close_output(); ///< its standard output has no reader any more
    void send(int signal);

    /// Reads until standard output (or error) holds `text`; false: it ended or `limit` passed first.
    bool wait_for_output(const std::string& text, std::chrono::milliseconds limit = std::chrono::minutes(5));
    bool wait_for_error(const std::string& text, std::chrono::milliseconds limit = std::chrono::minutes(5));
    /// Closes its input and waits for its end. Killed (and code -1) after `limit`.
    Ended wait(std::chrono::milliseconds limit = std::chrono::minutes(10));

    bool running();

    pid_t pid() const { return pid_; }

    const std::string& out() const { return ended_.out; }

    const std::string& err() const { return ended_.err; }

  private:
    using Instant = std::chrono::steady_clock::time_point;
    bool pump(Instant until);
    void reap(bool block);

    pid_t pid_ = -1;
    int input_ = -1;
    int output_ = -1;
    int error_ = -1;
    bool reaped_ = false;
    Ended ended_;
};

/// Runs a program to its end.
Ended run(
    const std::string& program,
    std::vector<std::string> arguments,
    const std::string& input = {},
    std::map<std::string, std::string> environment = {}
);

/// `a b 'c d'` and all that it said: for messages of failed checks.
std::string describe(const Ended& ended);

} // namespace onceswap::testing
