#include "http_transport/plain_stream.hpp"

#include <boost/asio/error.hpp>

namespace onceswap::http {
namespace {

namespace asio = boost::asio;

class PlainStream final : public Stream {
  public:
    explicit PlainStream(asio::ip::tcp::socket& socket) : socket_(socket) {}

    Step handshake() override { return Step::moved(0); }

    Step read(asio::mutable_buffer room) override {
        boost::system::error_code error;
        const std::size_t bytes = socket_.read_some(room, error);
        if (!error) {
            return Step::moved(bytes);
        }
        if (error == asio::error::would_block || error == asio::error::try_again) {
            return {StepKind::wait_read, 0, {}};
        }
        if (error == asio::error::eof) {
            return {StepKind::closed, 0, {}};
        }
        return Step::failed(error);
    }

    Step write(const std::array<asio::const_buffer, 2>& bytes) override {
        boost::system::error_code error;
        const std::size_t taken = socket_.write_some(bytes, error);
        to_kernel_ += taken;
        if (!error) {
            return Step::moved(taken);
        }
        if (error == asio::error::would_block || error == asio::error::try_again) {
            return {StepKind::wait_write, 0, {}};
        }
        return Step::failed(error);
    }

    std::uint64_t bytes_to_kernel() const override { return to_kernel_; }

    std::string failure_detail() const override { return {}; }

  private:
    asio::ip::tcp::socket& socket_;
    std::uint64_t to_kernel_ = 0;
};

} // namespace

std::unique_ptr<Stream> make_plain_stream(asio::ip::tcp::socket& socket) {
    return std::make_unique<PlainStream>(socket);
}

} // namespace onceswap::http
