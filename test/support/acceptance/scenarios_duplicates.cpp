#include "acceptance/scenario.hpp"

namespace onceswap::acceptance {

void add_duplicates(std::vector<Scenario>& /*all*/) {}

} // namespace onceswap::acceptance
