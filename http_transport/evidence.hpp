#pragma once

#include <boost/system/error_code.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace onceswap::http {

/// How far a call came. The order is that of a call.
enum class CallPhase { not_started, resolve, connect, handshake, write, first_byte, header, body, done };
std::string_view text(CallPhase phase);

/// How the end of the reply's body was marked.
enum class Framing { none, content_length, chunked, close_delimited };

/// What was observed of one call, never interpreted here.
struct Evidence {
    CallPhase phase = CallPhase::not_started; ///< the phase that ended or failed the call
    std::uint64_t bytes_handed_over = 0;      ///< request bytes that the kernel took
    bool request_cut = false; ///< not all of the request was handed over: no success can be its answer
    bool any_reply_byte = false;
    bool reply_complete = false; ///< properly framed and whole; close-delimited never is
    Framing framing = Framing::none;
    boost::system::error_code error; ///< what ended the call early; clear on a complete reply
    std::string peer;                ///< the endpoint that was asked, for people
    std::string detail;    ///< for people: which check failed (chain, name, expiry, protocol), which host
    unsigned attempts = 0; ///< connections tried; 1 for every one-shot call that was sent
};

} // namespace onceswap::http
