#include "tools/ndjson/gzip_source.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace onceswap::ndjson {

namespace {

constexpr std::size_t packed_piece = 128 * 1024;
constexpr int gzip_only = 16; // added to the window bits: neither zlib nor raw deflate

class UnpackingSource final : public ByteSource {
  public:
    UnpackingSource(ByteSource& inner, std::string name)
        : inner_(inner), name_(std::move(name)), packed_(packed_piece) {}

    ~UnpackingSource() override {
        if (kind_ == Kind::gzip)
            ::inflateEnd(&stream_);
    }

    UnpackingSource(const UnpackingSource&) = delete;
    UnpackingSource& operator=(const UnpackingSource&) = delete;

    protocol::Result<std::size_t> read(std::span<char> into) override {
        if (kind_ == Kind::undecided) {
            if (auto known = recognize(); !known)
                return known.error();
        }
        return kind_ == Kind::gzip ? unpack(into) : copy(into);
    }

  private:
    enum class Kind { undecided, plain, gzip };

    std::size_t left() const { return end_ - begin_; }

    protocol::Failure malformed(const char* what) const {
        const std::uint64_t at = packed_before_ + begin_;
        return {protocol::Code::input_malformed, name_ + ": " + what + " at byte " + std::to_string(at)};
    }

    /// More packed bytes behind those that are left; false at the end.
    protocol::Result<bool> refill() {
        if (begin_ == end_) {
            packed_before_ += end_;
            begin_ = end_ = 0;
        }
        const auto got = inner_.read(std::span(packed_).subspan(end_));
        if (!got)
            return got.error();
        end_ += *got;
        return *got > 0;
    }

    protocol::Result<bool> recognize() {
        while (left() < 2) {
            const auto more = refill();
            if (!more)
                return more.error();
            if (!*more)
                break;
        }
        const bool gzip = left() >= 2 && packed_[0] == '\x1f' && packed_[1] == '\x8b';
        if (gzip && ::inflateInit2(&stream_, MAX_WBITS + gzip_only) != Z_OK)
            throw std::bad_alloc();
        kind_ = gzip ? Kind::gzip : Kind::plain;
        return true;
    }

    protocol::Result<std::size_t> copy(std::span<char> into) {
        if (left() == 0)
            return inner_.read(into);
        const std::size_t size = std::min(into.size(), left());
        std::memcpy(into.data(), packed_.data() + begin_, size);
        begin_ += size;
        return size;
    }

    protocol::Result<std::size_t> unpack(std::span<char> into) {
        for (;;) {
            if (left() == 0) {
                const auto more = refill();
                if (!more)
                    return more.error();
                if (!*more) {
                    if (between_members_)
                        return std::size_t{0};
                    return malformed("gzip data is cut short");
                }
            }
            if (between_members_) {
                if (packed_[begin_] == '\0') { // padding of tapes and block devices
                    padding_ = true;
                    ++begin_;
                    continue;
                }
                if (padding_ || packed_[begin_] != '\x1f')
                    return malformed("something other than gzip follows");
                ::inflateReset(&stream_);
                between_members_ = false;
            }
            stream_.next_in = reinterpret_cast<Bytef*>(packed_.data() + begin_);
            stream_.avail_in = static_cast<uInt>(left());
            stream_.next_out = reinterpret_cast<Bytef*>(into.data());
            stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), 1U << 30U));
            const uInt room = stream_.avail_out;
            const int result = ::inflate(&stream_, Z_NO_FLUSH);
            begin_ = end_ - stream_.avail_in;
            if (result == Z_MEM_ERROR)
                throw std::bad_alloc();
            if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
                return malformed("gzip data is corrupt");
            between_members_ = result == Z_STREAM_END;
            if (const std::size_t made = room - stream_.avail_out; made > 0)
                return made;
        }
    }

    ByteSource& inner_;
    std::string name_;
    std::vector<char> packed_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::uint64_t packed_before_ = 0;
    Kind kind_ = Kind::undecided;
    bool between_members_ = false;
    bool padding_ = false;
    z_stream stream_{};
};

} // namespace

std::unique_ptr<ByteSource> make_unpacking_source(ByteSource& inner, std::string name) {
    return std::make_unique<UnpackingSource>(inner, std::move(name));
}

} // namespace onceswap::ndjson
