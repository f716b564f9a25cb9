#include "targets.hpp"

#include <array>

namespace onceswap::fuzz {

std::span<const Target> targets() {
    static constexpr std::array all{
        Target{"configuration", configuration},
        Target{"endpoint", endpoint},
        Target{"exception_text", exception_text},
        Target{"http_response", http_response},
        Target{"payload_codec", payload_codec},
        Target{"row_decoding", row_decoding},
        Target{"scenario", scenario},
        Target{"sim_statement", sim_statement},
        Target{"statement_parser", statement_parser},
    };
    return all;
}

} // namespace onceswap::fuzz
