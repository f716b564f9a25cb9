#include "http_transport/tls.hpp"

#include "http_transport/transport_error.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>

namespace onceswap::http {
namespace {

std::string openssl_text(unsigned long error) {
    std::array<char, 256> text{};
    ERR_error_string_n(error, text.data(), text.size());
    return text.data();
}

std::string about_file(const char* what, const std::string& file) {
    std::string text = std::string(what) + " '" + file + "'";
    const unsigned long error = ERR_peek_last_error();
    if (error != 0) {
        const char* const reason = ERR_reason_error_string(error);
        text += ": ";
        text += reason != nullptr ? std::string(reason) : openssl_text(error);
    }
    ERR_clear_error();
    return text;
}

/// Marks a session whose peer has asked for a certificate that we do not have; called only then.
char asked_in_vain = 0;

int no_certificate(SSL* ssl, X509**, EVP_PKEY**) {
    SSL_set_app_data(ssl, &asked_in_vain);
    return 0;
}

int refuse_passphrase(char*, int, int, void*) {
    return -1;
}

/// Stale errors would be blamed on the next call.
struct CleanQueue {
    CleanQueue() { ERR_clear_error(); }

    ~CleanQueue() { ERR_clear_error(); }

    CleanQueue(const CleanQueue&) = delete;
    CleanQueue& operator=(const CleanQueue&) = delete;
};

std::string subject_of(const SSL& ssl) {
    const X509* const certificate = SSL_get0_peer_certificate(&ssl);
    if (certificate == nullptr) {
        return {};
    }
    std::array<char, 256> name{};
    X509_NAME_oneline(X509_get_subject_name(certificate), name.data(), static_cast<int>(name.size()));
    return std::string(" of the certificate ") + name.data();
}

TransportError verification_failure(long result) {
    switch (result) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return TransportError::tls_name;
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD:
    case X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD:
        return TransportError::tls_expiry;
    default:
        return TransportError::tls_chain;
    }
}

TransportError library_failure(int reason) {
    switch (reason) {
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_WRONG_SSL_VERSION:
    case SSL_R_UNKNOWN_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_NO_PROTOCOLS_AVAILABLE:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY:
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_HTTP_REQUEST:
        return TransportError::tls_protocol;
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_NO_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
        return TransportError::tls_client_certificate;
    default:
        return TransportError::tls_failed;
    }
}

} // namespace

namespace {

/// The mark of a context whose system roots are not loaded yet: parsing a hundred certificates takes longer
/// than a whole call over plain HTTP, so it waits for the first one over TLS.
char roots_to_load = 0;

void load_system_roots(SSL_CTX& context) {
    if (SSL_CTX_get_app_data(&context) == &roots_to_load) {
        SSL_CTX_set_app_data(&context, nullptr);
        SSL_CTX_set_default_verify_paths(&context);
    }
}

} // namespace

void FreeSsl::operator()(SSL_CTX* context) const {
    SSL_CTX_free(context);
}

void FreeSsl::operator()(SSL* ssl) const {
    SSL_free(ssl);
}

boost::system::result<SslContextPtr, std::string> make_tls_context(const TlsOptions& options) {
    const CleanQueue clean;
    SslContextPtr context(SSL_CTX_new(TLS_client_method()));
    if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
        return std::string("OpenSSL cannot be set up");
    }
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // A write that must be tried again may do so with the bytes at another place; what was taken is reported
    // at once.
    SSL_CTX_set_mode(
        context.get(),
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
    );
    SSL_CTX_set_client_cert_cb(context.get(), no_certificate);
    SSL_CTX_set_read_ahead(context.get(), 1);
    SSL_CTX_set_default_passwd_cb(context.get(), refuse_passphrase);

    if (!options.ca_file.empty()) {
        if (SSL_CTX_load_verify_file(context.get(), options.ca_file.c_str()) != 1) {
            return about_file("cannot read the CA file", options.ca_file);
        }
    } else {
        SSL_CTX_set_app_data(context.get(), &roots_to_load);
    }
    SSL_CTX_set_verify(context.get(), options.insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);

    if (options.cert_file.empty() != options.key_file.empty()) {
        return std::string("a client certificate and its key are given together or not at all");
    }
    if (!options.cert_file.empty()) {
        if (SSL_CTX_use_certificate_chain_file(context.get(), options.cert_file.c_str()) != 1) {
            return about_file("cannot read the client certificate", options.cert_file);
        }
        if (SSL_CTX_use_PrivateKey_file(context.get(), options.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
            return about_file("cannot use the client key", options.key_file);
        }
        if (SSL_CTX_check_private_key(context.get()) != 1) {
            return about_file("the client key does not belong to the certificate:", options.key_file);
        }
    }
    return context;
}

SslPtr make_tls_session(SSL_CTX& context, const TlsOptions& options, const std::string& host) {
    const CleanQueue clean;
    load_system_roots(context);
    SslPtr ssl(SSL_new(&context));
    if (!ssl) {
        return nullptr;
    }
    const std::string& name = options.server_name.empty() ? host : options.server_name;
    boost::system::error_code not_an_address;
    boost::asio::ip::make_address(name, not_an_address);
    bool good = true;
    if (not_an_address) {
        // SSL_set_tlsext_host_name without its macro, whose cast counts as ours.
        void* const sni = const_cast<char*>(name.c_str());
        good = SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, sni) == 1;
        SSL_set_hostflags(ssl.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        good = good && SSL_set1_host(ssl.get(), name.c_str()) == 1;
    } else {
        good = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), name.c_str()) == 1;
    }
    SSL_set_connect_state(ssl.get());
    return good ? std::move(ssl) : nullptr;
}

TlsFailure explain_tls_failure(const SSL& ssl, unsigned long error) {
    const CleanQueue clean;
    TlsFailure failure;
    const long verified = SSL_get_verify_result(&ssl);
    if (ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        failure.error = verification_failure(verified);
        failure.detail = std::string(X509_verify_cert_error_string(verified)) + subject_of(ssl);
        return failure;
    }
    failure.error = ERR_GET_LIB(error) == ERR_LIB_SSL ? library_failure(ERR_GET_REASON(error))
                                                      : TransportError::tls_failed;
    failure.detail = error != 0 ? openssl_text(error) : std::string("OpenSSL gave no reason");
    // TLS 1.2 has no alert of its own for this.
    if (failure.error == TransportError::tls_protocol && SSL_get_app_data(&ssl) == &asked_in_vain) {
        failure.error = TransportError::tls_client_certificate;
        failure.detail += "; the peer asked for a client certificate and got none";
    }
    return failure;
}

} // namespace onceswap::http
