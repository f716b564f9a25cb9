#include "tools/refresh_load/verbs.hpp"

namespace {

using namespace onceswap;

cli::VerbFunction verb_function(cli::Verb verb) {
    switch (verb) {
    case cli::Verb::publish:
        return refresh_load::publish;
    case cli::Verb::stage:
        return refresh_load::stage;
    case cli::Verb::resume:
        return refresh_load::resume;
    case cli::Verb::abandon:
        return refresh_load::abandon;
    case cli::Verb::plan:
        return refresh_load::plan;
    case cli::Verb::retire:
        return refresh_load::retire;
    case cli::Verb::close:
        return refresh_load::close;
    case cli::Verb::orphans:
        return refresh_load::orphans;
    case cli::Verb::watch:
    case cli::Verb::status:
    case cli::Verb::doctor:
    case cli::Verb::explain:
    case cli::Verb::serve:
        break; // reconcile-watch's
    }
    return nullptr;
}

} // namespace

int main(int argc, char** argv) {
    return cli::run_program(cli::Program::refresh_load, argc, argv, verb_function);
}
