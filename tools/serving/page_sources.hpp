#pragma once

#include <string_view>

namespace onceswap::serving {

// The files of tools/serving/page, put into a source of the build by page/embed.cmake.
extern const std::string_view page_html;
extern const std::string_view page_style;
extern const std::string_view page_script;

} // namespace onceswap::serving
