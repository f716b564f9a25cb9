#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>

namespace onceswap::engine {

/// Structured concurrency: children that are joined before their owner goes on, also when it is cancelled.
/// One loop thread. The first error of a child that is not a cancellation cancels its siblings and is
/// rethrown by join(). Precondition of the destructor: joined (asserted).
class TaskGroup {
  public:
    explicit TaskGroup(boost::asio::any_io_executor executor);
    ~TaskGroup();
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;

    /// Starts a child. After cancel() it starts already cancelled. Arguments of the coroutine must be owned
    /// by its frame or outlive join().
    void spawn(boost::asio::awaitable<void> child);
    /// Signals terminal cancellation to every child; does not wait.
    void cancel();
    std::size_t running() const;

    /// Waits for all children. On the caller's own cancellation forwards it and keeps waiting, then throws
    /// operation_aborted. Nothing of a child is abandoned.
    boost::asio::awaitable<void> join();

  private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace onceswap::engine
