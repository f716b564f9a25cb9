#include "engine/task_group.hpp"

#include "engine/cancellation.hpp"
#include "engine/wakeup.hpp"
#include "protocol/mutant.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cassert>
#include <exception>
#include <list>
#include <utility>
#include <vector>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

struct Child {
    asio::cancellation_signal signal;
    // A signal that reaches a coroutine which has not suspended yet lets operation_aborted escape from the
    // event loop's run() (Asio 1.26), so nothing is emitted before the child has been through the loop once.
    bool reachable = false;
};

} // namespace

void DeferralEnd::lift() {
    lifted_ = true;
    if (wake_)
        wake_();
}

struct TaskGroup::State : std::enable_shared_from_this<TaskGroup::State> {
    explicit State(asio::any_io_executor executor_) : executor(std::move(executor_)), wakeup(executor) {}

    void start(asio::awaitable<void> body);
    void child_ended(const Child* child, const std::exception_ptr& error);
    void cancel();
    asio::awaitable<void> wait(DeferralEnd* end, bool& cancelled);

    asio::any_io_executor executor;
    Wakeup wakeup;
    std::list<asio::awaitable<void>> waiting; ///< spawned before join() began
    std::list<std::shared_ptr<Child>> children;
    std::exception_ptr first_error;
    bool joining = false;
    bool stopping = false;
};

namespace {

/// Completion handler of a child. A type of its own and not bind_cancellation_slot: with that, Asio 1.26
/// dispatches the signal through the executor with a raw pointer that can dangle where dispatch queues.
template <class State>
class ChildEnded {
  public:
    using cancellation_slot_type = asio::cancellation_slot;

    ChildEnded(std::shared_ptr<State> state, std::shared_ptr<Child> child)
        : state_(std::move(state)), child_(std::move(child)), slot_(child_->signal.slot()) {}

    cancellation_slot_type get_cancellation_slot() const noexcept { return slot_; }

    void operator()(const std::exception_ptr& error) { state_->child_ended(child_.get(), error); }

  private:
    std::shared_ptr<State> state_;
    std::shared_ptr<Child> child_;
    cancellation_slot_type slot_;
};

asio::awaitable<void>
through_the_loop(const bool& stopping, std::shared_ptr<Child> child, asio::awaitable<void> body) {
    co_await asio::post(asio::use_awaitable);
    child->reachable = true;
    if (stopping)
        throw_cancelled();
    co_await std::move(body);
}

} // namespace

void TaskGroup::State::start(asio::awaitable<void> body) {
    auto child = std::make_shared<Child>();
    children.push_back(child);
    asio::co_spawn(
        executor,
        through_the_loop(stopping, child, std::move(body)),
        ChildEnded<State>(shared_from_this(), child)
    );
}

void TaskGroup::State::child_ended(const Child* child, const std::exception_ptr& error) {
    children.remove_if([child](const std::shared_ptr<Child>& other) { return other.get() == child; });
    if (error && !first_error && !is_cancellation(error)) {
        first_error = error;
        cancel();
    }
    if (children.empty())
        wakeup.notify();
}

void TaskGroup::State::cancel() {
    stopping = true;
    const std::vector<std::shared_ptr<Child>> now(children.begin(), children.end());
    for (const auto& child : now)
        if (child->reachable)
            child->signal.emit(asio::cancellation_type::terminal);
}

asio::awaitable<void> TaskGroup::State::wait(DeferralEnd* end, bool& cancelled) {
    // From here to the restored flag nothing throws, so that no child is left behind.
    const bool throwing = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    joining = true;
    while (!waiting.empty()) {
        asio::awaitable<void> body = std::move(waiting.front());
        waiting.pop_front();
        start(std::move(body));
    }
    for (;;) {
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        const bool deferred = end != nullptr && !end->lifted();
        if (!cancelled && !deferred && cancellation.cancelled() != asio::cancellation_type::none) {
            cancelled = true;
            if (!mutated(protocol::Mutant::cancellation_not_passed_on))
                cancel();
        }
        if (children.empty())
            break;
        co_await wakeup.wait();
    }
    joining = false;
    co_await asio::this_coro::throw_if_cancelled(throwing);
}

TaskGroup::TaskGroup(asio::any_io_executor executor) : state_(std::make_shared<State>(std::move(executor))) {}

TaskGroup::~TaskGroup() {
    assert(state_->children.empty() || state_->wakeup.abandoned());
}

void TaskGroup::spawn(asio::awaitable<void> child) {
    if (state_->joining)
        state_->start(std::move(child));
    else
        state_->waiting.push_back(std::move(child));
}

void TaskGroup::cancel() {
    state_->cancel();
}

std::size_t TaskGroup::running() const {
    return state_->children.size() + state_->waiting.size();
}

asio::awaitable<void> TaskGroup::join() {
    auto state = state_;
    bool cancelled = false;
    co_await state->wait(nullptr, cancelled);
    if (state->first_error)
        std::rethrow_exception(std::exchange(state->first_error, nullptr));
    if (cancelled)
        throw_cancelled();
}

asio::awaitable<void> TaskGroup::join_deferring(DeferralEnd& end) {
    auto state = state_;
    end.wake_ = [state] { state->wakeup.notify(); };
    bool cancelled = false;
    co_await state->wait(&end, cancelled);
    end.wake_ = nullptr;
    if (state->first_error)
        std::rethrow_exception(std::exchange(state->first_error, nullptr));
}

} // namespace onceswap::engine
