#include "tools/cli/load_progress.hpp"

#include "manual_clock.hpp"
#include "tools/cli/progress.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

// What an operator sees of a loading: the line, the rate behind it, and how often it comes.

using namespace onceswap;
using namespace onceswap::cli;

BOOST_AUTO_TEST_SUITE(load_progress)

namespace {

constexpr std::uint64_t MiB = 1'048'576;

Terminal off_terminal() {
    return Terminal();
}

Terminal terminal(std::size_t width) {
    Terminal result;
    result.is_terminal = true;
    result.width = width;
    return result;
}

/// What a descriptor was given.
class Written {
  public:
    Written() : file_(std::tmpfile(), &std::fclose) { BOOST_REQUIRE(file_ != nullptr); }

    int descriptor() const { return ::fileno(file_.get()); }

    std::string text() const {
        std::string out(100'000, '\0');
        const ssize_t size = ::pread(descriptor(), out.data(), out.size(), 0);
        BOOST_REQUIRE(size >= 0);
        out.resize(static_cast<std::size_t>(size));
        return out;
    }

  private:
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Another second's rows of ten bytes each.
LoadProgress later(std::uint64_t& rows, std::uint64_t more) {
    rows += more;
    return LoadProgress(rows, rows * 10, 0);
}

struct Shown {
    explicit Shown(Terminal of, Verbosity verbosity = Verbosity::normal)
        : progress(clock, diagnostics, of, verbosity) {}

    boost::asio::io_context loop;
    testing::ManualClock clock{loop.get_executor()};
    Written written;
    Diagnostics diagnostics{"refresh-load", written.descriptor()};
    Progress progress;
};

} // namespace

BOOST_AUTO_TEST_CASE(lines) {
    const std::optional<LoadRate> unknown;
    const std::optional<LoadRate> rate = LoadRate(30'000, 3 * MiB);
    const std::optional<LoadRate> still = LoadRate(0, 0);

    struct Row {
        LoadProgress progress;
        std::optional<LoadRate> rate;
        Terminal terminal;
        const char* line;
    };

    const Row rows[] = {
        // standard input: no end is known
        {LoadProgress(0, 0, 0), unknown, off_terminal(), "loading 0 B, 0 rows"},
        {LoadProgress(5, 500, 0), rate, off_terminal(), "loading 500 B, 5 rows, 3.0 MiB/s, 30000 rows/s"},
        {LoadProgress(5, 500, 0), rate, terminal(80), "loading 500 B, 5 rows, 3.0 MiB/s, 30000 rows/s"},
        // a file, elsewhere: no bar
        {LoadProgress(0, 0, 2 * MiB), unknown, off_terminal(), "loading 0% 0 B, 0 rows"},
        {LoadProgress(120'000, 12 * MiB, 60 * MiB),
         rate,
         off_terminal(),
         "loading 20% 12.0 MiB, 120000 rows, 3.0 MiB/s, 30000 rows/s, 16s left"},
        // on a terminal, and what gives way as it gets narrower
        {LoadProgress(120'000, 12 * MiB, 60 * MiB),
         rate,
         terminal(0),
         "loading [####................] 20% 12.0 MiB, 120000 rows, 3.0 MiB/s, 30000 rows/s, 16s left"},
        {LoadProgress(120'000, 12 * MiB, 60 * MiB),
         rate,
         terminal(92),
         "loading [####................] 20% 12.0 MiB, 120000 rows, 3.0 MiB/s, 30000 rows/s, 16s left"},
        {LoadProgress(120'000, 12 * MiB, 60 * MiB),
         rate,
         terminal(91),
         "loading 20% 12.0 MiB, 120000 rows, 3.0 MiB/s, 30000 rows/s, 16s left"},
        {LoadProgress(120'000, 12 * MiB, 60 * MiB),
         rate,
         terminal(68),
         "loading 20% 12.0 MiB, 120000 rows, 3.0 MiB/s, 16s left"},
        {LoadProgress(120'000, 12 * MiB, 60 * MiB),
         rate,
         terminal(54),
         "loading 20% 12.0 MiB, 120000 rows, 16s left"},
        {LoadProgress(120'000, 12 * MiB, 60 * MiB), rate, terminal(40), "loading 20% 120000 rows, 16s left"},
        // it stands still: how long it takes is not known
        {LoadProgress(5, MiB, 2 * MiB), still, off_terminal(), "loading 50% 1.0 MiB, 5 rows, 0 B/s, 0 rows/s"
        },
        // the last second is a whole one, and the end has none
        {LoadProgress(5, 2 * MiB - 1, 2 * MiB),
         rate,
         off_terminal(),
         "loading 99% 1.9 MiB, 5 rows, 3.0 MiB/s, 30000 rows/s, 1s left"},
        {LoadProgress(5, 2 * MiB, 2 * MiB),
         unknown,
         terminal(80),
         "loading [####################] 100% 2.0 MiB, 5 rows"},
        // a file that grew is not more than whole
        {LoadProgress(5, 9 * MiB, 2 * MiB),
         rate,
         off_terminal(),
         "loading 100% 9.0 MiB, 5 rows, 3.0 MiB/s, 30000 rows/s, 0s left"},
        // sizes whose hundredfold does not fit
        {LoadProgress(1, UINT64_MAX / 2, UINT64_MAX),
         unknown,
         off_terminal(),
         "loading 49% 8388607.9 TiB, 1 rows"},
    };
    for (const Row& row : rows)
        BOOST_TEST(load_line(row.progress, row.rate, row.terminal) == row.line);
}

BOOST_AUTO_TEST_CASE(counts_of_bytes) {
    const struct {
        std::uint64_t bytes;
        const char* text;
    } rows[] = {
        {0, "0 B"},
        {1023, "1023 B"},
        {1024, "1.0 KiB"},
        {1024 * 1024 - 1, "1023.9 KiB"},
        {12'897'485, "12.3 MiB"},
        {UINT64_MAX, "16777215.9 TiB"},
    };

    for (const auto& row : rows)
        BOOST_TEST(byte_count(row.bytes) == row.text);
}

BOOST_AUTO_TEST_CASE(times_left) {
    const struct {
        std::uint64_t seconds;
        const char* text;
    } rows[] = {
        {0, "0s"},
        {59, "59s"},
        {60, "1m00s"},
        {130, "2m10s"},
        {3'599, "59m59s"},
        {3'600, "1h00m"},
        {11'100, "3h05m"},
        {359'999, "99h59m"},
        {360'000, "more than 99h"},
        {UINT64_MAX, "more than 99h"},
    };

    for (const auto& row : rows)
        BOOST_TEST(time_left(row.seconds) == row.text);
}

BOOST_AUTO_TEST_CASE(the_rate_is_that_of_the_last_half_minute) {
    const engine::TimePoint begun = engine::TimePoint() + std::chrono::hours(1);
    const auto at = [begun](unsigned seconds) { return begun + std::chrono::seconds(seconds); };
    RateWindow window(begun);
    BOOST_TEST(!window.rate(begun).has_value());
    window.add(begun + std::chrono::milliseconds(500), LoadProgress(50, 500, 0));
    BOOST_TEST(!window.rate(begun + std::chrono::milliseconds(999)).has_value());
    BOOST_REQUIRE(window.rate(at(1)).has_value());
    BOOST_TEST(window.rate(at(1))->rows == 50U);
    BOOST_TEST(window.rate(at(1))->bytes == 500U);
    // 100 rows a second for a minute, then 10 a second.
    std::uint64_t rows = 0;
    for (unsigned second = 1; second <= 60; ++second)
        window.add(at(second), later(rows, 100));
    BOOST_TEST(window.rate(at(60))->rows == 100U);
    for (unsigned second = 61; second <= 75; ++second)
        window.add(at(second), later(rows, 10));
    BOOST_TEST(window.rate(at(75))->rows == 55U);
    for (unsigned second = 76; second <= 90; ++second)
        window.add(at(second), later(rows, 10));
    BOOST_TEST(window.rate(at(90))->rows == 10U);
    BOOST_TEST(window.rate(at(90))->bytes == 100U);
    // Nothing comes any more: the rate falls, and ends at none.
    BOOST_TEST(window.rate(at(105))->rows == 5U);
    BOOST_TEST(window.rate(at(120))->rows == 0U);
    BOOST_TEST(window.rate(at(100'000))->rows == 0U);
}

BOOST_AUTO_TEST_CASE(elsewhere_a_line_every_five_seconds_at_most) {
    Shown shown(off_terminal());
    for (unsigned half = 0; half <= 24; ++half) {
        shown.progress.loading(LoadProgress(half * 100, half * MiB / 2, 24 * MiB));
        shown.clock.advance(std::chrono::milliseconds(500));
    }
    BOOST_TEST(
        shown.written.text() ==
        "refresh-load: loading 20% 5.0 MiB, 1000 rows, 1.0 MiB/s, 200 rows/s, 19s left\n"
        "refresh-load: loading 41% 10.0 MiB, 2000 rows, 1.0 MiB/s, 200 rows/s, 14s left\n"
    );
}

BOOST_AUTO_TEST_CASE(on_a_terminal_one_line_is_drawn_again) {
    Shown shown(terminal(120));
    shown.progress.loading(LoadProgress(0, 0, 20 * MiB));
    shown.clock.advance(std::chrono::milliseconds(50));
    shown.progress.loading(LoadProgress(1, 1, 20 * MiB)); // too soon
    shown.clock.advance(std::chrono::milliseconds(1950));
    shown.progress.loading(LoadProgress(200, 2 * MiB, 20 * MiB));
    BOOST_TEST(
        shown.written.text() ==
        "\r\x1b[Kloading [....................] 0% 0 B, 0 rows"
        "\r\x1b[Kloading [##..................] 10% 2.0 MiB, 200 rows, 1.0 MiB/s, 100 "
        "rows/s, 18s left"
    );
}

BOOST_AUTO_TEST_CASE(quiet_says_nothing) {
    for (const Terminal& of : {off_terminal(), terminal(80)}) {
        Shown shown(of, Verbosity::quiet);
        for (unsigned second = 0; second < 60; ++second) {
            shown.progress.loading(LoadProgress(second, second, 100));
            shown.clock.advance(std::chrono::seconds(1));
        }
        BOOST_TEST(shown.written.text() == "");
        const std::string asked = shown.progress.now(); // SIGUSR1 is answered
        BOOST_TEST((asked.find("59% 59 B, 59 rows, ") != std::string::npos), asked);
    }
}

BOOST_AUTO_TEST_CASE(another_step_ends_it) {
    Shown shown(off_terminal());
    shown.progress.loading(LoadProgress(1, 1, 100));
    engine::Event step;
    step.kind = engine::EventKind::step;
    step.name = "admission of the candidate";
    shown.progress.on_event(step);
    BOOST_TEST(shown.progress.now() == "admission of the candidate");
}

BOOST_AUTO_TEST_SUITE_END()
