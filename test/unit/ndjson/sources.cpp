#include "protocol/digest.hpp"
#include "tools/ndjson/byte_source.hpp"
#include "tools/ndjson/gzip_source.hpp"

#include <boost/test/unit_test.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace onceswap;
using namespace onceswap::ndjson;

BOOST_AUTO_TEST_SUITE(sources)

namespace {

class TextSource final : public ByteSource {
  public:
    TextSource(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}

    protocol::Result<std::size_t> read(std::span<char> into) override {
        const std::size_t size = std::min({into.size(), piece_, text_.size() - at_});
        std::memcpy(into.data(), text_.data() + at_, size);
        at_ += size;
        return size;
    }

  private:
    std::string text_;
    std::size_t piece_;
    std::size_t at_ = 0;
};

std::string packed(const std::string& text) {
    z_stream stream{};
    BOOST_REQUIRE(::deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(::deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
    std::string in = text;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    BOOST_REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    return out;
}

/// What comes out, or the error's text.
std::string unpacked(const std::string& bytes, std::size_t piece, std::size_t room) {
    TextSource inner(bytes, piece);
    const auto source = make_unpacking_source(inner, "rows.gz");
    std::string out;
    std::vector<char> buffer(room);
    for (;;) {
        const auto size = source->read(buffer);
        if (!size)
            return size.error().detail;
        if (*size == 0)
            return out;
        out.append(buffer.data(), *size);
    }
}

std::filesystem::path temporary(const std::string& content) {
    static int number = 0;
    const auto path = std::filesystem::temp_directory_path() /
                      ("onceswap_sources_" + std::to_string(::getpid()) + "_" + std::to_string(++number));
    std::ofstream(path, std::ios::binary) << content;
    return path;
}

} // namespace

BOOST_AUTO_TEST_CASE(plain_and_packed_bytes_come_out_the_same) {
    std::string text;
    for (int line = 0; line < 5000; ++line)
        text += "{\"a\":" + std::to_string(line * 7919) + "}\n";
    const std::string one = packed(text);
    const std::string two = packed(text.substr(0, 777)) + packed(text.substr(777));
    const std::string with_empty = packed("") + one + packed("");
    const std::string padded = one + std::string(513, '\0');
    for (const std::size_t piece : {1UL, 5UL, 4096UL, 1000000UL}) {
        for (const std::size_t room : {1UL, 100UL, 262144UL}) {
            if (piece == 1 && room == 1)
                continue;
            BOOST_TEST_CONTEXT("pieces of " << piece << ", room for " << room) {
                BOOST_TEST((unpacked(text, piece, room) == text));
                BOOST_TEST((unpacked(one, piece, room) == text));
                BOOST_TEST((unpacked(two, piece, room) == text));
                BOOST_TEST((unpacked(with_empty, piece, room) == text));
                BOOST_TEST((unpacked(padded, piece, room) == text));
            }
        }
    }
    BOOST_TEST(unpacked("", 1, 10) == "");
    BOOST_TEST(unpacked("x", 1, 10) == "x");
    BOOST_TEST(unpacked("\x1f", 1, 10) == "\x1f");
}

BOOST_AUTO_TEST_CASE(every_cut_of_a_packed_file_is_an_error) {
    const std::string bytes = packed("{\"a\":1}\n{\"a\":2}\n");
    for (std::size_t size = 2; size < bytes.size(); ++size) {
        const std::string got = unpacked(bytes.substr(0, size), 1000, 1000);
        BOOST_TEST(
            got == "rows.gz: gzip data is cut short at byte " + std::to_string(size),
            "cut at " << size << ": " << got
        );
    }
    const std::string second_cut = bytes + bytes.substr(0, bytes.size() - 1);
    BOOST_TEST(unpacked(second_cut, 1000, 1000).starts_with("rows.gz: gzip data is cut short at byte "));
}

BOOST_AUTO_TEST_CASE(corrupt_and_foreign_bytes_are_errors) {
    const std::string text = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n";
    const std::string bytes = packed(text);
    std::string wrong_sum = bytes;
    wrong_sum[bytes.size() - 6] = static_cast<char>(wrong_sum[bytes.size() - 6] ^ 1);
    BOOST_TEST(unpacked(wrong_sum, 1000, 1000).starts_with("rows.gz: gzip data is corrupt at byte "));
    BOOST_TEST(unpacked(bytes + "more", 1000, 1000)
                   .starts_with("rows.gz: something other than gzip follows at byte "));
    BOOST_TEST(unpacked(bytes + std::string(3, '\0') + bytes, 1000, 1000)
                   .starts_with("rows.gz: something other than gzip follows at byte "));
    // A flipped bit of the data is found, or it was one of the padding bits: nothing else ever comes out.
    for (std::size_t at = 10; at < bytes.size(); ++at) {
        std::string flipped = bytes;
        flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
        const std::string got = unpacked(flipped, 1000, 1000);
        BOOST_TEST((got == text || got.starts_with("rows.gz: ")), "flipped byte " << at << ": " << got);
    }
}

BOOST_AUTO_TEST_CASE(a_file_is_counted_and_digested) {
    const std::string content(700'000, 'x');
    const auto path = temporary(content);
    const StopFlag stop;
    auto source = FileSource::open(path.string(), stop);
    BOOST_REQUIRE(source);
    BOOST_TEST((*source)->size() == content.size());
    std::vector<char> buffer(100'000);
    for (;;) {
        const auto size = (*source)->read(buffer);
        BOOST_REQUIRE(size);
        if (*size == 0)
            break;
    }
    BOOST_TEST((*source)->bytes_read() == content.size());
    BOOST_TEST((*source)->sha256_so_far() == protocol::sha256_hex(content));
    const auto digest = sha256_of_file(path.string(), stop);
    BOOST_REQUIRE(digest);
    BOOST_TEST(*digest == protocol::sha256_hex(content));
    std::filesystem::remove(path);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_named) {
    const StopFlag stop;
    const auto absent = FileSource::open("/nowhere/rows.ndjson", stop);
    BOOST_REQUIRE(!absent);
    BOOST_TEST(absent.error().detail == "/nowhere/rows.ndjson: cannot be read: No such file or directory");
    BOOST_TEST((absent.error().code == protocol::Code::input_malformed));
    const auto directory = FileSource::open("/tmp", stop);
    BOOST_REQUIRE(!directory);
    BOOST_TEST(directory.error().detail == "/tmp: cannot be read: Is a directory");
}

BOOST_AUTO_TEST_CASE(a_read_that_waits_on_a_pipe_can_be_stopped) {
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    const std::string path = "/proc/self/fd/" + std::to_string(ends[0]);
    StopFlag stop;
    auto source = FileSource::open(path, stop);
    BOOST_REQUIRE(source);
    BOOST_TEST((*source)->size() == 0);
    std::thread stopper([&stop] { stop.stop(); });
    char byte = 0;
    const auto got = (*source)->read(std::span(&byte, 1)); // nobody ever writes
    stopper.join();
    BOOST_REQUIRE(!got);
    BOOST_TEST((got.error().code == protocol::Code::cancelled));
    ::close(ends[0]);
    ::close(ends[1]);
}

BOOST_AUTO_TEST_SUITE_END()
