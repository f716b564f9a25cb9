#include "tools/cli/event_log_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace onceswap::cli {

boost::system::result<EventLogFile, std::string> EventLogFile::open(const std::string& path) {
    const std::string about = "'" + path + "': ";
    // O_NONBLOCK: a FIFO without a reader must not hang; it is refused below.
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (descriptor < 0)
        return about + std::strerror(errno);
    EventLogFile file(descriptor);
    struct stat facts{};
    if (::fstat(descriptor, &facts) != 0)
        return about + std::strerror(errno);
    if (!S_ISREG(facts.st_mode))
        return about + "not a regular file";
    return file;
}

EventLogFile::~EventLogFile() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

EventLogFile::Append EventLogFile::append(std::string_view line) {
    ssize_t written = -1;
    do
        written = ::write(descriptor_, line.data(), line.size());
    while (written < 0 && errno == EINTR);
    const bool done = written >= 0 && static_cast<std::size_t>(written) == line.size();
    const bool first = !done && !failing_;
    failing_ = !done;
    if (done)
        return Append::done;
    return first ? Append::failed_first : Append::failed;
}

} // namespace onceswap::cli
