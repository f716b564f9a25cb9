#include "http_transport/transport_error.hpp"

#include <boost/system/errc.hpp>

#include <string>

namespace onceswap::http {
namespace {

const char* sentence(TransportError error) {
    switch (error) {
    case TransportError::deadline_reached:
        return "the deadline was reached";
    case TransportError::request_not_sendable:
        return "the request cannot be sent";
    case TransportError::pool_closed:
        return "the transport is closed";
    case TransportError::unsolicited_reply:
        return "the peer sent bytes before the request was written";
    case TransportError::closed_before_send:
        return "the peer closed the connection before the request was written";
    case TransportError::closed_without_reply:
        return "the connection ended without a reply";
    case TransportError::truncated:
        return "the connection ended inside the reply";
    case TransportError::close_delimited:
        return "the reply has neither Content-Length nor chunked framing";
    case TransportError::too_many_interim_replies:
        return "too many interim (1xx) replies";
    case TransportError::upgrade_refused:
        return "the peer wants to switch protocols";
    case TransportError::tls_chain:
        return "TLS: the certificate chain is not trusted";
    case TransportError::tls_name:
        return "TLS: the certificate is for another name";
    case TransportError::tls_expiry:
        return "TLS: the certificate is expired or not yet valid";
    case TransportError::tls_protocol:
        return "TLS: no common protocol";
    case TransportError::tls_client_certificate:
        return "TLS: the peer demands or rejects the client certificate";
    case TransportError::tls_failed:
        return "TLS: failed";
    }
    return "unknown transport error";
}

class TransportCategory final : public boost::system::error_category {
  public:
    const char* name() const noexcept override { return "onceswap.transport"; }

    std::string message(int value) const override { return sentence(static_cast<TransportError>(value)); }

    boost::system::error_condition default_error_condition(int value) const noexcept override {
        if (static_cast<TransportError>(value) == TransportError::deadline_reached) {
            return make_error_condition(boost::system::errc::timed_out);
        }
        return {value, *this};
    }
};

} // namespace

const boost::system::error_category& transport_category() {
    static const TransportCategory category;
    return category;
}

} // namespace onceswap::http
