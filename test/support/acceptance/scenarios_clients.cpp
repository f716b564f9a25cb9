#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

void add_clients(std::vector<Scenario>& /*all*/) {}

} // namespace onceswap::acceptance
