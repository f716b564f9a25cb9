#include "protocol/payload_codec.hpp"
#include "protocol/slot_claim.hpp"
#include "record_generator.hpp"

#include <boost/test/unit_test.hpp>

using namespace onceswap::protocol;
using namespace onceswap::testing;

namespace {

AuthorityRow sample() {
    const auto row = encode_record(RecordGenerator(7).record(Phase::dispatching));
    BOOST_REQUIRE(row);
    return *row;
}

struct Row {
    const char* payload;
    const char* table; ///< nullptr: it claims none
    std::size_t members = 0;
};

constexpr Row rows[] = {
    {R"({"database":"db","target":"t"})", "t"},
    {R"({"database":"db","target":"t","members":7})", "t"},
    {R"({"database":"db","target":"t","members":[7,{},{"server_uuid":"no uuid"}]})", "t"},
    {R"({"database":"db","target":"t","members":[
        {"server_uuid":"70486a80-c727-4374-8326-1ab41ecb2c5e","host_name":"ch-1","port":-1}]})",
     "t",
     1},
    {R"({"database":"db","target":7})", nullptr},
    {R"({"database":"","target":"t"})", nullptr},
    {R"({"target":"t"})", nullptr},
    {"{}", nullptr},
    {"[]", nullptr},
    {"not json", nullptr},
    {"", nullptr},
};

} // namespace

BOOST_AUTO_TEST_SUITE(slot_claim)

BOOST_AUTO_TEST_CASE(a_damaged_row_still_names_its_table_and_members) {
    const AuthorityRow whole = sample();
    const auto record = decode_row(whole);
    BOOST_REQUIRE(record);
    AuthorityRow damaged = whole;
    damaged.payload_sha256 = std::string(64, '0');
    damaged.phase = "COMPLETED";
    damaged.dispatch_epoch += 1;
    BOOST_TEST(!decode_row(damaged));
    for (const AuthorityRow& row : {whole, damaged}) {
        const auto claim = claim_of(row);
        BOOST_REQUIRE(claim.has_value());
        BOOST_TEST((claim->target == record->target));
        BOOST_TEST(claim->cluster == record->cluster);
        BOOST_TEST((claim->members.size() == record->members.size()));
        for (std::size_t i = 0; i < claim->members.size(); ++i) {
            BOOST_TEST((claim->members[i].server_uuid == record->members[i].server_uuid));
            BOOST_TEST((claim->members[i].at == record->members[i].at));
        }
    }
}

BOOST_AUTO_TEST_CASE(what_names_no_table_claims_none) {
    for (const Row& row : rows) {
        AuthorityRow shown;
        shown.payload = row.payload;
        const auto claim = claim_of(shown);
        BOOST_TEST_CONTEXT(row.payload) {
            BOOST_TEST(claim.has_value() == (row.table != nullptr));
            if (claim) {
                BOOST_TEST(claim->target.table == row.table);
                BOOST_TEST(claim->members.size() == row.members);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_payload_longer_than_a_records_is_not_read) {
    AuthorityRow shown;
    shown.payload = R"({"database":"db","target":")" + std::string(limits::payload_bytes, 't') + "\"}";
    BOOST_TEST(!claim_of(shown).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
