#pragma once

#include <boost/json/array.hpp>

#include <string>

namespace onceswap::demo_cluster {

/// The table of the faults: name, verdict, exit code and what goes wrong, one line each.
std::string fault_list();
boost::json::array fault_list_document();

/// The one line about a name that is not in the table.
std::string no_such_fault(const std::string& name);

} // namespace onceswap::demo_cluster
