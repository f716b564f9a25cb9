#include "tools/loading/loader.hpp"

#include "engine/deadline.hpp"
#include "engine/row_insert.hpp"
#include "engine/task_group.hpp"
#include "http_transport/response.hpp"
#include "protocol/row_decoding.hpp"
#include "protocol/statements.hpp"
#include "tools/ndjson/gzip_source.hpp"
#include "tools/ndjson/offload.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <utility>
#include <vector>

namespace onceswap::loading {

namespace {

using MaybeBatch = protocol::Result<std::optional<ndjson::Batch>>;
using MaybeFailure = std::optional<protocol::Failure>;

} // namespace

struct Loader::Input {
    Input(
        std::unique_ptr<ndjson::FileSource> file_,
        std::string name_,
        std::vector<ndjson::Column> columns,
        http::Endpoint endpoint_,
        protocol::TargetName table_,
        protocol::Uuid uuid_
    )
        : file(std::move(file_)), name(std::move(name_)), bytes(ndjson::make_unpacking_source(*file, name)),
          reader(*bytes, ndjson::RowValidator(std::move(columns)), name), endpoint(std::move(endpoint_)),
          table(std::move(table_)), uuid(uuid_), next(std::optional<ndjson::Batch>{}) {}

    std::unique_ptr<ndjson::FileSource> file;
    std::string name;
    std::unique_ptr<ndjson::ByteSource> bytes;
    ndjson::BatchReader reader;
    http::Endpoint endpoint;
    protocol::TargetName table;
    protocol::Uuid uuid;
    MaybeBatch next;           ///< what read_next read
    std::uint64_t read_to = 0; ///< how far in the file that needed to be read
    MaybeFailure send_failure;
    std::uint64_t rows = 0; ///< acknowledged
};

Loader::Loader(std::string path, std::string database, cli::Progress& progress)
    : path_(std::move(path)), database_(std::move(database)), progress_(progress) {}

Loader::~Loader() = default;

boost::asio::awaitable<protocol::Result<std::string>> Loader::digest() {
    std::function<protocol::Result<std::string>()> work = [this] {
        return ndjson::sha256_of_file(path_, stop_);
    };
    protocol::Result<std::string> result = co_await ndjson::offload(thread_, stop_, std::move(work));
    if (result)
        expected_sha256_ = *result;
    co_return result;
}

boost::asio::awaitable<protocol::Result<std::vector<ndjson::Column>>>
read_columns(engine::Context& context, http::Endpoint endpoint, protocol::TargetName table) {
    protocol::Statement statement = protocol::column_types_statement(table);
    http::Request request(std::move(statement), context.entropy.hex32());
    request.deadline = context.clock.now() + context.limits.read_timeout;
    http::Exchange exchange = co_await context.transport.read(endpoint, std::move(request));
    const auto body = http::successful_body(exchange);
    if (!body) {
        const bool cancelled = exchange.evidence.error == boost::asio::error::operation_aborted;
        const protocol::Code code = cancelled ? protocol::Code::cancelled : protocol::Code::staging_failed;
        co_return protocol::Failure(
            code, endpoint.text() + ": the candidate's columns cannot be read: " + body.error()
        );
    }
    const auto answer = protocol::decode_column_types(*body);
    if (!answer)
        co_return answer.error();
    std::vector<ndjson::Column> columns;
    for (const protocol::LoaderColumn& column : answer->columns)
        columns.emplace_back(column.name, column.type, column.default_kind);
    if (columns.empty()) {
        const std::string what = endpoint.text() + ": the candidate is not there";
        co_return protocol::Failure(protocol::Code::staging_failed, what);
    }
    co_return columns;
}

/// Opens the input for the first member that can say what the candidate's columns are; all rows go to that
/// one.
boost::asio::awaitable<MaybeFailure>
Loader::open(engine::Context& context, protocol::TargetName table, protocol::Uuid uuid) {
    auto file = ndjson::FileSource::open(path_, stop_);
    if (!file)
        co_return file.error();
    MaybeFailure first_failure;
    for (const http::Endpoint& endpoint : context.cluster.endpoints) {
        auto columns = co_await read_columns(context, endpoint, table);
        if (columns) {
            const std::string name = ndjson::input_name(path_);
            input_ = std::make_unique<Input>(
                std::move(*file), name, std::move(*columns), endpoint, std::move(table), uuid
            );
            co_return std::nullopt;
        }
        if (!first_failure)
            first_failure = columns.error();
    }
    if (!first_failure)
        first_failure = protocol::Failure(protocol::Code::staging_failed, "there is no endpoint to stage on");
    co_return first_failure;
}

boost::asio::awaitable<void> Loader::read_next() {
    std::function<MaybeBatch()> work = [this] { return input_->reader.next(); };
    MaybeBatch batch = co_await ndjson::offload(thread_, stop_, std::move(work));
    input_->next = std::move(batch);
    input_->read_to = input_->file->bytes_read();
}

boost::asio::awaitable<void> Loader::send(engine::Context& context, ndjson::Batch& batch) {
    Input& input = *input_;
    std::string token = engine::row_insert_token(input.uuid, batch.number, batch.sha256);
    engine::RowInsert insert(input.endpoint, input.table, std::move(batch.text), std::move(token));
    const engine::TimePoint never = engine::TimePoint::max();
    engine::RowInsertResult result = co_await engine::insert_rows(context, insert, never);
    if (result.outcome == protocol::Outcome::acknowledged) {
        input.rows += batch.rows;
        co_return;
    }
    input.send_failure = result.problem;
    if (result.problem.code == protocol::Code::input_malformed && result.exception) {
        const auto row = engine::row_of(*result.exception);
        const std::uint64_t line = ndjson::line_of_row(insert.rows, batch.first_line, row.value_or(1));
        const std::string where = input.name + ":" + std::to_string(line) + ":1: ";
        const std::string what =
            row ? "the server refused this row" : "the server refused a row from here on";
        input.send_failure->detail = where + what + " (" + engine::code_and_name(*result.exception) + ")";
    }
    stop_.stop(); // the reading of a batch that will not be sent must not keep us waiting
}

boost::asio::awaitable<MaybeFailure> Loader::send_all(engine::Context& context) {
    const boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
    Input& input = *input_;
    const std::uint64_t size = input.file->size();
    progress_.loading(cli::LoadProgress(0, 0, size));
    co_await read_next();
    for (;;) {
        if (!input.next)
            co_return input.next.error();
        if (!input.next->has_value())
            co_return std::nullopt;
        ndjson::Batch batch = std::move(**input.next);
        const std::uint64_t behind = input.read_to;
        engine::TaskGroup both(executor);
        both.spawn(read_next());
        both.spawn(send(context, batch));
        co_await both.join();
        if (input.send_failure)
            co_return input.send_failure;
        engine::Event event;
        event.kind = engine::EventKind::rows_staged;
        event.count = input.rows;
        context.events.on_event(event);
        progress_.loading(cli::LoadProgress(input.rows, behind, size));
    }
}

MaybeFailure Loader::changed_meanwhile() const {
    if (expected_sha256_.empty() || input_->file->sha256_so_far() == expected_sha256_)
        return std::nullopt;
    return protocol::Failure(
        protocol::Code::input_malformed, input_->name + ": the file changed while it was loaded"
    );
}

boost::asio::awaitable<protocol::Result<std::uint64_t>>
Loader::stage(engine::Context& context, const engine::Candidate& candidate) {
    if (candidate.already_staged)
        co_return candidate.staged_rows;
    try {
        protocol::TargetName table;
        table.database = database_;
        table.table = candidate.name;
        const MaybeFailure closed = co_await open(context, std::move(table), candidate.uuid);
        if (closed)
            co_return *closed;
        const MaybeFailure unsent = co_await send_all(context);
        if (unsent)
            co_return *unsent;
        if (const MaybeFailure changed = changed_meanwhile())
            co_return *changed;
        co_return input_->rows;
    } catch (const boost::system::system_error& error) {
        if (error.code() != boost::asio::error::operation_aborted)
            throw;
        co_return protocol::Failure(protocol::Code::cancelled, "the loading was stopped");
    }
}

} // namespace onceswap::loading
