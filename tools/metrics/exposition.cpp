#include "tools/metrics/exposition.hpp"

#include "protocol/utf8.hpp"

namespace onceswap::metrics {

namespace {

constexpr std::size_t longest_label = 256;

std::string escaped(std::string_view value) {
    std::string out;
    for (const char c : protocol::printable_head(value, longest_label)) {
        if (c == '\\' || c == '"')
            out += '\\';
        out += c;
    }
    return out;
}

} // namespace

void Exposition::family(std::string_view name, Type type, std::string_view help) {
    name_ = name;
    text_ += "# HELP " + name_ + " " + std::string(help) + "\n";
    text_ += "# TYPE " + name_ + (type == Type::counter ? " counter\n" : " gauge\n");
}

void Exposition::sample(const Labels& labels, std::uint64_t value) {
    sample_text(labels, std::to_string(value));
}

void Exposition::sample(const Labels& labels, std::int64_t value) {
    sample_text(labels, std::to_string(value));
}

void Exposition::sample_text(const Labels& labels, const std::string& value) {
    text_ += name_;
    bool first = true;
    for (const auto& [name, text] : labels) {
        text_ += first ? "{" : ",";
        first = false;
        text_ += std::string(name) + "=\"" + escaped(text) + "\"";
    }
    text_ += (first ? " " : "} ") + value + "\n";
}

} // namespace onceswap::metrics
