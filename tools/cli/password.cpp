#include "tools/cli/password.hpp"

#include "tools/cli/diagnostics.hpp"

#include <openssl/crypto.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace onceswap::cli {

namespace {

constexpr std::size_t longest_password = 4096;

/// A terminal that does not show what is typed, for as long as this lives.
class SilentTerminal {
  public:
    explicit SilentTerminal(int descriptor) : descriptor_(descriptor) {
        silenced_ = ::tcgetattr(descriptor_, &before_) == 0;
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        silenced_ = silenced_ && ::tcsetattr(descriptor_, TCSAFLUSH, &silent) == 0;
    }

    ~SilentTerminal() {
        if (silenced_)
            ::tcsetattr(descriptor_, TCSAFLUSH, &before_);
    }

    SilentTerminal(const SilentTerminal&) = delete;
    SilentTerminal& operator=(const SilentTerminal&) = delete;

    bool silenced() const { return silenced_; }

  private:
    int descriptor_;
    termios before_{};
    bool silenced_ = false;
};

boost::system::result<http::Credentials, std::string> ask(const std::string& user) {
    const int terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (terminal < 0)
        return std::string("--password-prompt: there is no terminal to ask on");
    std::string password;
    bool silenced = false;
    {
        const SilentTerminal silent(terminal);
        silenced = silent.silenced();
        if (silenced) {
            write_fully(terminal, "Password for " + user + ": ");
            for (char c = 0; password.size() <= longest_password;) {
                const ssize_t got = ::read(terminal, &c, 1);
                if (got < 0 && errno == EINTR)
                    continue;
                if (got <= 0 || c == '\n')
                    break;
                password += c;
            }
            write_fully(terminal, "\n");
        }
    }
    ::close(terminal);
    if (!silenced)
        return std::string("--password-prompt: the terminal cannot be kept from showing the password");
    http::Credentials credentials(user, password);
    ::OPENSSL_cleanse(password.data(), password.size());
    return credentials;
}

} // namespace

boost::system::result<http::Credentials, std::string> find_credentials(const Options& options) {
    if (!options.password_file.empty()) {
        auto credentials = http::Credentials::from_file(options.user, options.password_file);
        if (!credentials)
            return "--password-file: " + credentials.error();
        return *credentials;
    }
    if (options.password_prompt)
        return ask(options.user);
    if (char* password = std::getenv("ONCESWAP_PASSWORD")) {
        http::Credentials credentials(options.user, password);
        ::OPENSSL_cleanse(password, std::strlen(password)); // /proc/PID/environ shows this memory
        ::unsetenv("ONCESWAP_PASSWORD");                    // children and crash reports do not get it
        return credentials;
    }
    return http::Credentials(options.user, "");
}

} // namespace onceswap::cli
