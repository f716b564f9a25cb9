#pragma once

#include "process.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::testing {

/// What came over a connection until it ended.
struct Bytes {
    std::string text;   ///< everything, status line first
    bool reset = false; ///< ended by a reset, not by an end of stream
    bool refused = false;
    unsigned status() const;
    std::string header(std::string_view name) const;
    /// Decoded if chunked. `whole` becomes whether it was properly ended.
    std::string body(bool* whole = nullptr) const;
};

/// sim-clickhouse in a process of its own.
class Server {
  public:
    explicit Server(std::vector<std::string> arguments);

    Process& process() { return process_; }

    std::uint16_t port(std::size_t member) const { return ports_.at(member); }

    std::uint16_t control() const { return control_; }

    const boost::json::value& description() const { return description_; }

    /// Sends the bytes as they are and reads to the end of the connection.
    static Bytes raw(std::uint16_t port, const std::string& request);
    /// POST with Connection: close.
    Bytes post(std::size_t member, const std::string& sql, const std::string& target = "/");
    boost::json::value
    ask_control(const std::string& method, const std::string& target, const std::string& body = {});

    boost::json::value truth() { return ask_control("GET", "/truth"); }

  private:
    Process process_;
    boost::json::value description_;
    std::vector<std::uint16_t> ports_;
    std::uint16_t control_ = 0;
};

} // namespace onceswap::testing
