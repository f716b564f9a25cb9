#include "acceptance/interruption.hpp"

#include "acceptance/trial.hpp"

#include <csignal>

namespace onceswap::acceptance {

namespace {

volatile std::sig_atomic_t seen = 0;

extern "C" void note_signal(int signal) {
    seen = signal;
}

} // namespace

void notice_interruptions() {
    struct sigaction action{};
    action.sa_handler = &note_signal;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

int interrupted() {
    return seen;
}

void end_if_interrupted() {
    if (seen != 0)
        throw Interrupted();
}

} // namespace onceswap::acceptance
