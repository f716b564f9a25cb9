#pragma once

#include <string_view>

namespace onceswap::explaining {

/// The page of docs/errors for a stable name, as it was when this program was built. Empty: there is none.
std::string_view error_page(std::string_view stable_name);

} // namespace onceswap::explaining
