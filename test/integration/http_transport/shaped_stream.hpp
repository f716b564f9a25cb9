#pragma once

#include "http_transport/connection.hpp"
#include "http_transport/stream.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace onceswap::test {

/// What happens at the steps (handshake, read, write) of all streams of one transport, counted from 1.
struct StepPlan {
    enum class What {
        nothing,
        fail,       ///< the step fails with connection_reset, before anything moved
        fail_after, ///< the step moves what it can, and then fails: the bytes are gone, nobody says how many
        one_byte,   ///< a step that would move more moves one byte
        end_of_stream ///< a read says the peer has closed; a write fails
    };
    What what = What::nothing;
    std::size_t at_step = 0;      ///< 0: at every step
    std::function<void()> before; ///< at that step, before it
    std::size_t steps = 0;        ///< so far

    bool reached() const { return steps >= at_step; }
};

http::StreamFactory shaped_by(std::shared_ptr<StepPlan> plan);

/// Lets a test see that something has arrived on the newest stream, without taking it away from the client.
class Arrivals {
  public:
    http::StreamFactory factory();
    /// Bytes, an end or an error are there to be read. Precondition: a stream was made.
    bool something_is_there();

  private:
    class Stash;
    std::shared_ptr<Stash*> newest_ = std::make_shared<Stash*>(nullptr);
};

} // namespace onceswap::test
