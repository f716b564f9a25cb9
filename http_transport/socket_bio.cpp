#include "http_transport/socket_bio.hpp"

#include <cerrno>
#include <memory>
#include <sys/socket.h>

namespace onceswap::http {
namespace {

struct State {
    int descriptor = -1;
    int error = 0;
    std::uint64_t written = 0;
    bool ended = false;
};

State* state_of(BIO* bio) {
    return static_cast<State*>(BIO_get_data(bio));
}

bool worth_another_try(int error) {
    static_assert(EAGAIN == EWOULDBLOCK); // on Linux
    return error == EAGAIN || error == EINTR;
}

int write_bytes(BIO* bio, const char* bytes, std::size_t size, std::size_t* taken) {
    State& state = *state_of(bio);
    BIO_clear_retry_flags(bio);
    const ssize_t sent = ::send(state.descriptor, bytes, size, MSG_NOSIGNAL);
    if (sent < 0) {
        if (worth_another_try(errno)) {
            BIO_set_retry_write(bio);
        } else {
            state.error = errno;
        }
        return 0;
    }
    *taken = static_cast<std::size_t>(sent);
    state.written += *taken;
    return 1;
}

int read_bytes(BIO* bio, char* room, std::size_t size, std::size_t* given) {
    State& state = *state_of(bio);
    BIO_clear_retry_flags(bio);
    const ssize_t got = ::recv(state.descriptor, room, size, 0);
    if (got < 0) {
        if (worth_another_try(errno)) {
            BIO_set_retry_read(bio);
        } else {
            state.error = errno;
        }
        return 0;
    }
    if (got == 0) {
        state.ended = true;
        return 0;
    }
    *given = static_cast<std::size_t>(got);
    return 1;
}

long control(BIO* bio, int command, long, void*) {
    switch (command) {
    case BIO_CTRL_FLUSH:
        return 1;
    case BIO_CTRL_EOF:
        return state_of(bio)->ended ? 1 : 0;
    default:
        return 0;
    }
}

int destroy(BIO* bio) {
    delete state_of(bio);
    BIO_set_data(bio, nullptr);
    return 1;
}

BIO_METHOD* make_method() {
    BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "onceswap socket");
    if (method != nullptr) {
        BIO_meth_set_write_ex(method, write_bytes);
        BIO_meth_set_read_ex(method, read_bytes);
        BIO_meth_set_ctrl(method, control);
        BIO_meth_set_destroy(method, destroy);
    }
    return method;
}

struct FreeMethod {
    void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
};

} // namespace

BIO* new_socket_bio(int descriptor) {
    static const std::unique_ptr<BIO_METHOD, FreeMethod> method(make_method());
    if (!method) {
        return nullptr;
    }
    BIO* const bio = BIO_new(method.get());
    if (bio == nullptr) {
        return nullptr;
    }
    auto state = std::make_unique<State>();
    state->descriptor = descriptor;
    BIO_set_data(bio, state.release());
    BIO_set_init(bio, 1);
    return bio;
}

std::uint64_t bytes_written(BIO* bio) {
    return state_of(bio)->written;
}

int last_errno(BIO* bio) {
    return state_of(bio)->error;
}

} // namespace onceswap::http
