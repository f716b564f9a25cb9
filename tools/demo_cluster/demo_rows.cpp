#include "tools/demo_cluster/demo_rows.hpp"

#include "engine/row_insert.hpp"
#include "protocol/digest.hpp"

#include <string>
#include <utility>
#include <vector>

namespace onceswap::demo_cluster {

namespace {

constexpr std::uint64_t batches = 4;
constexpr std::uint64_t rows_of_batch = 250;

std::string batch(std::uint64_t number) {
    std::string rows;
    for (std::uint64_t i = 0; i < rows_of_batch; ++i) {
        const std::string id = std::to_string(number * rows_of_batch + i + 1);
        rows += "{\"id\":" + id + ",\"name\":\"language " + id + "\"}\n";
    }
    return rows;
}

boost::asio::awaitable<protocol::Result<std::uint64_t>>
load(engine::Context& context, engine::Candidate candidate, TellProgress tell) {
    if (candidate.already_staged)
        co_return candidate.staged_rows;
    std::vector<std::string> all;
    std::uint64_t total = 0;
    for (std::uint64_t number = 0; number < batches; ++number) {
        all.push_back(batch(number));
        total += all.back().size();
    }
    const protocol::TargetName table{"db", candidate.name};
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    for (std::string& text : all) {
        const std::uint64_t size = text.size();
        std::string token =
            engine::row_insert_token(candidate.uuid, rows / rows_of_batch, protocol::sha256_hex(text));
        const engine::RowInsert insert(
            context.cluster.endpoints.front(), table, std::move(text), std::move(token)
        );
        const engine::TimePoint never = engine::TimePoint::max();
        const engine::RowInsertResult result = co_await engine::insert_rows(context, insert, never);
        if (result.outcome != protocol::Outcome::acknowledged)
            co_return result.problem;
        rows += rows_of_batch;
        bytes += size;
        tell(rows, bytes, total);
    }
    co_return rows;
}

} // namespace

engine::StageFunction demo_rows(TellProgress tell) {
    return [tell](engine::Context& context, const engine::Candidate& candidate) {
        return load(context, candidate, tell);
    };
}

} // namespace onceswap::demo_cluster
