#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace onceswap::testing {

/// What a document violates of a JSON Schema, each as `/path: what`; empty: valid. Knows type, const, enum,
/// pattern, required, properties, additionalProperties, items, $ref into #/$defs; any other keyword with a
/// meaning throws, so that no rule can be overlooked.
std::vector<std::string> violations(const boost::json::value& schema, const boost::json::value& document);

} // namespace onceswap::testing
