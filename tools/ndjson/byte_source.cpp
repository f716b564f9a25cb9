#include "tools/ndjson/byte_source.hpp"

#include <openssl/evp.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace onceswap::ndjson {

namespace {

protocol::Failure io_failure(const std::string& name, const char* what, int error) {
    return {protocol::Code::input_malformed, name + ": " + what + ": " + std::strerror(error)};
}

} // namespace

StopFlag::StopFlag() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

StopFlag::~StopFlag() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

void StopFlag::stop() noexcept {
    stopped_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
}

struct FileSource::Digest {
    struct Deleter {
        void operator()(EVP_MD_CTX* digest) const { EVP_MD_CTX_free(digest); }
    };

    std::unique_ptr<EVP_MD_CTX, Deleter> context{EVP_MD_CTX_new()};
};

std::string input_name(const std::string& path) {
    return path == "-" ? "<stdin>" : path;
}

FileSource::FileSource(int descriptor, std::string name, const StopFlag& stop)
    : descriptor_(descriptor), name_(std::move(name)), stop_(stop), digest_(std::make_unique<Digest>()) {
    EVP_DigestInit_ex(digest_->context.get(), EVP_sha256(), nullptr);
}

FileSource::~FileSource() {
    if (descriptor_ != STDIN_FILENO)
        ::close(descriptor_);
}

protocol::Result<std::unique_ptr<FileSource>>
FileSource::open(const std::string& path, const StopFlag& stop) {
    const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const std::string name = input_name(path);
    if (descriptor < 0)
        return io_failure(name, "cannot be read", errno);
    std::unique_ptr<FileSource> source(new FileSource(descriptor, name, stop));
    struct stat status{};
    if (::fstat(descriptor, &status) != 0)
        return io_failure(name, "cannot be read", errno);
    if (S_ISDIR(status.st_mode))
        return io_failure(name, "cannot be read", EISDIR);
    if (S_ISREG(status.st_mode))
        source->size_ = static_cast<std::uint64_t>(status.st_size);
    return source;
}

protocol::Result<std::size_t> FileSource::read(std::span<char> into) {
    for (;;) {
        pollfd waiting[] = {{descriptor_, POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
        if (::poll(waiting, 2, -1) < 0) {
            if (errno == EINTR)
                continue;
            return io_failure(name_, "cannot be read", errno);
        }
        if (stop_.stopped())
            return protocol::Failure(protocol::Code::cancelled, "reading " + name_ + " was stopped");
        const ssize_t got = ::read(descriptor_, into.data(), into.size());
        if (got < 0) {
            if (errno == EINTR || errno == EAGAIN)
                continue;
            return io_failure(name_, "cannot be read", errno);
        }
        const auto size = static_cast<std::size_t>(got);
        EVP_DigestUpdate(digest_->context.get(), into.data(), size);
        bytes_read_ += size;
        return size;
    }
}

std::string FileSource::sha256_so_far() const {
    const std::unique_ptr<EVP_MD_CTX, Digest::Deleter> copy(EVP_MD_CTX_new());
    EVP_MD_CTX_copy_ex(copy.get(), digest_->context.get());
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(copy.get(), bytes, &size);
    std::string hex;
    for (unsigned at = 0; at < size; ++at) {
        constexpr char digits[] = "0123456789abcdef";
        hex += digits[bytes[at] >> 4];
        hex += digits[bytes[at] & 15];
    }
    return hex;
}

protocol::Result<std::string> sha256_of_file(const std::string& path, const StopFlag& stop) {
    auto source = FileSource::open(path, stop);
    if (!source)
        return source.error();
    std::vector<char> piece(256 * 1024);
    for (;;) {
        const auto size = (*source)->read(piece);
        if (!size)
            return size.error();
        if (*size == 0)
            return (*source)->sha256_so_far();
    }
}

} // namespace onceswap::ndjson
