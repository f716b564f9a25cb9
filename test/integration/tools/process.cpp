#include "process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace onceswap::testing {

namespace {

void close_if_open(int& descriptor) {
    if (descriptor >= 0)
        ::close(std::exchange(descriptor, -1));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

bool take(int& descriptor, std::string& into) {
    char buffer[65536];
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got > 0)
        into.append(buffer, static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
        close_if_open(descriptor);
    return got > 0;
}

} // namespace

Process::Process(
    std::string program, std::vector<std::string> arguments, std::map<std::string, std::string> environment
) {
    ::signal(SIGPIPE, SIG_IGN);
    std::vector<std::string> variables;
    for (const char* name : {"PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TMPDIR"}) {
        if (const char* value = std::getenv(name))
            variables.push_back(std::string(name) + "=" + value);
    }
    // A machine that is busy with other things must not look like a member that does not answer.
    environment.emplace("ONCESWAP_READ_TIMEOUT", "2m");
    environment.emplace("ONCESWAP_CONNECT_TIMEOUT", "2m");
    for (const auto& [name, value] : environment)
        variables.push_back(name + "=" + value);
    arguments.insert(arguments.begin(), program);
    const std::vector<char*> argv = pointers(arguments);
    const std::vector<char*> envp = pointers(variables);
    int in[2];
    int out[2];
    int err[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
        throw std::runtime_error("pipe");
    // The kernel ends a child with the thread that made it: only the first one lives as long as the tests.
    const bool first_thread = ::getpid() == ::gettid();
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0)
        throw std::runtime_error("fork");
    if (pid_ == 0) {
        if (first_thread)
            ::prctl(PR_SET_PDEATHSIG, SIGKILL); // the tests may be killed, too
        if (::getppid() != parent)
            ::_exit(127);
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        ::dup2(err[1], 2);
        ::signal(SIGPIPE, SIG_DFL);
        ::execve(program.c_str(), argv.data(), envp.data());
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    input_ = in[1];
    output_ = out[0];
    error_ = err[0];
}

Process::~Process() {
    if (!reaped_) {
        ::kill(pid_, SIGKILL);
        reap(true);
    }
    close_if_open(input_);
    close_if_open(output_);
    close_if_open(error_);
}

void Process::write(const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        pump(std::chrono::steady_clock::now()); // so that neither side waits for the other for ever
        const ssize_t written =
            ::write(input_, text.data() + done, std::min<std::size_t>(text.size() - done, 65536));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        done += static_cast<std::size_t>(written);
    }
}

void Process::close_input() {
    close_if_open(input_);
}

void Process::close_output() {
    close_if_open(output_);
}

void Process::send(int signal) {
    if (!reaped_)
        ::kill(pid_, signal);
}

/// Reads what is there, waiting for something until `until`. False: both streams are at their end.
bool Process::pump(Instant until) {
    pollfd waiting[2] = {{output_, POLLIN, 0}, {error_, POLLIN, 0}};
    if (output_ < 0 && error_ < 0)
        return false;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const int got = ::poll(waiting, 2, left.count() > 0 ? static_cast<int>(left.count()) + 1 : 0);
    if (got <= 0)
        return true;
    if (output_ >= 0 && waiting[0].revents != 0)
        take(output_, ended_.out);
    if (error_ >= 0 && waiting[1].revents != 0)
        take(error_, ended_.err);
    return true;
}

bool Process::wait_for_output(const std::string& text, std::chrono::milliseconds limit) {
    const Instant until = std::chrono::steady_clock::now() + limit;
    while (ended_.out.find(text) == std::string::npos) {
        if (std::chrono::steady_clock::now() >= until || !pump(until))
            return ended_.out.find(text) != std::string::npos;
    }
    return true;
}

bool Process::wait_for_error(const std::string& text, std::chrono::milliseconds limit) {
    const Instant until = std::chrono::steady_clock::now() + limit;
    while (ended_.err.find(text) == std::string::npos) {
        if (std::chrono::steady_clock::now() >= until || !pump(until))
            return ended_.err.find(text) != std::string::npos;
    }
    return true;
}

void Process::reap(bool block) {
    int status = 0;
    rusage usage{};
    pid_t got = 0;
    do {
        got = ::wait4(pid_, &status, block ? 0 : WNOHANG, &usage);
    } while (got < 0 && errno == EINTR);
    if (got != pid_)
        return;
    reaped_ = true;
    ended_.peak_kib = usage.ru_maxrss;
    if (WIFEXITED(status))
        ended_.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) {
        ended_.signal = WTERMSIG(status);
        ended_.code = 128 + ended_.signal;
    }
}

bool Process::running() {
    if (!reaped_)
        reap(false);
    return !reaped_;
}

Ended Process::wait(std::chrono::milliseconds limit) {
    close_input();
    const Instant until = std::chrono::steady_clock::now() + limit;
    while (pump(until)) {
        if (std::chrono::steady_clock::now() >= until) {
            ::kill(pid_, SIGKILL);
            reap(true);
            ended_.code = -1;
            ended_.err += "\n[killed by the test: it ran longer than it may]\n";
            return ended_;
        }
    }
    if (!reaped_)
        reap(true);
    return ended_;
}

Ended run(
    const std::string& program,
    std::vector<std::string> arguments,
    const std::string& input,
    std::map<std::string, std::string> environment
) {
    Process process(program, std::move(arguments), std::move(environment));
    process.write(input);
    return process.wait();
}

std::string describe(const Ended& ended) {
    return "exit code " + std::to_string(ended.code) + "\n--- stdout\n" + ended.out + "--- stderr\n" +
           ended.err;
}

} // namespace onceswap::testing
