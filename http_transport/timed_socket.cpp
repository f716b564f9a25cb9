#include "http_transport/timed_socket.hpp"

namespace onceswap::http {

void TimedSocket::arm(std::chrono::steady_clock::time_point instant) {
    ++armed_;
    instant_ = instant;
    expired_ = std::chrono::steady_clock::now() >= instant;
    if (expired_) {
        timer_.cancel();
        return;
    }
    timer_.expires_at(instant);
    timer_.async_wait([self = shared_from_this(), mine = armed_](const boost::system::error_code& error) {
        if (error || mine != self->armed_) {
            return;
        }
        self->expired_ = true;
        boost::system::error_code ignored;
        self->socket.cancel(ignored);
    });
}

void TimedSocket::disarm() {
    ++armed_;
    instant_ = std::chrono::steady_clock::time_point::max();
    expired_ = false;
    timer_.cancel();
}

bool TimedSocket::expired() {
    expired_ = expired_ || std::chrono::steady_clock::now() >= instant_;
    return expired_;
}

} // namespace onceswap::http
