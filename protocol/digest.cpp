#include "protocol/digest.hpp"

#include "protocol/canonical_json.hpp"
#include "protocol/hex.hpp"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <new>

namespace onceswap::protocol {

namespace {

struct Free {
    void operator()(EVP_MD* algorithm) const { EVP_MD_free(algorithm); }

    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

} // namespace

std::string sha256_hex(std::string_view bytes) {
    // The algorithm is looked up once and the context kept: in OpenSSL 3 both cost more than a short digest.
    static const std::unique_ptr<EVP_MD, Free> algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr));
    static thread_local const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
    std::array<std::uint8_t, 32> out{};
    unsigned size = 0;
    // Fails only when memory or the library's own provider is missing.
    if (!algorithm || !context || EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr) != 1 ||
        EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) != 1 ||
        EVP_DigestFinal_ex(context.get(), out.data(), &size) != 1 || size != out.size())
        throw std::bad_alloc();
    return to_hex(out);
}

std::string digest(const boost::json::value& value) {
    return sha256_hex(canonical_json(value));
}

} // namespace onceswap::protocol
