#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

namespace onceswap::testing {

/// A child process whose three streams are a pseudo-terminal. Killed by the destructor if it still runs.
class TerminalProcess {
  public:
    TerminalProcess(
        const std::string& program, const std::vector<std::string>& arguments, int columns, int rows = 50
    );
    ~TerminalProcess();
    TerminalProcess(const TerminalProcess&) = delete;
    TerminalProcess& operator=(const TerminalProcess&) = delete;

    /// Reads until `text` was written; false: it ended or `limit` passed first.
    bool wait_for(const std::string& text, std::chrono::milliseconds limit = std::chrono::minutes(2));
    void press(char key); ///< `\x03` is Ctrl-C
    /// Reads to the end; the exit code, -1 after `limit` or a signal.
    int wait(std::chrono::milliseconds limit = std::chrono::minutes(2));

    /// All that was written, cursor codes and colours as they came, `\r\n` as `\n`.
    std::string out() const;

  private:
    bool pump(int patience_ms);

    pid_t pid_ = -1;
    int master_ = -1;
    bool ended_ = false;
    std::string out_;
};

/// What a terminal of `columns` shows in the end: cursor up, clear to the end and home are obeyed, colours
/// dropped.
std::string shown(const std::string& written);

} // namespace onceswap::testing
