#pragma once

#include "protocol/digest.hpp"
#include "protocol/payload_codec.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>

namespace onceswap::testing {

/// The row of a record that must encode.
inline protocol::AuthorityRow encoded(const protocol::AuthorityRecord& record) {
    auto row = protocol::encode_record(record);
    BOOST_REQUIRE_MESSAGE(row.has_value(), (row ? std::string() : row.error().detail));
    return *std::move(row);
}

/// The reason why a row does not decode; empty if it does.
inline std::string refusal(const protocol::AuthorityRow& row) {
    const auto record = protocol::decode_row(row);
    if (record)
        return {};
    BOOST_REQUIRE((record.error().code == protocol::Code::authority_invalid));
    BOOST_REQUIRE(!record.error().detail.empty());
    return record.error().detail;
}

/// The row with another payload and that payload's digest: what somebody who knows the format could have
/// written.
inline protocol::AuthorityRow with_payload(protocol::AuthorityRow row, std::string payload) {
    row.payload = std::move(payload);
    row.payload_sha256 = protocol::sha256_hex(row.payload);
    return row;
}

} // namespace onceswap::testing
