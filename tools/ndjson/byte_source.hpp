#pragma once

#include "protocol/failure.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace onceswap::ndjson {

/// Bytes in order. Blocks; meant for a thread of its own, never for the event loop.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    /// Up to `into.size()` bytes; 0 is the end. Errors: input_malformed with what is wrong and where.
    virtual protocol::Result<std::size_t> read(std::span<char> into) = 0;
};

/// Wakes a read that blocks on a terminal or a pipe. Safe from any thread; once stopped, always stopped.
class StopFlag {
  public:
    StopFlag();
    ~StopFlag();
    StopFlag(const StopFlag&) = delete;
    StopFlag& operator=(const StopFlag&) = delete;

    void stop() noexcept;

    bool stopped() const noexcept { return stopped_; }

    int descriptor() const noexcept { return descriptor_; } ///< readable once stopped

  private:
    int descriptor_ = -1;
    std::atomic<bool> stopped_{false};
};

/// An open file, or standard input for the name `-`. Counts and digests what it gave out.
class FileSource final : public ByteSource {
  public:
    /// `stop` must outlive the source. Errors: input_malformed when the file cannot be opened or is a
    /// directory.
    static protocol::Result<std::unique_ptr<FileSource>> open(const std::string& path, const StopFlag& stop);
    ~FileSource() override;

    /// Error: cancelled once `stop` is set; input_malformed for an I/O error.
    protocol::Result<std::size_t> read(std::span<char> into) override;

    std::uint64_t bytes_read() const noexcept { return bytes_read_; }

    std::uint64_t size() const noexcept { return size_; } ///< 0: not a regular file

    std::string sha256_so_far() const; ///< of all bytes given out

  private:
    struct Digest;
    FileSource(int descriptor, std::string name, const StopFlag& stop);

    int descriptor_;
    std::string name_;
    const StopFlag& stop_;
    std::atomic<std::uint64_t> bytes_read_{0};
    std::uint64_t size_ = 0;
    std::unique_ptr<Digest> digest_;
};

/// The name of an input in messages: the path, or `<stdin>` for `-`.
std::string input_name(const std::string& path);

/// SHA-256 of a whole file, read in pieces. Errors as FileSource's.
protocol::Result<std::string> sha256_of_file(const std::string& path, const StopFlag& stop);

} // namespace onceswap::ndjson
