#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace onceswap::http {

enum class StepKind {
    moved,      ///< bytes were taken or given
    wait_read,  ///< nothing now; worth another try when the socket is readable
    wait_write, ///< nothing now; worth another try when the socket is writable
    closed,     ///< the peer ended the stream properly (TLS: close_notify)
    failed,     ///< `error`; the stream is useless from now on
};

/// What one attempt came to. Never waits.
struct Step {
    StepKind kind = StepKind::failed;
    std::size_t bytes = 0;
    boost::system::error_code error;

    static Step moved(std::size_t bytes) { return {StepKind::moved, bytes, {}}; }

    static Step failed(boost::system::error_code error) { return {StepKind::failed, 0, error}; }
};

/// Bytes over one connected socket, plain or TLS. Every call is one attempt that returns at once; waiting,
/// deadlines and cancellation belong to the caller, once for both kinds. That is what lets evidence be exact:
/// a step either moved bytes into the kernel or did not.
class Stream {
  public:
    virtual ~Stream() = default;
    virtual Step handshake() = 0;
    virtual Step read(boost::asio::mutable_buffer room) = 0;
    virtual Step write(const std::array<boost::asio::const_buffer, 2>& bytes) = 0;
    /// Bytes that the kernel took so far, of whatever is on the wire (TLS: records).
    virtual std::uint64_t bytes_to_kernel() const = 0;
    /// What the last failure was about, for people: which certificate, which alert. May be empty.
    virtual std::string failure_detail() const = 0;
};

} // namespace onceswap::http
