#include "fixtures/sim/parser.hpp"
#include "fixtures/sim/server_error.hpp"
#include "targets.hpp"

namespace onceswap::fuzz {

/// The input is a statement to the simulated server, which answers anything that it does not know with an
/// error.
void sim_statement(std::string_view input) {
    try {
        sim::parse_statement(input);
        must(sim::statement_length(input) <= input.size(), "a statement is not longer than its text");
    } catch (const sim::ServerError& refused) {
        must(refused.code != 0 && !refused.message.empty(), "a refusal has a code and a text");
    }
}

} // namespace onceswap::fuzz
