#include "http_transport/response.hpp"
#include "http_transport/tls.hpp"
#include "http_transport/transport_error.hpp"
#include "loop_fixture.hpp"
#include "test_certificates.hpp"

#include <boost/asio/ssl/verify_mode.hpp>
#include <boost/test/unit_test.hpp>

#include <openssl/ssl.h>

#include <fstream>
#include <string>

namespace onceswap::test {
namespace {

namespace ssl = boost::asio::ssl;
using http::TransportError;

struct TlsFixture {
    TestCertificates certificates;

    http::TransportOptions trusting() const {
        auto options = patient_options();
        options.tls.ca_file = certificates.ca_file();
        return options;
    }

    /// One mutation against a server that would answer well.
    http::Exchange
    ask(const http::TransportOptions& options,
        std::shared_ptr<ssl::context> tls,
        const std::string& host = "127.0.0.1") {
        LoopFixture fixture;
        fixture.transport(options);
        ScriptedServer server(fixture.loop, {{read_request(), send(reply(200, one_row))}}, tls);
        const auto result = fixture.start_mutation(server.endpoint(host), insert_request());
        fixture.run(server);
        BOOST_TEST(server.requests() <= fixture.transport().sends());
        return **result;
    }

    void expect_refused(const http::Exchange& exchange, TransportError error, const std::string& detail) {
        BOOST_TEST((exchange.evidence.error == error), exchange.evidence.error.message());
        BOOST_TEST(exchange.evidence.bytes_handed_over == 0u);
        BOOST_TEST((exchange.evidence.phase == http::CallPhase::handshake));
        BOOST_TEST(
            exchange.evidence.detail.find(detail) != std::string::npos,
            exchange.evidence.detail << " lacks " << detail
        );
        BOOST_TEST(!exchange.response.has_value());
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(tls, TlsFixture)

BOOST_AUTO_TEST_CASE(verified_names_and_addresses) {
    struct Row {
        const char* names;
        const char* host;
        const char* server_name;
    };

    const Row rows[] = {
        {"IP:127.0.0.1", "127.0.0.1", ""},
        {"DNS:localhost", "localhost", ""},
        {"DNS:ch1.example.net", "127.0.0.1", "ch1.example.net"},
        {"DNS:*.example.net", "127.0.0.1", "ch1.example.net"},
        {"DNS:other,IP:127.0.0.1", "127.0.0.1", ""},
    };
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.names << " asked as " << row.host << " / " << row.server_name) {
            auto options = trusting();
            options.tls.server_name = row.server_name;
            const auto exchange = ask(options, certificates.server(row.names), row.host);
            BOOST_TEST(exchange.evidence.reply_complete, exchange.evidence.detail);
            BOOST_TEST(exchange.response.value().body == one_row);
        }
    }
}

BOOST_AUTO_TEST_CASE(sni_is_sent_for_names_only) {
    std::string seen;
    const auto tls = certificates.server("DNS:localhost,IP:127.0.0.1");
    SSL_CTX_set_tlsext_servername_arg(tls->native_handle(), &seen);
    const auto note_name = +[](SSL* session, int*, void* arg) -> int {
        const char* const name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
        *static_cast<std::string*>(arg) = name != nullptr ? name : "none";
        return SSL_TLSEXT_ERR_OK;
    };
    // What SSL_CTX_set_tlsext_servername_callback does; the macro casts in a way that g++ warns of in our
    // file.
    SSL_CTX_callback_ctrl(
        tls->native_handle(), SSL_CTRL_SET_TLSEXT_SERVERNAME_CB, reinterpret_cast<void (*)()>(note_name)
    );
    BOOST_TEST(ask(trusting(), tls, "localhost").evidence.reply_complete);
    BOOST_TEST(seen == "localhost");
    BOOST_TEST(ask(trusting(), tls).evidence.reply_complete);
    BOOST_TEST(seen == "none");
}

BOOST_AUTO_TEST_CASE(an_untrusted_chain) {
    auto options = trusting();
    options.tls.ca_file = certificates.other_ca_file();
    expect_refused(
        ask(options, certificates.server("IP:127.0.0.1")), TransportError::tls_chain, "certificate"
    );
    options.tls.ca_file.clear(); // the system's roots do not know it either
    expect_refused(
        ask(options, certificates.server("IP:127.0.0.1")), TransportError::tls_chain, "certificate"
    );
}

BOOST_AUTO_TEST_CASE(a_wrong_name) {
    expect_refused(
        ask(trusting(), certificates.server("IP:127.0.0.2")), TransportError::tls_name, "mismatch"
    );
    expect_refused(
        ask(trusting(), certificates.server("DNS:ch1"), "localhost"), TransportError::tls_name, "mismatch"
    );
    expect_refused(
        ask(trusting(), certificates.server("DNS:loc*"), "localhost"), TransportError::tls_name, "mismatch"
    );
    expect_refused(ask(trusting(), certificates.server("")), TransportError::tls_name, "mismatch");
}

BOOST_AUTO_TEST_CASE(expiry) {
    expect_refused(
        ask(trusting(), certificates.server("IP:127.0.0.1", Validity::expired)),
        TransportError::tls_expiry,
        "expired"
    );
    expect_refused(
        ask(trusting(), certificates.server("IP:127.0.0.1", Validity::not_yet)),
        TransportError::tls_expiry,
        "not yet valid"
    );
}

BOOST_AUTO_TEST_CASE(an_old_protocol) {
    const auto tls = certificates.server("IP:127.0.0.1");
    SSL_CTX_set_security_level(tls->native_handle(), 0);
    SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(tls->native_handle(), TLS1_1_VERSION);
    expect_refused(ask(trusting(), tls), TransportError::tls_protocol, "version");
}

BOOST_AUTO_TEST_CASE(tls_1_2_is_enough) {
    const auto tls = certificates.server("IP:127.0.0.1");
    SSL_CTX_set_max_proto_version(tls->native_handle(), TLS1_2_VERSION);
    BOOST_TEST(ask(trusting(), tls).evidence.reply_complete);
}

BOOST_AUTO_TEST_CASE(a_peer_that_does_not_speak_tls) {
    LoopFixture fixture;
    fixture.transport(trusting());
    ScriptedServer server(fixture.loop, {{read_bytes(5), send(reply(400, "plain HTTP here"))}});
    const auto plain = server.endpoint();
    const auto endpoint = http::Endpoint::parse("https://127.0.0.1:" + std::to_string(plain.port()));
    const auto result = fixture.start_mutation(*endpoint, insert_request());
    fixture.run(server);
    expect_refused(**result, TransportError::tls_protocol, "wrong version number");
}

BOOST_AUTO_TEST_CASE(a_peer_that_leaves_during_the_handshake) {
    for (const bool with_reset : {false, true}) {
        LoopFixture fixture;
        fixture.transport(trusting());
        ScriptedServer server(fixture.loop, {{read_bytes(5), with_reset ? reset() : finish()}});
        const auto endpoint =
            http::Endpoint::parse("https://127.0.0.1:" + std::to_string(server.endpoint().port()));
        const auto result = fixture.start_mutation(*endpoint, insert_request());
        fixture.run(server);
        BOOST_TEST(result->value().evidence.bytes_handed_over == 0u);
        BOOST_TEST((result->value().evidence.phase == http::CallPhase::handshake));
        BOOST_TEST(static_cast<bool>(result->value().evidence.error));
    }
}

BOOST_AUTO_TEST_CASE(a_handshake_that_never_ends) {
    with_growing_limit([this](std::chrono::milliseconds limit) {
        LoopFixture fixture;
        auto options = trusting();
        options.connect_timeout = limit;
        fixture.transport(options);
        ScriptedServer server(fixture.loop, {{read_bytes(5)}});
        const auto endpoint =
            http::Endpoint::parse("https://127.0.0.1:" + std::to_string(server.endpoint().port()));
        const auto result = fixture.start_mutation(*endpoint, insert_request());
        fixture.run(server);
        BOOST_TEST(result->value().evidence.bytes_handed_over == 0u);
        BOOST_TEST((result->value().evidence.error == TransportError::deadline_reached));
        return result->value().evidence.phase == http::CallPhase::handshake;
    });
}

BOOST_AUTO_TEST_CASE(insecure_takes_any_certificate) {
    auto options = trusting();
    options.tls.ca_file = certificates.other_ca_file();
    options.tls.insecure = true;
    BOOST_TEST(ask(options, certificates.server("DNS:whatever", Validity::expired)).evidence.reply_complete);
}

BOOST_AUTO_TEST_CASE(a_client_certificate_is_demanded) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        BOOST_TEST_CONTEXT("version " << version) {
            const auto tls = certificates.server("IP:127.0.0.1");
            tls->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
            SSL_CTX_set_min_proto_version(tls->native_handle(), version);
            SSL_CTX_set_max_proto_version(tls->native_handle(), version);
            const auto without = ask(trusting(), tls);
            BOOST_TEST(!without.evidence.reply_complete);
            BOOST_TEST(
                (without.evidence.error == TransportError::tls_client_certificate),
                without.evidence.error.message()
            );
            // In 1.3 the client is done before the server looks: the request may already be on its way.
            BOOST_TEST((without.evidence.bytes_handed_over > 0) == (version == TLS1_3_VERSION));

            auto options = trusting();
            options.tls.cert_file = certificates.client_certificate_file();
            options.tls.key_file = certificates.client_key_file();
            const auto with = ask(options, tls);
            BOOST_TEST(with.evidence.reply_complete, with.evidence.detail);
        }
    }
}

BOOST_AUTO_TEST_CASE(keep_alive_works_over_tls) {
    LoopFixture fixture;
    fixture.transport(trusting());
    const std::string answer = reply(200, one_row);
    ScriptedServer server(
        fixture.loop,
        {{read_request(), send(answer), read_request(), send(answer)}},
        certificates.server("IP:127.0.0.1")
    );
    const auto first = fixture.start_read(server.endpoint(), select_request());
    fixture.run_calls();
    const auto second = fixture.start_read(server.endpoint(), select_request());
    fixture.run(server);
    BOOST_TEST(first->value().evidence.reply_complete);
    BOOST_TEST(second->value().evidence.reply_complete);
    BOOST_TEST(server.accepted() == 1u);
}

BOOST_AUTO_TEST_CASE(a_large_reply_over_tls) {
    LoopFixture fixture;
    fixture.transport(trusting());
    std::string body = "[\"a\"]\n[\"String\"]\n";
    while (body.size() < 3'000'000) {
        body += "[\"" + std::string(1'000, 'x') + "\"]\n";
    }
    ScriptedServer server(
        fixture.loop,
        {{read_request(), send(chunked_reply(200, {body}))}},
        certificates.server("IP:127.0.0.1")
    );
    const auto exchange = fixture.read(server, select_request());
    BOOST_TEST(exchange.evidence.reply_complete);
    const auto came = successful_body(exchange);
    BOOST_REQUIRE(came.has_value());
    BOOST_TEST((*came == body));
}

BOOST_AUTO_TEST_CASE(a_reply_before_the_request_is_seen_through_tls) {
    LoopFixture fixture;
    Arrivals arrivals;
    auto& transport = fixture.transport(trusting(), arrivals.factory());
    ScriptedServer server(fixture.loop, {{send(reply(200, ""))}}, certificates.server("IP:127.0.0.1"));
    const auto result =
        fixture.start(mutate_after_arrival(transport, arrivals, server.endpoint(), insert_request()));
    fixture.run(server);
    BOOST_TEST((result->value().evidence.error == TransportError::unsolicited_reply));
    BOOST_TEST(result->value().evidence.bytes_handed_over == 0u);
    BOOST_TEST(transport.sends() == 0u);
}

BOOST_AUTO_TEST_CASE(files_that_are_wrong) {
    const std::string missing = certificates.ca_file() + ".missing";
    const std::string garbage = certificates.ca_file() + ".garbage";
    std::ofstream(garbage) << "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

    struct Row {
        const char* what;
        http::TlsOptions options;
        const char* names; ///< part of the message
    };

    std::vector<Row> rows(7);
    rows[0].what = "missing CA";
    rows[0].options.ca_file = missing;
    rows[0].names = "ca.pem.missing";
    rows[1].what = "garbage CA";
    rows[1].options.ca_file = garbage;
    rows[1].names = "ca.pem.garbage";
    rows[2].what = "certificate without key";
    rows[2].options.cert_file = certificates.client_certificate_file();
    rows[2].names = "together";
    rows[3].what = "key without certificate";
    rows[3].options.key_file = certificates.client_key_file();
    rows[3].names = "together";
    rows[4].what = "key of another certificate";
    rows[4].options.cert_file = certificates.ca_file();
    rows[4].options.key_file = certificates.client_key_file();
    rows[4].names = "client.key";
    rows[5].what = "encrypted key";
    rows[5].options.cert_file = certificates.client_certificate_file();
    rows[5].options.key_file = certificates.encrypted_key_file();
    rows[5].names = "encrypted.key";
    rows[6].what = "missing certificate";
    rows[6].options.cert_file = missing;
    rows[6].options.key_file = certificates.client_key_file();
    rows[6].names = "ca.pem.missing";
    for (const Row& row : rows) {
        BOOST_TEST_CONTEXT(row.what) {
            boost::asio::io_context loop;
            auto options = patient_options();
            options.tls = row.options;
            const auto made = http::make_beast_transport(loop.get_executor(), options);
            BOOST_REQUIRE(!made.has_value());
            BOOST_TEST(made.error().find(row.names) != std::string::npos, made.error());
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace onceswap::test
