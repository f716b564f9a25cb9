#include "http_transport/tls_stream.hpp"

#include "http_transport/socket_bio.hpp"
#include "http_transport/transport_error.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <utility>

namespace onceswap::http {
namespace {

namespace asio = boost::asio;

class TlsStream final : public Stream {
  public:
    TlsStream(SslPtr session, BIO* bio) : session_(std::move(session)), bio_(bio) {}

    ~TlsStream() override {
        if (established_ && !broken_) {
            ERR_clear_error();
            SSL_shutdown(session_.get());
            ERR_clear_error();
        }
    }

    TlsStream(const TlsStream&) = delete;
    TlsStream& operator=(const TlsStream&) = delete;

    Step handshake() override {
        ERR_clear_error();
        const int result = SSL_do_handshake(session_.get());
        if (result == 1) {
            established_ = true;
            return Step::moved(0);
        }
        return not_done(result);
    }

    Step read(asio::mutable_buffer room) override {
        ERR_clear_error();
        std::size_t bytes = 0;
        const int result = SSL_read_ex(session_.get(), room.data(), room.size(), &bytes);
        return result == 1 ? Step::moved(bytes) : not_done(result);
    }

    Step write(const std::array<asio::const_buffer, 2>& bytes) override {
        const asio::const_buffer& next = bytes[0].size() > 0 ? bytes[0] : bytes[1];
        ERR_clear_error();
        std::size_t taken = 0;
        const int result = SSL_write_ex(session_.get(), next.data(), next.size(), &taken);
        return result == 1 ? Step::moved(taken) : not_done(result);
    }

    std::uint64_t bytes_to_kernel() const override { return bytes_written(bio_); }

    std::string failure_detail() const override { return detail_; }

  private:
    Step not_done(int result) {
        const int why = SSL_get_error(session_.get(), result);
        switch (why) {
        case SSL_ERROR_WANT_READ:
            return {StepKind::wait_read, 0, {}};
        case SSL_ERROR_WANT_WRITE:
            return {StepKind::wait_write, 0, {}};
        case SSL_ERROR_ZERO_RETURN:
            return {StepKind::closed, 0, {}};
        default:
            break;
        }
        broken_ = true;
        const unsigned long error = ERR_peek_error();
        if (ERR_GET_LIB(error) == ERR_LIB_SSL &&
            ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
            ERR_clear_error();
            detail_ =
                established_ ? "the peer left without close_notify" : "the peer left during the handshake";
            return {StepKind::failed, 0, TransportError::truncated};
        }
        if (const int number = last_errno(bio_); why == SSL_ERROR_SYSCALL && number != 0) {
            ERR_clear_error();
            return Step::failed({number, boost::system::system_category()});
        }
        TlsFailure failure = explain_tls_failure(*session_, error);
        detail_ = std::move(failure.detail);
        return Step::failed(failure.error);
    }

    SslPtr session_;
    BIO* bio_; ///< owned by the session
    std::string detail_;
    bool established_ = false;
    bool broken_ = false;
};

} // namespace

std::unique_ptr<Stream> make_tls_stream(asio::ip::tcp::socket& socket, SslPtr session) {
    if (!session) {
        return nullptr;
    }
    BIO* const bio = new_socket_bio(socket.native_handle());
    if (bio == nullptr) {
        return nullptr;
    }
    SSL_set_bio(session.get(), bio, bio);
    return std::make_unique<TlsStream>(std::move(session), bio);
}

} // namespace onceswap::http
