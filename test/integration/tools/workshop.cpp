#include "workshop.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

namespace onceswap::testing {

Words operator+(Words left, const Words& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

std::string refresh_load() {
    return std::string(ONCESWAP_BINARY_DIR) + "/refresh-load";
}

std::string reconcile_watch() {
    return std::string(ONCESWAP_BINARY_DIR) + "/reconcile-watch";
}

Workshop::Workshop() {
    std::string pattern = (std::filesystem::temp_directory_path() / "onceswap_tools_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error("mkdtemp");
    directory_ = pattern;
}

Workshop::~Workshop() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::string Workshop::file(const std::string& name, const std::string& content) const {
    std::ofstream(directory_ / name, std::ios::binary) << content;
    return path(name);
}

std::string Workshop::rows(const std::string& name, unsigned count) const {
    std::string text;
    for (unsigned row = 1; row <= count; ++row)
        text += "{\"id\":" + std::to_string(row) + ",\"name\":\"row " + std::to_string(row) + "\"}\n";
    return file(name, text);
}

std::string content_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool whole_tests() {
    return std::getenv("ONCESWAP_TEST_ALL") != nullptr;
}

} // namespace onceswap::testing
