#include "tools/reconcile_watch/status.hpp"

namespace {

using namespace onceswap;

cli::VerbFunction verb_function(cli::Verb verb) {
    return verb == cli::Verb::status ? reconcile_watch::status : nullptr;
}

} // namespace

int main(int argc, char** argv) {
    return cli::run_program(cli::Program::reconcile_watch, argc, argv, verb_function);
}
