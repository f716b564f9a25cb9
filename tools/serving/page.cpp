#include "tools/serving/page.hpp"

#include "tools/serving/page_sources.hpp"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace onceswap::serving {

namespace {

/// `'sha256-...'` of an inline element's text.
std::string source_hash(std::string_view text) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    ::SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    std::array<unsigned char, 64> encoded{};
    const int size = ::EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(digest.size()));
    const std::string base64(encoded.begin(), encoded.begin() + size);
    return "'sha256-" + base64 + "'";
}

void put(std::string& html, std::string_view place, std::string_view text) {
    const auto at = html.find(place);
    if (at == std::string::npos)
        throw std::logic_error("the page has no place for " + std::string(place));
    html.replace(at, place.size(), text);
}

} // namespace

Page make_page() {
    std::string html(page_html);
    put(html, "/*style*/", page_style);
    put(html, "/*script*/", page_script);
    Page page;
    page.policy =
        "default-src 'none'; style-src " + source_hash(page_style) + "; script-src " +
        source_hash(page_script) +
        "; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    page.body = std::make_shared<const std::string>(std::move(html));
    return page;
}

} // namespace onceswap::serving
