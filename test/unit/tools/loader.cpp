#include "tools/loading/loader.hpp"

#include "engine/system_clock.hpp"
#include "protocol/digest.hpp"
#include "row_server.hpp"
#include "seeded_entropy.hpp"
#include "tools/cli/diagnostics.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <zlib.h>

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

using namespace onceswap;
using testing::Fate;

BOOST_AUTO_TEST_SUITE(loader)

namespace {

using Staged = protocol::Result<std::uint64_t>;

struct Fixture {
    boost::asio::io_context loop;
    std::unique_ptr<engine::Clock> clock = engine::make_system_clock(loop.get_executor());
    testing::SeededEntropy entropy{1};
    testing::RowServer server;
    boost::asio::cancellation_signal stop;
    int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    cli::Diagnostics diagnostics{"test", nowhere};
    cli::Progress progress{*clock, diagnostics, cli::Terminal(), cli::Verbosity::verbose};
    std::filesystem::path path;

    explicit Fixture(const std::string& content) {
        std::string pattern = (std::filesystem::temp_directory_path() / "onceswap_loader_XXXXXX").string();
        const int file = ::mkstemp(pattern.data());
        ::close(file);
        path = pattern;
        std::ofstream(path, std::ios::binary) << content;
    }

    ~Fixture() {
        ::close(nowhere);
        std::filesystem::remove(path);
    }

    Fixture(const Fixture&) = delete;
    Fixture& operator=(const Fixture&) = delete;

    engine::Context context() {
        engine::Limits limits;
        limits.poll_initial = std::chrono::milliseconds(1);
        limits.poll_max = std::chrono::milliseconds(1);
        engine::Cluster cluster;
        cluster.endpoints = {
            *http::Endpoint::parse("http://ch-1:8123"), *http::Endpoint::parse("http://ch-2:8123")
        };
        return engine::Context(server, *clock, entropy, progress, cluster, limits);
    }

    template <class T>
    T run(boost::asio::awaitable<T> work) {
        std::optional<T> result;
        boost::asio::co_spawn(
            loop,
            std::move(work),
            boost::asio::bind_cancellation_slot(
                stop.slot(),
                [&result](const std::exception_ptr& error, T value) {
                    if (error)
                        std::rethrow_exception(error);
                    result.emplace(std::move(value));
                }
            )
        );
        loop.restart();
        loop.run();
        BOOST_REQUIRE(result.has_value());
        return std::move(*result);
    }

    Staged stage(loading::Loader& loader) {
        engine::Context with = context();
        engine::Candidate candidate;
        candidate.name = "candidate";
        candidate.uuid = *protocol::Uuid::parse("11111111-2222-4333-8444-555555555555");
        return run(loader.stage(with, candidate));
    }

    Staged stage() {
        loading::Loader loader(path.string(), "db", progress);
        return stage(loader);
    }
};

std::string rows_text(unsigned count) {
    std::string text;
    for (unsigned row = 0; row < count; ++row)
        text += "{\"id\":" + std::to_string(row) + ",\"name\":\"row\"}\n";
    return text;
}

} // namespace

BOOST_AUTO_TEST_CASE(every_row_arrives_once_and_in_order) {
    const std::string text = rows_text(250'000); // three batches of at most 100'000 rows
    Fixture fixture(text);
    const Staged staged = fixture.stage();
    BOOST_REQUIRE_MESSAGE(staged.has_value(), (staged ? "" : staged.error().detail));
    BOOST_TEST(*staged == 250'000U);
    BOOST_TEST(fixture.server.inserts.size() == 3);
    BOOST_TEST((fixture.server.stored == text));
    for (const http::Endpoint& endpoint : fixture.server.endpoints)
        BOOST_TEST(endpoint.text() == "http://ch-1:8123");
    BOOST_TEST(
        fixture.server.inserts[0].statement.sql.find("INSERT INTO `db`.`candidate`") == 0U,
        fixture.server.inserts[0].statement.sql
    );
}

BOOST_AUTO_TEST_CASE(progress_is_measured_in_the_file_as_it_lies_on_disk) {
    Fixture fixture("");
    const std::string text = rows_text(250'000);
    gzFile packed = ::gzopen(fixture.path.c_str(), "wb");
    BOOST_REQUIRE(packed != nullptr);
    BOOST_REQUIRE(
        ::gzwrite(packed, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size())
    );
    BOOST_REQUIRE(::gzclose(packed) == Z_OK);
    const std::uint64_t size = std::filesystem::file_size(fixture.path);
    BOOST_REQUIRE(size < text.size() / 2);
    const Staged staged = fixture.stage();
    BOOST_REQUIRE_MESSAGE(staged.has_value(), (staged ? "" : staged.error().detail));
    const std::string now = fixture.progress.now();
    BOOST_TEST(now.starts_with("loading 100% " + cli::byte_count(size) + ", 250000 rows"), now);
}

BOOST_AUTO_TEST_CASE(an_empty_input_is_no_rows) {
    Fixture fixture("\n\n");
    const Staged staged = fixture.stage();
    BOOST_REQUIRE(staged.has_value());
    BOOST_TEST(*staged == 0U);
    BOOST_TEST(fixture.server.inserts.empty());
}

BOOST_AUTO_TEST_CASE(lost_answers_add_no_rows) {
    const std::string text = rows_text(150'000);
    Fixture fixture(text);
    fixture.server.fates = {
        Fate::lost_after, Fate::not_sent, Fate::stored, Fate::lost_before, Fate::server_error
    };
    const Staged staged = fixture.stage();
    BOOST_REQUIRE_MESSAGE(staged.has_value(), (staged ? "" : staged.error().detail));
    BOOST_TEST(*staged == 150'000U);
    BOOST_TEST((fixture.server.stored == text));
}

BOOST_AUTO_TEST_CASE(a_bad_line_stops_before_its_batch) {
    const std::string text = rows_text(100'000) + rows_text(5) + "{\"id\":4294967296}\n" + rows_text(5);
    Fixture fixture(text);
    const Staged staged = fixture.stage();
    BOOST_REQUIRE(!staged.has_value());
    BOOST_TEST((staged.error().code == protocol::Code::input_malformed));
    BOOST_TEST(
        staged.error().detail ==
        fixture.path.string() + ":100006:7: `id`: out of range for UInt32 (0 to 4294967295)"
    );
    BOOST_TEST(fixture.server.inserts.size() == 1); // the batch before it, which was already under way
}

BOOST_AUTO_TEST_CASE(a_row_that_the_server_refuses_has_its_line) {
    Fixture fixture("\n" + rows_text(3) + "\n\n" + rows_text(3));
    fixture.server.fates = {Fate::bad_row};
    fixture.server.bad_row = 4;
    const Staged staged = fixture.stage();
    BOOST_REQUIRE(!staged.has_value());
    BOOST_TEST((staged.error().code == protocol::Code::input_malformed));
    BOOST_TEST(
        staged.error().detail ==
        fixture.path.string() +
            ":7:1: the server refused this row (code 27, CANNOT_PARSE_INPUT_ASSERTION_FAILED)"
    );
}

BOOST_AUTO_TEST_CASE(a_batch_that_fails_stops_the_reading) {
    Fixture fixture(rows_text(300'000));
    fixture.server.fates = {Fate::refused_direct};
    const Staged staged = fixture.stage();
    BOOST_REQUIRE(!staged.has_value());
    BOOST_TEST((staged.error().code == protocol::Code::staging_failed));
    BOOST_TEST(fixture.server.inserts.size() == 1);
}

BOOST_AUTO_TEST_CASE(never_more_than_one_batch_under_way) {
    Fixture fixture(rows_text(400'000));
    int under_way = 0;
    fixture.server.on_send = [&] {
        ++under_way;
        BOOST_TEST(under_way == 1);
        boost::asio::post(fixture.loop, [&] { --under_way; });
    };
    BOOST_TEST(fixture.stage().has_value());
}

BOOST_AUTO_TEST_CASE(a_candidate_that_is_staged_is_not_staged_again) {
    Fixture fixture("this is not even JSON\n");
    loading::Loader loader(fixture.path.string(), "db", fixture.progress);
    engine::Context with = fixture.context();
    engine::Candidate candidate;
    candidate.already_staged = true;
    candidate.staged_rows = 77;
    const Staged staged = fixture.run(loader.stage(with, candidate));
    BOOST_REQUIRE(staged.has_value());
    BOOST_TEST(*staged == 77U);
    BOOST_TEST(fixture.server.inserts.empty());
}

BOOST_AUTO_TEST_CASE(a_file_that_changes_after_it_was_digested_is_not_published) {
    Fixture fixture(rows_text(10));
    loading::Loader loader(fixture.path.string(), "db", fixture.progress);
    const auto digest = fixture.run(loader.digest());
    BOOST_REQUIRE(digest.has_value());
    BOOST_TEST(*digest == protocol::sha256_hex(rows_text(10)));
    std::ofstream(fixture.path, std::ios::app) << "{\"id\":99}\n";
    const Staged staged = fixture.stage(loader);
    BOOST_REQUIRE(!staged.has_value());
    BOOST_TEST(staged.error().detail == fixture.path.string() + ": the file changed while it was loaded");
}

BOOST_AUTO_TEST_CASE(cancellation_while_a_batch_is_under_way) {
    Fixture fixture(rows_text(200'000));
    fixture.server.fates = {Fate::never_answered};
    fixture.server.on_send = [&] {
        boost::asio::post(fixture.loop, [&] { fixture.stop.emit(boost::asio::cancellation_type::terminal); });
    };
    const Staged staged = fixture.stage();
    BOOST_REQUIRE(!staged.has_value());
    BOOST_TEST((staged.error().code == protocol::Code::cancelled));
    BOOST_TEST(fixture.server.inserts.size() == 1);
}

BOOST_AUTO_TEST_CASE(cancellation_while_a_pipe_gives_nothing) {
    int ends[2];
    BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    Fixture fixture("");
    loading::Loader loader("/proc/self/fd/" + std::to_string(ends[0]), "db", fixture.progress);
    // Most likely the loader already waits for the pipe; whenever this comes, the end must be the same.
    boost::asio::steady_timer later(fixture.loop, std::chrono::milliseconds(50));
    later.async_wait([&](boost::system::error_code) {
        fixture.stop.emit(boost::asio::cancellation_type::terminal);
    });
    const Staged staged = fixture.stage(loader);
    BOOST_REQUIRE(!staged.has_value());
    BOOST_TEST((staged.error().code == protocol::Code::cancelled));
    ::close(ends[0]);
    ::close(ends[1]);
}

BOOST_AUTO_TEST_SUITE_END()
