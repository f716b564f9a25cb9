#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/error_code.hpp>

#include <memory>

namespace onceswap::engine {

/// Lets one coroutine wait until another part of the loop calls notify(). Not a timer at infinity, because a
/// timer brings a reactor (and on a foreign execution context a hidden thread) into a program whose time is
/// injected.
class Wakeup {
  public:
    explicit Wakeup(boost::asio::any_io_executor executor);
    ~Wakeup();
    Wakeup(const Wakeup&) = delete;
    Wakeup& operator=(const Wakeup&) = delete;

    /// Resumes the waiting coroutine, if there is one, from the loop and not inside this call. Not
    /// remembered: the waiter looks at its condition before it waits.
    void notify();

    /// Clear after notify(), operation_aborted after terminal cancellation; does not throw for a cancellation
    /// that comes while it waits. Precondition: nobody else is waiting.
    boost::asio::awaitable<boost::system::error_code> wait();

    /// The execution context is being destroyed: frames go without having ended.
    bool abandoned() const;

  private:
    struct State;
    class Service;
    std::shared_ptr<State> state_;
};

} // namespace onceswap::engine
