#include "engine/wakeup.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cassert>
#include <list>
#include <utility>
#include <vector>

namespace onceswap::engine {

namespace asio = boost::asio;
using boost::system::error_code;
using Handler = asio::any_completion_handler<void(error_code)>;

// A waiting handler owns its coroutine's frame, and the frame owns the Wakeup: a cycle that only an owner
// outside can break when the context goes away first. That is what services are for; Asio's own objects do
// the same.
class Wakeup::Service : public asio::execution_context::service {
  public:
    static inline asio::execution_context::id id;

    explicit Service(asio::execution_context& context) : asio::execution_context::service(context) {}

    std::list<State*> states;

  private:
    void shutdown() override;
};

struct Wakeup::State {
    State(asio::any_io_executor executor_, Service& service_)
        : executor(std::move(executor_)), service(&service_) {
        place = service->states.insert(service->states.end(), this);
    }

    ~State() {
        if (service)
            service->states.erase(place);
    }

    State(const State&) = delete;
    State& operator=(const State&) = delete;

    void complete(error_code error) {
        if (!waiter || !service)
            return;
        Handler handler = std::move(waiter);
        waiter = nullptr;
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected())
            slot.clear();
        asio::post(executor, [handler = std::move(handler), error]() mutable { std::move(handler)(error); });
    }

    asio::any_io_executor executor;
    Service* service; ///< null once the context is being destroyed
    std::list<State*>::iterator place;
    Handler waiter;
};

void Wakeup::Service::shutdown() {
    std::vector<Handler> abandoned;
    for (State* state : states) {
        state->service = nullptr;
        if (state->waiter)
            abandoned.push_back(std::move(state->waiter));
    }
    states.clear();
}

Wakeup::Wakeup(asio::any_io_executor executor) {
    auto& context = asio::query(executor, asio::execution::context);
    auto& service = asio::use_service<Service>(context);
    state_ = std::make_shared<State>(std::move(executor), service);
}

Wakeup::~Wakeup() = default;

void Wakeup::notify() {
    state_->complete(error_code());
}

bool Wakeup::abandoned() const {
    return state_->service == nullptr;
}

asio::awaitable<error_code> Wakeup::wait() {
    error_code error;
    auto initiation = [](Handler handler, State* state) {
        assert(!state->waiter);
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected())
            slot.assign([state](asio::cancellation_type_t) {
                state->complete(asio::error::operation_aborted);
            });
        state->waiter.swap(handler); // assigning one recurses without end in Boost 1.81
    };
    auto token = asio::redirect_error(asio::use_awaitable, error);
    co_await asio::async_initiate<decltype(token), void(error_code)>(initiation, token, state_.get());
    co_return error;
}

} // namespace onceswap::engine
