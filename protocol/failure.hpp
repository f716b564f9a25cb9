#pragma once

#include "protocol/error_code.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <type_traits>
#include <utility>

namespace onceswap::protocol {

/// Why something could not be done: a stable code for scripts and one line of evidence for people.
/// `detail` names the host and what was seen; it never holds credentials, row values or source SQL.
struct Failure {
    Failure() = default;

    Failure(Code code_, std::string detail_) : code(code_), detail(std::move(detail_)) {}

    Code code = Code::outcome_unknown;
    std::string detail;

    friend bool operator==(const Failure&, const Failure&) = default;
};

static_assert(!std::is_aggregate_v<Failure>);

[[noreturn]] void throw_exception_from_error(const Failure& failure, const boost::source_location& where);

template <class T>
using Result = boost::system::result<T, Failure>;

} // namespace onceswap::protocol
