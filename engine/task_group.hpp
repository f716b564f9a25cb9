#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace onceswap::engine {

class TaskGroup;

/// What ends the deferral of a cancellation early, on the loop.
class DeferralEnd {
  public:
    DeferralEnd() = default;
    DeferralEnd(const DeferralEnd&) = delete;
    DeferralEnd& operator=(const DeferralEnd&) = delete;
    /// From now on the joiner's cancellation, also one that came before, is forwarded to the children.
    /// Idempotent.
    void lift();

    bool lifted() const { return lifted_; }

  private:
    friend class TaskGroup;
    bool lifted_ = false;
    std::function<void()> wake_;
};

/// Structured concurrency: children that are joined before their owner goes on, also when it is cancelled.
/// One loop thread. The first error of a child that is not a cancellation cancels its siblings and is
/// rethrown by join().
///
/// Children begin to run inside join(): an owner that is cancelled already, or throws between spawn and join,
/// never leaves a running child behind. So whatever shall run beside the children is a child itself. Children
/// that are spawned while join() runs (by other children) start at once. Precondition of the destructor:
/// joined, or never started (asserted).
class TaskGroup {
  public:
    explicit TaskGroup(boost::asio::any_io_executor executor);
    ~TaskGroup();
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;

    /// Adds a child. After cancel() it ends as cancelled without running. Arguments of the coroutine must be
    /// owned by its frame or outlive join().
    void spawn(boost::asio::awaitable<void> child);
    /// Signals terminal cancellation to every child; does not wait.
    void cancel();
    /// Children that were spawned and have not ended.
    std::size_t running() const;

    /// Starts the children and waits for all of them. On the caller's own cancellation forwards it and keeps
    /// waiting, then throws operation_aborted (or the first error, where there is one). Nothing of a child is
    /// abandoned.
    boost::asio::awaitable<void> join();

    /// As join(), but while `end` is not lifted the caller's cancellation is only remembered, and it is never
    /// thrown here: the caller's next co_await throws it. `end` must outlive the call.
    boost::asio::awaitable<void> join_deferring(DeferralEnd& end);

  private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace onceswap::engine
