#include "tools/cli/evidence_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace onceswap::cli {

namespace {

bool write_all(int descriptor, std::string_view content) {
    while (!content.empty()) {
        const ssize_t written = ::write(descriptor, content.data(), content.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

boost::system::result<void, std::string>
write_whole(const std::string& path, std::string_view content, mode_t mode, bool durable) {
    const auto failure = [&path](int error) { return path + ": cannot be written: " + std::strerror(error); };
    std::string temporary = path + ".XXXXXX";
    const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC); // mode 0600
    if (descriptor < 0)
        return failure(errno);
    const bool written = ::fchmod(descriptor, mode) == 0 && write_all(descriptor, content) &&
                         (!durable || ::fsync(descriptor) == 0);
    const int write_error = errno;
    ::close(descriptor);
    if (!written || ::rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = written ? errno : write_error;
        ::unlink(temporary.c_str());
        return failure(error);
    }
    if (!durable)
        return {};
    const std::size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (const int opened = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); opened >= 0) {
        ::fsync(opened); // the name survives a power loss too; where that is refused the file is still whole
        ::close(opened);
    }
    return {};
}

} // namespace

boost::system::result<void, std::string>
write_evidence_file(const std::string& path, std::string_view content) {
    return write_whole(path, content, S_IRUSR | S_IWUSR, true);
}

boost::system::result<void, std::string> check_can_be_written(const std::string& path) {
    const auto failure = [&path](int error) { return path + ": cannot be written: " + std::strerror(error); };
    struct stat status{};
    if (path.empty() || path.back() == '/')
        return path + ": not the name of a file";
    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
        return failure(EISDIR);
    const std::size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (::access(directory.c_str(), W_OK | X_OK) != 0)
        return failure(errno);
    return {};
}

boost::system::result<void, std::string>
write_metrics_file(const std::string& path, std::string_view content) {
    return write_whole(path, content, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH, false);
}

} // namespace onceswap::cli
