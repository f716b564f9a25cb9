#include "test_certificates.hpp"

#include <boost/test/unit_test.hpp>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <fstream>

namespace onceswap::test {

namespace {

struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }

    void operator()(X509* certificate) const { X509_free(certificate); }

    void operator()(BIO* bio) const { BIO_free(bio); }

    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

struct Identity {
    Owned<EVP_PKEY> key;
    Owned<X509> certificate;
};

constexpr long day_s = 24L * 3'600L;

void add_extension(X509& certificate, X509& issuer, int nid, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
    const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
    BOOST_REQUIRE_MESSAGE(extension != nullptr, "extension " << value);
    BOOST_REQUIRE(X509_add_ext(&certificate, extension.get(), -1) == 1);
}

/// Signed by `issuer`, or by itself as a root if there is none.
Identity make_identity(
    const std::string& name, const Identity* issuer, const std::string& alt_names, Validity validity
) {
    static long serial = 0;
    Identity identity{Owned<EVP_PKEY>(EVP_EC_gen("P-256")), Owned<X509>(X509_new())};
    X509& certificate = *identity.certificate;
    X509_set_version(&certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(&certificate), ++serial);
    const long begin = validity == Validity::not_yet ? day_s : -10 * day_s;
    const long end = validity == Validity::expired ? -day_s : 10 * day_s;
    X509_gmtime_adj(X509_getm_notBefore(&certificate), begin);
    X509_gmtime_adj(X509_getm_notAfter(&certificate), end);
    X509_set_pubkey(&certificate, identity.key.get());
    X509_NAME_add_entry_by_txt(
        X509_get_subject_name(&certificate),
        "CN",
        MBSTRING_ASC,
        reinterpret_cast<const unsigned char*>(name.c_str()),
        -1,
        -1,
        0
    );
    const Identity& signer = issuer != nullptr ? *issuer : identity;
    X509_set_issuer_name(&certificate, X509_get_subject_name(signer.certificate.get()));
    add_extension(
        certificate,
        *signer.certificate,
        NID_basic_constraints,
        issuer == nullptr ? "critical,CA:TRUE" : "CA:FALSE"
    );
    if (!alt_names.empty()) {
        add_extension(certificate, *signer.certificate, NID_subject_alt_name, alt_names);
    }
    BOOST_REQUIRE(X509_sign(&certificate, signer.key.get(), EVP_sha256()) > 0);
    return identity;
}

std::string pem(const X509& certificate) {
    const Owned<BIO> bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), &certificate);
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

std::string pem(const EVP_PKEY& key, const char* passphrase = nullptr) {
    const Owned<BIO> bio(BIO_new(BIO_s_mem()));
    const EVP_CIPHER* const cipher = passphrase != nullptr ? EVP_aes_128_cbc() : nullptr;
    const int length = passphrase != nullptr ? static_cast<int>(std::string(passphrase).size()) : 0;
    PEM_write_bio_PKCS8PrivateKey(bio.get(), &key, cipher, passphrase, length, nullptr, nullptr);
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

} // namespace

struct TestCertificates::Impl {
    std::filesystem::path folder;
    Identity root = make_identity("onceswap test root", nullptr, "", Validity::now);
    Identity other_root = make_identity("onceswap other root", nullptr, "", Validity::now);
    Identity client = make_identity("onceswap test client", &root, "", Validity::now);
};

TestCertificates::TestCertificates() : impl_(std::make_unique<Impl>()) {
    std::string folder = (std::filesystem::temp_directory_path() / "onceswap-tls-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(folder.data()) != nullptr);
    impl_->folder = folder;
    std::ofstream(ca_file()) << pem(*impl_->root.certificate);
    std::ofstream(other_ca_file()) << pem(*impl_->other_root.certificate);
    std::ofstream(client_certificate_file()) << pem(*impl_->client.certificate);
    std::ofstream(client_key_file()) << pem(*impl_->client.key);
    std::ofstream(encrypted_key_file()) << pem(*impl_->client.key, "passphrase");
}

TestCertificates::~TestCertificates() {
    std::filesystem::remove_all(impl_->folder);
}

std::string TestCertificates::ca_file() const {
    return impl_->folder / "ca.pem";
}

std::string TestCertificates::other_ca_file() const {
    return impl_->folder / "other-ca.pem";
}

std::string TestCertificates::client_certificate_file() const {
    return impl_->folder / "client.pem";
}

std::string TestCertificates::client_key_file() const {
    return impl_->folder / "client.key";
}

std::string TestCertificates::encrypted_key_file() const {
    return impl_->folder / "encrypted.key";
}

std::shared_ptr<boost::asio::ssl::context>
TestCertificates::server(const std::string& names, Validity validity) const {
    const Identity identity = make_identity("onceswap test server", &impl_->root, names, validity);
    auto context = std::make_shared<boost::asio::ssl::context>(boost::asio::ssl::context::tls_server);
    SSL_CTX_use_certificate(context->native_handle(), identity.certificate.get());
    SSL_CTX_use_PrivateKey(context->native_handle(), identity.key.get());
    context->load_verify_file(ca_file());
    return context;
}

} // namespace onceswap::test
