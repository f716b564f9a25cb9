#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

std::vector<Scenario> all_scenarios() {
    std::vector<Scenario> all;
    add_publications(all);
    add_lost_answers(all);
    add_workers(all);
    add_clients(all);
    add_duplicates(all);
    add_cleanups(all);
    add_drifts(all);
    return all;
}

} // namespace onceswap::acceptance
