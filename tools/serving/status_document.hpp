#pragma once

#include "tools/serving/slot_board.hpp"

#include <boost/json/object.hpp>

namespace onceswap::serving {

/// What `/api/status` answers; docs/cli/serve.schema.json describes it. A function of the board alone: two of
/// one revision are equal.
boost::json::object status_document(const SlotBoard& board);

} // namespace onceswap::serving
