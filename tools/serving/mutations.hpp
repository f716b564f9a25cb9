#pragma once

#include "protocol/authority_record.hpp"
#include "protocol/correlation_token.hpp"
#include "protocol/queue_evidence.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace onceswap::serving {

/// What is known of one statement that changes something. Each is proven by what `Source` names; a step that
/// left nothing behind is not told, and none is concluded from another.
enum class Step {
    permitted, ///< the record names its token: at most one statement with it may be sent. Not that it was
    result,    ///< what its sender itself saw, as it wrote it into the record
    queued,    ///< an entry of the distributed DDL queue carries its token
    ended,     ///< the hosts' rows of that entry are terminal
};
std::string_view text(Step step);

enum class Source {
    record,  ///< the authority record
    receipt, ///< the hosts' results that the record keeps
    queue,   ///< a row of system.distributed_ddl_queue
};
std::string_view text(Source source);

struct Mutation {
    std::string operation; ///< first 20 hex digits of its id
    protocol::Action action = protocol::Action::setup;
    std::uint64_t epoch = 0; ///< 0 for a set-up
    Step step = Step::permitted;
    std::string outcome; ///< of `result` and `ended`; of `queued`, what does not fit the record. May be empty
    std::string entry;   ///< of `queued` and `ended`
    std::vector<protocol::HostPort> hosts; ///< of `ended`: those with that outcome
    std::int64_t at = 0;                   ///< seconds UTC
    /// `at` is no more than a bound: it happened then or before. Without it a server stated the time.
    bool at_latest = true;
    Source source = Source::record;

    /// What it is about, without what was learnt of it.
    auto about() const { return std::tie(operation, epoch, action, entry, step); }

    friend bool operator==(const Mutation&, const Mutation&) = default;
};

/// The statements of the record's operation, in the order of their epochs, from the record and from readings
/// of the queue (rows of other operations are passed over). `observed_at`: when the queue was read, seconds
/// UTC.
///
/// * The queue has no time for an end: it is bound by the receipt's, or by the reading.
/// * The record has no time for a permit: it is bound by the receipt's time, by the bound of the permit after
/// it, and by the last write.
/// * A row that is not terminal, a host that is no member and a host that two rows contradict each other
/// about ended nothing. Pure; at most one entry for each step of each statement and outcome.
std::vector<Mutation> mutations_of(
    const protocol::AuthorityRecord& record,
    std::span<const protocol::QueueReading> readings,
    std::int64_t observed_at
);

/// `kept` with what `fresh` adds. What is known already keeps its earlier bound; a stated time beats a bound;
/// hosts are added with the time of the reading that showed them first. The newest `most` stay, and true is
/// returned where others had to go.
bool merge_mutations(std::vector<Mutation>& kept, const std::vector<Mutation>& fresh, std::size_t most);

} // namespace onceswap::serving
