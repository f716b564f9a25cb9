#pragma once

#include <openssl/bio.h>

#include <cstdint>

namespace onceswap::http {

/// An OpenSSL BIO over a non-blocking socket that it does not own. Unlike BIO_new_socket it never raises
/// SIGPIPE, since a library must not depend on the program's signal setup. Null when memory is short.
BIO* new_socket_bio(int descriptor);

/// Bytes that the kernel took from this BIO.
std::uint64_t bytes_written(BIO* bio);

/// errno of the last failed read or write; 0 if none failed or the stream just ended.
int last_errno(BIO* bio);

} // namespace onceswap::http
