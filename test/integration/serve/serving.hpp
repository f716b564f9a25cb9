#pragma once

#include "workshop.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace onceswap::testing {

/// `reconcile-watch serve` as a process, with an interval of a second, and the port it said.
class Serving {
  public:
    explicit Serving(const Words& words, std::map<std::string, std::string> environment = {});

    std::uint16_t port() const { return port_; }

    Process& process() { return process_; }

    boost::json::value status();

    /// Asks until the document fits; throws with `what` where the process ends or three minutes have passed.
    /// The process's own pace is waited for, nothing else.
    boost::json::value
    status_where(const std::string& what, const std::function<bool(const boost::json::value&)>& fits);

    /// Until the first slot has that verdict.
    boost::json::value status_with(const std::string& word);

  private:
    Process process_;
    std::uint16_t port_ = 0;
};

/// The slot of a table in the status document; null without it.
const boost::json::object* slot_of(const boost::json::value& status, const std::string& table);
/// Its verdict; empty without it.
std::string word_of(const boost::json::value& status, const std::string& table);

} // namespace onceswap::testing
