#pragma once

#include "http_transport/credentials.hpp"
#include "tools/cli/options.hpp"

#include <boost/system/result.hpp>

#include <string>

namespace onceswap::cli {

/// The user's credentials: from --password-file, else from the terminal with --password-prompt, else from the
/// variable ONCESWAP_PASSWORD (taken out of the environment when it was read), else none. Error: one line
/// without any secret.
boost::system::result<http::Credentials, std::string> find_credentials(const Options& options);

} // namespace onceswap::cli
