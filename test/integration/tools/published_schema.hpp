#pragma once

#include <string>
#include <string_view>

namespace onceswap::testing {

/// Checks documents, one a line, against a schema of docs/cli with python3-jsonschema, which knows nothing of
/// us. Empty: all are valid; else the first problems.
std::string published_schema_problems(std::string_view schema, const std::string& documents);

} // namespace onceswap::testing
