#include "http_transport/credentials.hpp"

#include <openssl/crypto.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace onceswap::http {
namespace {

constexpr std::size_t max_password_file_bytes = 4'096;

class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}

    ~Descriptor() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }

    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return fd_; }

  private:
    int fd_;
};

void wipe(std::string& secret) {
    // Up to the capacity: a moved-from short string still holds its bytes behind size zero.
    secret.resize(secret.capacity());
    OPENSSL_cleanse(secret.data(), secret.size());
    secret.clear();
}

} // namespace

Credentials::Credentials(std::string user, std::string password)
    : user_(std::move(user)), password_(std::move(password)) {
    wipe(password);
}

Credentials::~Credentials() {
    wipe(password_);
}

boost::system::result<Credentials, std::string>
Credentials::from_file(std::string user, const std::string& password_file) {
    const std::string about = "password file '" + password_file + "': ";
    // O_NONBLOCK: a FIFO without a writer must not hang; it is refused below.
    const Descriptor file(::open(password_file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) {
        return about + std::strerror(errno);
    }
    struct stat facts{};
    if (::fstat(file.get(), &facts) != 0) {
        return about + std::strerror(errno);
    }
    if (!S_ISREG(facts.st_mode)) {
        return about + "not a regular file";
    }
    if ((facts.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
        return about + "others can access it; chmod it to 0600 (or 0640)";
    }
    std::array<char, max_password_file_bytes + 1> bytes{};
    std::size_t size = 0;
    while (size < bytes.size()) {
        const ssize_t got = ::read(file.get(), bytes.data() + size, bytes.size() - size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            const int error = errno;
            OPENSSL_cleanse(bytes.data(), bytes.size());
            return about + std::strerror(error);
        }
        if (got == 0) {
            break;
        }
        size += static_cast<std::size_t>(got);
    }
    std::string password(bytes.data(), size);
    OPENSSL_cleanse(bytes.data(), bytes.size());
    if (size > max_password_file_bytes) {
        wipe(password);
        return about + "larger than 4096 bytes";
    }
    password.resize(std::min(password.find('\n'), password.size()));
    if (password.ends_with('\r')) {
        password.pop_back();
    }
    if (password.empty()) {
        wipe(password);
        return about + "its first line is empty";
    }
    Credentials credentials(std::move(user), std::move(password));
    wipe(password);
    return credentials;
}

} // namespace onceswap::http
