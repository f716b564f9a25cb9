#include "http_transport/evidence.hpp"

namespace onceswap::http {

std::string_view text(CallPhase phase) {
    switch (phase) {
    case CallPhase::not_started:
        return "not started";
    case CallPhase::resolve:
        return "resolve";
    case CallPhase::connect:
        return "connect";
    case CallPhase::handshake:
        return "TLS handshake";
    case CallPhase::write:
        return "write";
    case CallPhase::first_byte:
        return "wait for the reply";
    case CallPhase::header:
        return "reply header";
    case CallPhase::body:
        return "reply body";
    case CallPhase::done:
        return "done";
    }
    return "unknown";
}

} // namespace onceswap::http
