#pragma once

#include <boost/asio/ssl/context.hpp>

#include <filesystem>
#include <memory>
#include <string>

namespace onceswap::test {

/// When a certificate is valid, relative to now.
enum class Validity { now, expired, not_yet };

/// Certificates made for one test, with keys that live only in memory and in a folder that goes with this
/// object.
class TestCertificates {
  public:
    TestCertificates();
    ~TestCertificates();
    TestCertificates(const TestCertificates&) = delete;
    TestCertificates& operator=(const TestCertificates&) = delete;

    std::string ca_file() const;       ///< the root that signs everything below
    std::string other_ca_file() const; ///< a root that signs nothing
    std::string client_certificate_file() const;
    std::string client_key_file() const;
    std::string encrypted_key_file() const; ///< the same key under a passphrase

    /// A server's side. `names`: subjectAltName, e.g. "DNS:ch1,IP:127.0.0.1".
    std::shared_ptr<boost::asio::ssl::context>
    server(const std::string& names, Validity validity = Validity::now) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace onceswap::test
