#include "tools/cli/verdict_hook.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <spawn.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace onceswap::cli {

namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds grace_after_sigterm{2};

/// A file without a name that holds `text`, at its beginning; -1 with errno where that fails.
int file_of(const std::string& text) {
    const int descriptor = ::memfd_create("report", MFD_CLOEXEC);
    std::size_t written = 0;
    while (descriptor >= 0 && written < text.size()) {
        const ssize_t count = ::write(descriptor, text.data() + written, text.size() - written);
        if (count < 0 && errno != EINTR) {
            ::close(descriptor);
            return -1;
        }
        written += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    if (descriptor >= 0)
        ::lseek(descriptor, 0, SEEK_SET);
    return descriptor;
}

std::vector<std::string> environment_of(const VerdictHook& hook) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (!std::string_view(*entry).starts_with("ONCESWAP_PASSWORD"))
            result.emplace_back(*entry);
    }
    for (const auto& [name, value] : hook.variables)
        result.push_back(name + "=" + value);
    return result;
}

/// Its process id, or the negative errno.
pid_t spawn(const VerdictHook& hook, int input) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t ours; // SIGPIPE is ignored here, and would be there
    ::sigemptyset(&none);
    ::sigemptyset(&ours);
    ::sigaddset(&ours, SIGPIPE);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &ours);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(
        &attributes,
        static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    );
    std::vector<std::string> words{"/bin/sh", "-c", hook.command};
    std::vector<std::string> variables = environment_of(hook);
    std::vector<char*> arguments;
    std::vector<char*> environment;
    for (std::string& word : words)
        arguments.push_back(word.data());
    for (std::string& variable : variables)
        environment.push_back(variable.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    pid_t child = -1;
    const int error =
        ::posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments.data(), environment.data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : -error;
}

/// SIGTERM to the group after the limit, SIGKILL when that did not help.
class Watchdog {
  public:
    Watchdog(const asio::any_io_executor& executor, pid_t group, std::chrono::milliseconds limit)
        : timer_(executor), group_(group) {
        timer_.expires_after(limit);
        timer_.async_wait([this](boost::system::error_code error) { strike(error); });
    }

    bool struck() const { return struck_; }

  private:
    void strike(boost::system::error_code error) {
        if (error)
            return; // ended in time; this may be gone
        ::kill(-group_, struck_ ? SIGKILL : SIGTERM);
        if (struck_)
            return;
        struck_ = true;
        timer_.expires_after(grace_after_sigterm);
        timer_.async_wait([this](boost::system::error_code late) { strike(late); });
    }

    asio::steady_timer timer_;
    pid_t group_;
    bool struck_ = false;
};

std::string story_of(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return {};
    if (WIFEXITED(status))
        return "--on-verdict: the command ended with exit code " + std::to_string(WEXITSTATUS(status));
    return "--on-verdict: the command was ended by signal " + std::to_string(WTERMSIG(status));
}

std::string failed(const char* what, int error) {
    return std::string("--on-verdict: ") + what + ": " + std::strerror(error);
}

} // namespace

asio::awaitable<std::string> run_hook(VerdictHook hook) {
    const int input = file_of(hook.document);
    if (input < 0)
        co_return failed("the report could not be handed over", errno);
    const pid_t child = spawn(hook, input);
    ::close(input);
    if (child < 0)
        co_return failed("/bin/sh could not be started", -child);
    const auto executor = co_await asio::this_coro::executor;
    const auto handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
    if (handle < 0) { // a kernel before 5.3
        const int error = errno;
        ::kill(-child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        co_return failed("the command could not be watched", error);
    }
    asio::posix::stream_descriptor process(executor, handle);
    boost::system::error_code error;
    int status = 0;
    bool struck = false;
    {
        const Watchdog watchdog(executor, child, hook.limit);
        auto token = asio::redirect_error(asio::use_awaitable, error);
        co_await process.async_wait(asio::posix::stream_descriptor::wait_read, std::move(token));
        struck = watchdog.struck();
        if (error)
            ::kill(-child, SIGKILL);
        ::waitpid(child, &status, 0);
    }
    if (error)
        co_return "--on-verdict: the command was killed, since this program was stopped";
    if (struck)
        co_return "--on-verdict: the command took longer than " + std::to_string(hook.limit.count()) +
            " ms and was ended";
    co_return story_of(status);
}

} // namespace onceswap::cli
