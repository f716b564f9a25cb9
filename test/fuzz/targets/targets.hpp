#pragma once

#include "target.hpp"

#include <string_view>

namespace onceswap::fuzz {

void configuration(std::string_view input);
void endpoint(std::string_view input);
void exception_text(std::string_view input);
void http_response(std::string_view input);
void payload_codec(std::string_view input);
void row_decoding(std::string_view input);
void scenario(std::string_view input);
void sim_statement(std::string_view input);
void statement_parser(std::string_view input);

} // namespace onceswap::fuzz
