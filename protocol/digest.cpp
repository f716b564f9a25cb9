#include "protocol/digest.hpp"

#include "protocol/canonical_json.hpp"
#include "protocol/hex.hpp"

#include <openssl/sha.h>

#include <array>
#include <cstdint>

namespace onceswap::protocol {

std::string sha256_hex(std::string_view bytes) {
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> out{};
    // The one-call form: no provider is looked up and no context allocated, and it cannot fail.
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data());
    return to_hex(out);
}

std::string digest(const boost::json::value& value) {
    return sha256_hex(canonical_json(value));
}

} // namespace onceswap::protocol
