#pragma once

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

#include <type_traits>

namespace onceswap::http {

/// What the transport itself finds wrong with a call. The kernel's, Asio's and Beast's own codes are passed
/// through. None of them is a verdict on the statement.
enum class TransportError : int {
    deadline_reached =
        1, ///< the call's or the connect phase's instant has passed; equals std::errc::timed_out
    request_not_sendable,     ///< refused here before anything was opened: too long, bad bytes, settings not
                              ///< allowed
    pool_closed,              ///< the transport was closed while the call waited for a connection
    unsolicited_reply,        ///< the peer spoke before the request was written: not an answer to it
    closed_before_send,       ///< the peer closed the connection before the request was written
    closed_without_reply,     ///< the stream ended before any reply byte: says nothing about the statement
    truncated,                ///< the stream ended inside the reply
    close_delimited,          ///< neither Content-Length nor chunked: a cut could not be told from the end
    too_many_interim_replies, ///< more 1xx replies than a sane peer sends
    upgrade_refused,          ///< 101: nobody asked to change the protocol
    tls_chain,                ///< the certificate's chain does not lead to a trusted root
    tls_name,                 ///< the certificate is for another name
    tls_expiry,               ///< the certificate is expired or not valid yet
    tls_protocol,             ///< no common TLS version or cipher, or the peer does not speak TLS
    tls_client_certificate,   ///< the peer demands or rejects our certificate
    tls_failed,               ///< anything else that OpenSSL reports
};

const boost::system::error_category& transport_category();

inline boost::system::error_code make_error_code(TransportError error) {
    return {static_cast<int>(error), transport_category()};
}

} // namespace onceswap::http

template <>
struct boost::system::is_error_code_enum<onceswap::http::TransportError> : std::true_type {};
