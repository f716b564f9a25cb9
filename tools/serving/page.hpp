#pragma once

#include <memory>
#include <string>

namespace onceswap::serving {

struct Page {
    std::shared_ptr<const std::string> body;
    /// Content-Security-Policy: exactly this style and this script, requests to here only, nothing else.
    std::string policy;
};

/// The one page, from tools/serving/page/*: style and script stand inside, so that it asks for nothing but
/// /api/status. Holds no data.
Page make_page();

} // namespace onceswap::serving
