#pragma once

#include "tools/ndjson/byte_source.hpp"

#include <memory>
#include <string>

namespace onceswap::ndjson {

/// Gives out what `inner` holds: plain bytes as they are, gzip (recognized by its first two bytes, not by a
/// name) unpacked, several members one after another included. A member that is cut short, corrupt or
/// followed by anything but another member or zero bytes is input_malformed with the byte of the packed file.
/// Memory: 128 KiB and zlib's window, whatever the ratio. `inner` must outlive the result.
std::unique_ptr<ByteSource> make_unpacking_source(ByteSource& inner, std::string name);

} // namespace onceswap::ndjson
