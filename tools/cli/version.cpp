#include "tools/cli/version.hpp"

#include <boost/version.hpp>

#include <openssl/crypto.h>

namespace onceswap::cli {

std::string version_text(Program program) {
    constexpr unsigned boost = BOOST_VERSION;
    std::string out = std::string(text(program)) + " " + std::string(version()) + "\n";
    out += "commit   " + std::string(commit()) + "\n";
    out += "Boost    " + std::to_string(boost / 100'000) + "." + std::to_string(boost / 100 % 1'000) + "." +
           std::to_string(boost % 100) + "\n";
    out += "OpenSSL  " + std::string(::OpenSSL_version(OPENSSL_VERSION_STRING)) + "\n";
    return out;
}

} // namespace onceswap::cli
