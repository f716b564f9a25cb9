#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

void add_drifts(std::vector<Scenario>& /*all*/) {}

} // namespace onceswap::acceptance
