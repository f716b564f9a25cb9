#pragma once

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace onceswap::cli {

/// Writes a whole file with mode 0600 or not at all: a temporary file in the same directory, fsync, rename. A
/// file of that name is replaced. Error: one line that names the file.
boost::system::result<void, std::string>
write_evidence_file(const std::string& path, std::string_view content);

/// Whether a file of that name could be written: its folder is there and can be written to, and the name is
/// no folder's. Error: one line that names the file.
boost::system::result<void, std::string> check_can_be_written(const std::string& path);

/// write_evidence_file with mode 0644 and no fsync: a collector of another user reads it, and it is written
/// anew after every pass.
boost::system::result<void, std::string>
write_metrics_file(const std::string& path, std::string_view content);

} // namespace onceswap::cli
