#pragma once

#include "engine/publish.hpp"
#include "tools/cli/progress.hpp"
#include "tools/ndjson/batch_reader.hpp"
#include "tools/ndjson/byte_source.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <memory>
#include <optional>
#include <string>

namespace onceswap::loading {

/// Fills a candidate with the rows of one NDJSON input. A thread of its own reads, unpacks and judges the
/// next batch while the loop has one batch under way; never more. Memory: the batch that is read, the one
/// that is sent and the copy that a request carries.
class Loader {
  public:
    /// `path`: `-` is standard input. `database` is the candidate's. `progress` must outlive the loader.
    Loader(std::string path, std::string database, cli::Progress& progress);
    ~Loader();
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    /// SHA-256 of the whole file, read once more later; remembered, so that a file that changes until it is
    /// loaded is found out. Cancellation: terminal. Precondition: not standard input.
    boost::asio::awaitable<protocol::Result<std::string>> digest();

    /// The engine's StageFunction. Errors: input_malformed (`file:line:column: what`, nothing more is sent),
    /// staging_failed, staging_unknown, cancelled, and what reading the columns ended with.
    boost::asio::awaitable<protocol::Result<std::uint64_t>>
    stage(engine::Context& context, const engine::Candidate& candidate);

  private:
    struct Input;

    boost::asio::awaitable<std::optional<protocol::Failure>>
    open(engine::Context& context, protocol::TargetName table, protocol::Uuid uuid);
    boost::asio::awaitable<void> read_next();
    boost::asio::awaitable<void> send(engine::Context& context, ndjson::Batch& batch);
    boost::asio::awaitable<std::optional<protocol::Failure>> send_all(engine::Context& context);
    std::optional<protocol::Failure> changed_meanwhile() const;

    std::string path_;
    std::string database_;
    cli::Progress& progress_;
    std::string expected_sha256_; ///< empty: never digested
    ndjson::StopFlag stop_;
    boost::asio::thread_pool thread_{1};
    std::unique_ptr<Input> input_;
};

/// What the columns of a table accept, from the answer to column_types.
boost::asio::awaitable<protocol::Result<std::vector<ndjson::Column>>>
read_columns(engine::Context& context, http::Endpoint endpoint, protocol::TargetName table);

} // namespace onceswap::loading
