#pragma once

#include "acceptance/cluster_under_test.hpp"
#include "fixtures/sim/fault.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// What can go wrong, in the model's words: for the simulator in process and for sim-clickhouse.
namespace onceswap::acceptance::model {

/// The occasion of a statement: for the record's writes the first is an INSERT, the others are UPDATEs.
struct Occasion {
    Occasion(Statement statement, unsigned nth);

    sim::Match match;
    unsigned nth = 1;
};

sim::Fault lost_response(Statement statement);
sim::Fault lost_record_write(unsigned nth, bool committed);
sim::Fault held_worker(std::size_t member, WorkerPoint point, Statement statement);
sim::Fault started_worker(std::size_t member);
sim::Fault crashed_member(std::size_t member, WorkerPoint point, Statement statement);
sim::Fault restarted_member(std::size_t member);
sim::Fault refused_host(std::size_t member, Statement statement);
sim::Fault healed();
sim::Fault outsiders_statement(std::size_t member, const std::string& sql, const std::string& comment);
sim::Fault queue_row(
    const std::string& host, const std::string& status, std::optional<int> code, const std::string& text
);
/// Throws NotOffered for what the model cannot change.
sim::Fault drift(Need what, std::size_t member);

/// Nullopt where the model has it.
std::optional<std::string> lacks(Need need);

/// A scenario file.
enum class Authority { none, partial, mismatched };
boost::json::value scenario(const Setup& setup, std::uint64_t rows, Authority authority);

} // namespace onceswap::acceptance::model
