#pragma once

#include "http_transport/credentials.hpp"
#include "http_transport/transport.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace onceswap::http {

struct TlsOptions {
    std::string ca_file;     ///< empty: the system's store
    std::string cert_file;   ///< client certificate, PEM
    std::string key_file;    ///< its key, PEM
    std::string server_name; ///< SNI and the name that is verified; empty: the endpoint's host
    bool insecure = false;   ///< no verification; every output says so
};

struct TransportOptions {
    Credentials credentials;
    TlsOptions tls;
    bool readonly_user = false; ///< readonly=1: send no setting at all, only the parameters that are none
    std::chrono::milliseconds connect_timeout{5'000
    }; ///< resolve, connect and handshake, within the call's deadline
    std::chrono::milliseconds idle_limit{2'500}; ///< a pooled connection older than this is closed, not used
    std::size_t max_header_bytes = 64 * 1024;
    std::size_t connections_per_endpoint = 4;
    std::string user_agent = "onceswap";
    /// Told once, if a password goes over plain HTTP to an address that is not loopback. Called on the loop.
    std::function<void(std::string)> warn;
};

/// The real transport: ReadClient and OneShotClient over Beast. Error: what is wrong with the TLS files.
boost::system::result<std::unique_ptr<Transport>, std::string>
make_beast_transport(boost::asio::any_io_executor executor, TransportOptions options);

} // namespace onceswap::http
