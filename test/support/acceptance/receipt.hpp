#pragma once

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::acceptance {

enum class Result { passed, skipped, failed };
std::string_view text(Result result);

/// What came of one scenario on one fixture.
struct Row {
    Row() = default;
    std::string scenario;
    Result result = Result::passed;
    std::string reason; ///< of skipped and failed
    /// How often each member executed a publishing statement; nullopt: skipped, or it cannot be known.
    std::optional<std::vector<std::int64_t>> executed;
    std::vector<std::string> evidence; ///< file names
    std::chrono::milliseconds took{};
};

/// The receipt of one run on one fixture; its shape is docs/acceptance-receipt.schema.json.
struct Receipt {
    Receipt() = default;
    std::string commit;
    std::string fixture;
    std::string begun_at; ///< RFC 3339, UTC
    boost::json::object versions;
    std::vector<Row> rows;
    bool whole = false; ///< every scenario had its turn

    std::size_t count(Result result) const;
    boost::json::object to_json() const;
};

/// Scenario x fixture, and what was skipped or failed, by name with the reason.
std::string matrix(const std::vector<Receipt>& receipts);

/// Written whole or not at all. Throws std::runtime_error.
void write_file(const std::string& path, const std::string& content);

} // namespace onceswap::acceptance
