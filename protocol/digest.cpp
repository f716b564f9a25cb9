#include "protocol/digest.hpp"

#include "protocol/canonical_json.hpp"
#include "protocol/hex.hpp"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <new>

namespace onceswap::protocol {

std::string sha256_hex(std::string_view bytes) {
    std::array<std::uint8_t, 32> out{};
    unsigned size = 0;
    // The one-call form fails only when memory or the library's own provider is missing.
    if (EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, EVP_sha256(), nullptr) != 1 ||
        size != out.size())
        throw std::bad_alloc();
    return to_hex(out);
}

std::string digest(const boost::json::value& value) {
    return sha256_hex(canonical_json(value));
}

} // namespace onceswap::protocol
