#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

void add_cleanups(std::vector<Scenario>& /*all*/) {}

} // namespace onceswap::acceptance
