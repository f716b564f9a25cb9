#pragma once

#include "http_transport/beast_transport.hpp"

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <openssl/types.h>

#include <memory>
#include <string>

namespace onceswap::http {

struct FreeSsl {
    void operator()(SSL_CTX* context) const;
    void operator()(SSL* ssl) const;
};

using SslContextPtr = std::unique_ptr<SSL_CTX, FreeSsl>;
using SslPtr = std::unique_ptr<SSL, FreeSsl>;

/// TLS 1.2 or later, chain verified against `ca_file` or the system's roots unless `insecure`, client
/// certificate loaded and matched with its key. A key that needs a passphrase is refused: nothing here may
/// ask on a terminal. Error: the file and what is wrong with it, never its content.
boost::system::result<SslContextPtr, std::string> make_tls_context(const TlsOptions& options);

/// One connection's state: SNI and the verified name are `server_name`, or `host` if that is empty. An
/// address literal is verified as an address and sends no SNI. Null when memory is short.
SslPtr make_tls_session(SSL_CTX& context, const TlsOptions& options, const std::string& host);

/// What an OpenSSL failure was, in the terms an operator can act on.
struct TlsFailure {
    boost::system::error_code error;
    std::string detail;
};

/// `error` is the first one of OpenSSL's queue (0 if there was none); the queue is left empty.
TlsFailure explain_tls_failure(const SSL& ssl, unsigned long error);

} // namespace onceswap::http
