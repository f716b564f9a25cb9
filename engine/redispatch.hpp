#pragma once

#include "engine/pass.hpp"

namespace onceswap::engine {

/// When one invocation may send a monotonic statement (set-aside, drop, retire) once more: after a terminal
/// entry, or after no entry was in sight for a whole visibility wait; not after a host refused for good what
/// this invocation itself sent (the next one, after an operator's repair, tries once); at most
/// limits.cleanup_redispatches times, and as often as the record has room for attempts.
class Redispatches {
  public:
    Redispatches(const Context& context, const Passes& passes) : context_(context), passes_(passes) {}

    enum class Answer { send, wait, stop };
    Answer ask(const Observation& seen) const;

    void sent() { ++sent_; }

    /// An entry can still come into sight.
    bool visibility_pending() const;

  private:
    const Context& context_;
    const Passes& passes_;
    unsigned sent_ = 0;
};

} // namespace onceswap::engine
