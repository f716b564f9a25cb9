#include "tools/reconcile_watch/doctor.hpp"
#include "tools/reconcile_watch/explain.hpp"
#include "tools/reconcile_watch/plan.hpp"
#include "tools/reconcile_watch/serve.hpp"
#include "tools/reconcile_watch/status.hpp"
#include "tools/reconcile_watch/watch.hpp"

namespace {

using namespace onceswap;

cli::VerbFunction verb_function(cli::Verb verb) {
    switch (verb) {
    case cli::Verb::status:
        return reconcile_watch::status;
    case cli::Verb::serve:
        return reconcile_watch::serve;
    case cli::Verb::watch:
        return reconcile_watch::watch;
    case cli::Verb::explain:
        return reconcile_watch::explain;
    case cli::Verb::doctor:
        return reconcile_watch::doctor;
    case cli::Verb::plan:
        return reconcile_watch::plan;
    case cli::Verb::stage:
    case cli::Verb::publish:
    case cli::Verb::resume:
    case cli::Verb::abandon:
    case cli::Verb::retire:
    case cli::Verb::close:
    case cli::Verb::orphans:
        break; // refresh-load's
    }
    return nullptr;
}

} // namespace

int main(int argc, char** argv) {
    return cli::run_program(cli::Program::reconcile_watch, argc, argv, verb_function);
}
