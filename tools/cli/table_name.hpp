#pragma once

#include "protocol/names.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace onceswap::cli {

/// `db.table`, either part in back-quotes where it holds a dot (`` `my.db`.t ``). Error: what is wrong, for
/// one line.
boost::system::result<protocol::TargetName, std::string> parse_table_name(std::string_view text);

/// `db.table`, quoted where parse_table_name needs it.
std::string text(const protocol::TargetName& name);

} // namespace onceswap::cli
