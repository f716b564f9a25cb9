#include "protocol/report_comparison.hpp"

#include <boost/json/serialize.hpp>

namespace onceswap::protocol {

std::string without_time(Report report) {
    report.observed_at = 0;
    return boost::json::serialize(to_json(report));
}

} // namespace onceswap::protocol
