#include "fixtures/sim/scenario_json.hpp"
#include "targets.hpp"

#include <boost/json/parse.hpp>

namespace onceswap::fuzz {

/// The input is a scenario file.
void scenario(std::string_view input) {
    boost::system::error_code error;
    const boost::json::value document = boost::json::parse(input, error);
    if (error)
        return;
    try {
        sim::scenario_from_json(document);
    } catch (const std::invalid_argument& refused) {
        must(!std::string_view(refused.what()).empty(), "a refusal says why");
    }
}

} // namespace onceswap::fuzz
