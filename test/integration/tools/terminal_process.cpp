#include "terminal_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <pty.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace onceswap::testing {

namespace {

using Instant = std::chrono::steady_clock::time_point;

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    std::string term = "TERM=xterm-256color";
    std::string path = "PATH=/usr/bin:/bin";
    char* const environment[] = {term.data(), path.data(), nullptr};
    ::execve(program.c_str(), pointers.data(), environment);
    ::_exit(127);
}

} // namespace

TerminalProcess::TerminalProcess(
    const std::string& program, const std::vector<std::string>& arguments, int columns, int rows
) {
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(rows);
    pid_ = ::forkpty(&master_, nullptr, nullptr, &size);
    if (pid_ < 0)
        throw std::runtime_error("forkpty");
    if (pid_ == 0)
        become(program, arguments);
}

TerminalProcess::~TerminalProcess() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    ::close(master_);
}

bool TerminalProcess::pump(int patience_ms) {
    pollfd ready{master_, POLLIN, 0};
    if (::poll(&ready, 1, patience_ms) <= 0)
        return false;
    char buffer[4096];
    const ssize_t got = ::read(master_, buffer, sizeof buffer);
    if (got <= 0) {
        ended_ = !(got < 0 && errno == EINTR); // EIO: the last process of the terminal is gone
        return false;
    }
    out_.append(buffer, static_cast<std::size_t>(got));
    return true;
}

bool TerminalProcess::wait_for(const std::string& text, std::chrono::milliseconds limit) {
    const Instant until = std::chrono::steady_clock::now() + limit;
    while (out().find(text) == std::string::npos) {
        if (ended_ || std::chrono::steady_clock::now() >= until)
            return false;
        pump(50);
    }
    return true;
}

void TerminalProcess::press(char key) {
    if (::write(master_, &key, 1) != 1)
        throw std::runtime_error("the terminal takes no key");
}

int TerminalProcess::wait(std::chrono::milliseconds limit) {
    const Instant until = std::chrono::steady_clock::now() + limit;
    while (!ended_ && std::chrono::steady_clock::now() < until)
        pump(50);
    if (!ended_)
        return -1;
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string TerminalProcess::out() const {
    std::string text;
    for (std::size_t at = 0; at < out_.size(); ++at)
        if (out_[at] != '\r' || at + 1 == out_.size() || out_[at + 1] != '\n')
            text += out_[at];
    return text;
}

std::string shown(const std::string& written) {
    std::vector<std::string> lines(1);
    std::size_t row = 0;
    for (std::size_t at = 0; at < written.size(); ++at) {
        const char c = written[at];
        if (c == '\n') {
            if (++row == lines.size())
                lines.emplace_back();
        } else if (c == '\r') {
            // Only before a line that is cleared or drawn from its beginning.
        } else if (c == '\x1b') {
            const std::size_t end = written.find_first_of("ABCDHJKm", at);
            if (end == std::string::npos)
                throw std::runtime_error("a sequence without an end");
            const std::string numbers = written.substr(at + 2, end - at - 2);
            if (written[end] == 'A')
                row -= std::min<std::size_t>(row, std::stoul(numbers));
            else if (written[end] == 'H')
                row = 0;
            else if (written[end] == 'J')
                lines.resize(row + 1);
            if (written[end] == 'J' || written[end] == 'K')
                lines[row].clear();
            at = end;
        } else {
            lines[row] += c;
        }
    }
    std::string text;
    for (const std::string& line : lines)
        text += line + (&line == &lines.back() ? "" : "\n");
    return text;
}

} // namespace onceswap::testing
