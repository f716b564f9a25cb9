#include "tools/cli/screen.hpp"

#include "tools/cli/diagnostics.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <fcntl.h>
#include <string>
#include <unistd.h>

using namespace onceswap::cli;

BOOST_AUTO_TEST_SUITE(screen)

BOOST_AUTO_TEST_CASE(rows_that_a_text_takes) {
    const struct {
        std::string text;
        std::size_t width;
        std::size_t rows;
    } table[] = {
        {"", 80, 0},
        {"\n", 80, 1},
        {"a\nb\n", 80, 2},
        {std::string(80, 'x') + "\n", 80, 1},
        {std::string(81, 'x') + "\n", 80, 2},
        {std::string(240, 'x') + "\n", 80, 3},
        {std::string(240, 'x') + "\n", 0, 1},
        {"\x1b[31m" + std::string(80, 'x') + "\x1b[0m\n", 80, 1}, // colours take no place
        {"\xc3\xa4\xc3\xa4\xc3\xa4\n", 3, 1},
    };

    for (const auto& row : table)
        BOOST_TEST(rows_of(row.text, row.width) == row.rows, row.text);
}

BOOST_AUTO_TEST_CASE(each_frame_is_drawn_over_the_one_before) {
    Screen screen;
    BOOST_TEST(screen.frame("a\nb\n", 80, 24) == "a\nb\n");
    BOOST_TEST(screen.frame("c\n", 80, 24) == "\x1b[2A\r\x1b[Jc\n");
    BOOST_TEST(
        screen.frame(std::string(100, 'x') + "\n", 80, 24) == "\x1b[1A\r\x1b[J" + std::string(100, 'x') + "\n"
    );
    BOOST_TEST(screen.frame("d\n", 80, 24) == "\x1b[2A\r\x1b[Jd\n");
}

BOOST_AUTO_TEST_CASE(what_is_taller_than_the_terminal_begins_at_its_top) {
    Screen screen;
    const std::string tall = "1\n2\n3\n4\n5\n";
    BOOST_TEST(screen.frame(tall, 80, 5) == "\x1b[H\x1b[2J" + tall);
    BOOST_TEST(screen.frame("a\n", 80, 5) == "\x1b[H\x1b[2Ja\n"); // the one before does not all stand above
    BOOST_TEST(screen.frame("b\n", 80, 5) == "\x1b[1A\r\x1b[Jb\n");
}

// A pipe that nobody reads: what fits is taken, then nothing, and nobody waits for long.
BOOST_AUTO_TEST_CASE(a_reader_that_does_not_read_holds_nobody_up) {
    int ends[2] = {-1, -1};
    BOOST_REQUIRE(::pipe(ends) == 0);
    const int capacity = ::fcntl(ends[1], F_SETPIPE_SZ, 4096);
    BOOST_REQUIRE(capacity > 0);
    const std::string text(static_cast<std::size_t>(capacity) * 2, 'x');
    BOOST_TEST(!write_while_read(ends[1], text));
    BOOST_TEST(write_some(ends[1], text).value() == 0U);
    std::string taken(text.size(), '\0');
    const ssize_t got = ::read(ends[0], taken.data(), taken.size());
    BOOST_TEST((got > 0 && got <= capacity)); // a pipe of one page is full when its page is begun
    BOOST_TEST(write_while_read(ends[1], "y"));
    ::close(ends[0]);
    std::signal(SIGPIPE, SIG_IGN);
    BOOST_TEST(!write_some(ends[1], text).has_value()); // gone
    BOOST_TEST(!write_while_read(ends[1], text));
    ::close(ends[1]);
}

BOOST_AUTO_TEST_SUITE_END()
