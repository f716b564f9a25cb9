#include "targets.hpp"
#include "tools/cli/raw_options.hpp"

namespace onceswap::fuzz {

/// The first byte chooses the verb; the rest is a configuration file.
void configuration(std::string_view input) {
    const auto verb = static_cast<cli::Verb>(take_byte(input) % 5);
    cli::RawOptions raw;
    const auto read = cli::add_configuration(input, raw);
    if (!read) {
        must(!read.error().empty() && read.error().find('\n') == std::string::npos, "a refusal is one line");
        return;
    }
    const auto options = cli::interpret(verb, raw);
    if (!options) {
        must(!options.error().empty(), "a refusal says why");
        return;
    }
    must(options->verb == verb, "the verb is the one that was asked for");
    must(options->http_port != 0, "a port is never 0");
}

} // namespace onceswap::fuzz
