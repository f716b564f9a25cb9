#include "tools/demo_cluster/demo_list.hpp"

#include "tools/demo_cluster/demo_fault.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace onceswap::demo_cluster {

namespace {

std::string padded(std::string_view text, std::size_t width) {
    return std::string(text) + std::string(std::max(width, text.size() + 1) - text.size(), ' ');
}

} // namespace

std::string fault_list() {
    constexpr std::size_t column = 22;
    std::string out = padded("NAME", column) + padded("VERDICT", column) + "EXIT  WHAT GOES WRONG\n";
    for (const DemoFault& fault : demo_faults())
        out += padded(fault.name, column) + padded(protocol::text(fault.word), column) +
               padded(std::to_string(fault.exit_code), 6) + std::string(fault.summary) + "\n";
    return out;
}

boost::json::array fault_list_document() {
    boost::json::array out;
    for (const DemoFault& fault : demo_faults()) {
        boost::json::object one;
        one["name"] = fault.name;
        one["verdict"] = protocol::text(fault.word);
        one["exit_code"] = fault.exit_code;
        one["what"] = fault.summary;
        out.push_back(std::move(one));
    }
    return out;
}

std::string no_such_fault(const std::string& name) {
    std::string out = "--demo-fault: no `" + name + "`; there are ";
    for (const DemoFault& fault : demo_faults())
        out += (&fault == &demo_faults().front() ? "" : ", ") + std::string(fault.name);
    return out;
}

} // namespace onceswap::demo_cluster
