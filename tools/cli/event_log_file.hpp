#pragma once

#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace onceswap::cli {

/// A file that lines are appended to. Never waits: it is a regular file.
class EventLogFile {
  public:
    enum class Append { done, failed, failed_first };

    /// Appends to a file that is there, or makes one with mode 0600. Error: one line that names the file.
    static boost::system::result<EventLogFile, std::string> open(const std::string& path);

    ~EventLogFile();

    EventLogFile(EventLogFile&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)), failing_(other.failing_) {}

    EventLogFile& operator=(EventLogFile&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(failing_, other.failing_);
        return *this;
    }

    EventLogFile(const EventLogFile&) = delete;
    EventLogFile& operator=(const EventLogFile&) = delete;

    /// One write, so that lines of several programs stay whole. `failed_first`: the one before was written.
    Append append(std::string_view line);

  private:
    explicit EventLogFile(int descriptor) : descriptor_(descriptor) {}

    int descriptor_;
    bool failing_ = false;
};

} // namespace onceswap::cli
