#pragma once

#include <exception>

namespace onceswap::engine {

/// Whether the exception is Asio's operation_aborted: a cancellation, not an error of its own.
bool is_cancellation(const std::exception_ptr& error) noexcept;

/// Throws system_error(operation_aborted).
[[noreturn]] void throw_cancelled();

} // namespace onceswap::engine
