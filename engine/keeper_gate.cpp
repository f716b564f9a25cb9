#include "engine/keeper_gate.hpp"

#include "engine/deadline.hpp"
#include "engine/wakeup.hpp"
#include "protocol/mutant.hpp"

#include <boost/asio/this_coro.hpp>

#include <list>
#include <map>

namespace onceswap::engine {

namespace asio = boost::asio;

namespace {

struct Waiter {
    explicit Waiter(asio::any_io_executor executor) : wakeup(std::move(executor)) {}

    Wakeup wakeup;
    bool called = false;
};

asio::awaitable<void> until_called(Waiter& waiter) {
    if (waiter.called)
        co_return;
    co_await waiter.wakeup.wait();
}

} // namespace

struct KeeperGate::Lane {
    bool busy = false;
    std::list<Waiter*> line;

    void call_next() {
        if (line.empty()) {
            busy = false;
            return;
        }
        Waiter* next = line.front();
        line.pop_front();
        next->called = true; // the turn is handed over: busy stays true
        next->wakeup.notify();
    }
};

struct KeeperGate::State {
    std::map<http::Endpoint, std::shared_ptr<Lane>> lanes; ///< one per member that was ever asked
};

KeeperGate::Turn& KeeperGate::Turn::operator=(Turn&& other) noexcept {
    if (this != &other) {
        give_back();
        lane_ = std::exchange(other.lane_, nullptr);
    }
    return *this;
}

KeeperGate::Turn::~Turn() {
    give_back();
}

void KeeperGate::Turn::give_back() {
    if (auto lane = std::exchange(lane_, nullptr))
        lane->call_next();
}

KeeperGate::KeeperGate() : state_(std::make_shared<State>()) {}

asio::awaitable<KeeperGate::Turn>
KeeperGate::enter(Clock& clock, http::Endpoint endpoint, TimePoint deadline) {
    auto& known = state_->lanes[endpoint];
    if (!known)
        known = std::make_shared<Lane>();
    auto lane = known;
    if (!lane->busy) {
        lane->busy = true;
        co_return Turn(std::move(lane));
    }
    auto executor = co_await asio::this_coro::executor;
    Waiter waiter(executor);
    lane->line.push_back(&waiter);

    // Leaves the line, or passes an undelivered turn on, however this ends.
    struct Place {
        std::shared_ptr<Lane> lane;
        Waiter& waiter;
        bool taken = false;

        Place(std::shared_ptr<Lane> lane_, Waiter& waiter_) : lane(std::move(lane_)), waiter(waiter_) {}

        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

        ~Place() {
            if (!waiter.called)
                lane->line.remove(&waiter);
            else if (!taken && !mutated(protocol::Mutant::keeper_turn_not_passed_on))
                lane->call_next();
        }
    };

    Place place(lane, waiter);
    auto waiting = until_called(waiter);
    co_await run_until(clock, deadline, std::move(waiting));
    if (!waiter.called)
        co_return Turn();
    place.taken = true;
    co_return Turn(std::move(lane));
}

} // namespace onceswap::engine
