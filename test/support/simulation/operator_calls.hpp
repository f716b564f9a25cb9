#pragma once

#include "bench.hpp"
#include "engine/close.hpp"
#include "engine/orphans.hpp"
#include "engine/retire.hpp"
#include "protocol/authority_record.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace onceswap::simulation {

/// An operator's command.
enum class Command { abandon, retire, close, resume };
std::string_view text(Command command);

/// A bench whose slot stands in `phase`: the publisher of run-1 died there, or was told to stop there.
/// Nothing is in the queue that has not ended.
std::unique_ptr<Bench> bench_in(protocol::Phase phase, sim::Scenario scenario, std::uint64_t seed);

/// What `status` prints now.
engine::Pin pin_of(Bench& bench);

sim::Started<protocol::Report> start(Bench& bench, Command command, engine::Pin pin, sim::Publisher& process);
std::optional<protocol::Report> run(Bench& bench, Command command, engine::Pin pin);
/// By a new process with the pin of now.
std::optional<protocol::Report> run(Bench& bench, Command command);

std::optional<engine::OrphanDrop> drop(Bench& bench, engine::Pin pin, protocol::NamedTable orphan);
protocol::Result<engine::OrphanListing> list(Bench& bench);

std::string stopped_by(const std::optional<protocol::Report>& report);

/// Mutations that a client handed over.
std::size_t mutations_of(Bench& bench, std::string_view client);

/// Storage under a name on a member, empty where there is none.
std::string uuid_of(Bench& bench, sim::MemberIndex member, const std::string& table);

/// Every member has the same target, and the slot is settled; nothing was ever dropped that is the target.
void check_settled(Bench& bench, const std::optional<protocol::Report>& report, std::string_view what);

} // namespace onceswap::simulation
