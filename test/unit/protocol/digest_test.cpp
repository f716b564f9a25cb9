#include "protocol/digest.hpp"
#include "protocol/failure.hpp"

#include <boost/json/parse.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

using namespace onceswap::protocol;

BOOST_AUTO_TEST_SUITE(digests)

BOOST_AUTO_TEST_CASE(known_answers_of_fips_180) {
    BOOST_TEST(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    BOOST_TEST(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    BOOST_TEST(
        sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    );
    BOOST_TEST(
        sha256_hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    );
    BOOST_TEST(sha256_hex(std::string_view("\0", 1)) != sha256_hex(""));
}

BOOST_AUTO_TEST_CASE(a_values_digest_is_that_of_its_canonical_text) {
    BOOST_TEST(
        digest(boost::json::parse(R"( { "b" : 1, "a" : [ true ] } )")) == sha256_hex(R"({"a":[true],"b":1})")
    );
    BOOST_TEST(digest(boost::json::parse("[]")) == sha256_hex("[]"));
    BOOST_TEST(digest(boost::json::parse("{}")) != digest(boost::json::parse("[]")));
}

BOOST_AUTO_TEST_CASE(a_failure_that_is_not_looked_at_throws_with_its_code_and_detail) {
    const Result<int> failed = Failure(Code::authority_invalid, "phase: not a phase");
    try {
        static_cast<void>(failed.value());
        BOOST_FAIL("nothing was thrown");
    } catch (const boost::system::system_error& error) {
        BOOST_TEST((error.code() == make_error_code(Code::authority_invalid)));
        BOOST_TEST(std::string(error.what()).find("phase: not a phase") != std::string::npos);
    }
}

BOOST_AUTO_TEST_SUITE_END()
