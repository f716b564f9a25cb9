#pragma once

#include "engine/clock.hpp"
#include "engine/entropy.hpp"
#include "engine/events.hpp"
#include "engine/keeper_gate.hpp"
#include "http_transport/endpoint.hpp"
#include "http_transport/transport.hpp"
#include "protocol/authority_record.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace onceswap::engine {

/// Times and counts that bound a call; all have defaults an operator can live with.
struct Limits {
    Limits() = default;
    std::chrono::milliseconds read_timeout{10'000}; ///< one read on one member
    std::chrono::milliseconds mutation_timeout{60'000
    }; ///< one authority write or DDL, from prepare to answer
    std::chrono::milliseconds dispatch_reserve{10'000
    }; ///< CAS + DDL, deferred from cancellation and deadline
    std::chrono::seconds distributed_ddl_task_timeout{30
    }; ///< how long the initiator waits before it answers 159
    std::chrono::milliseconds visibility_wait{15'000}; ///< how long an entry may stay unseen
    std::chrono::milliseconds candidate_wait{600'000}; ///< how long replicas may take to hold all staged rows
    std::chrono::milliseconds poll_initial{250};       ///< first wait between passes
    std::chrono::milliseconds poll_max{5'000};
    std::chrono::milliseconds grace{0}; ///< between set-aside and drop, for readers of the old table
    unsigned publication_dispatches =
        3;                             ///< per invocation, each after the one before it was proven never sent
    unsigned cleanup_redispatches = 3; ///< per invocation
    unsigned equal_readings_for_foreign = 3; ///< a single odd catalogue reading is not believed
};

/// One cluster as the caller sees it. `endpoints` hold one URL per member, in any order.
struct Cluster {
    Cluster() = default;
    std::string name;
    std::vector<http::Endpoint> endpoints;
    std::string authority_root = std::string(protocol::default_authority_root);
};

/// What every coroutine of the engine works with. References must outlive the call.
struct Context {
    Context(
        http::Transport& transport_,
        Clock& clock_,
        Entropy& entropy_,
        EventSink& events_,
        Cluster cluster_,
        Limits limits_ = {}
    )
        : transport(transport_), clock(clock_), entropy(entropy_), events(events_),
          cluster(std::move(cluster_)), limits(limits_) {}

    http::Transport& transport;
    Clock& clock;
    Entropy& entropy;
    EventSink& events;
    Cluster cluster;
    Limits limits;
    KeeperGate keeper_gate;
};

} // namespace onceswap::engine
