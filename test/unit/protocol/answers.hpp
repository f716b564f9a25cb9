#pragma once

#include "protocol/row_decoding.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

// The files under answers/ are what ClickHouse 26.7 answered to our statements about tables made for this.
// Two things are put in: a server UUID and a host name, because that engine ran embedded and has neither.
// `_bare` are the same with output_format_json_quote_64bit_integers=0 and
// output_format_json_named_tuples_as_objects=0.

namespace answers {

using namespace onceswap::protocol;

inline const Uuid server = *Uuid::parse("8a3f0c52-6d1e-4b7a-9c40-1f2e3d4c5b6a");

inline std::string answer(const std::string& name) {
    std::ifstream file(ONCESWAP_SOURCE_DIR "/test/unit/protocol/answers/" + name + ".txt", std::ios::binary);
    BOOST_REQUIRE_MESSAGE(file.good(), name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// The body with the first `from` after `after` replaced; the text must be there.
inline std::string with(
    std::string body, std::string_view from, std::string_view to, std::string_view after = std::string_view()
) {
    const auto start = body.find(after);
    BOOST_REQUIRE_MESSAGE(start != std::string::npos, after);
    const auto at = body.find(from, start);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, from);
    return body.replace(at, from.size(), to);
}

template <class T>
T decoded(const Result<T>& result) {
    const std::string problem = result.has_error() ? result.error().detail : std::string();
    BOOST_REQUIRE_MESSAGE(result.has_value(), problem);
    return *result;
}

using Decoder = std::function<std::optional<Failure>(std::string_view)>;

template <class T>
Decoder failure_of(Result<T> (*decode)(std::string_view)) {
    return [decode](std::string_view body) -> std::optional<Failure> {
        const auto result = decode(body);
        if (result.has_value())
            return std::nullopt;
        return result.error();
    };
}

inline void refuses(
    const Decoder& decode, Code code, const std::string& body, std::string_view detail, std::string_view name
) {
    BOOST_TEST_CONTEXT(name) {
        const auto failure = decode(body);
        BOOST_REQUIRE_MESSAGE(failure.has_value(), "was decoded: " << body);
        BOOST_TEST((failure->code == code));
        BOOST_TEST(failure->detail.find(detail) != std::string::npos, failure->detail);
    }
}

/// One row per answer of the engine: its file, its decoder, the code of a failure.
inline const struct DecoderRow {
    const char* answer;
    Decoder decode;
    Code code;
    bool one_row;
} decoders[] = {
    {"catalogue", failure_of(decode_catalogue), Code::generation_unknown, true},
    {"keeper", failure_of(decode_keeper), Code::generation_unknown, true},
    {"capabilities", failure_of(decode_capabilities), Code::generation_unknown, true},
    {"authority_row", failure_of(decode_authority), Code::outcome_unknown, true},
    {"queue_by_token", failure_of(decode_queue), Code::queue_unreadable, true},
    {"queue_unfinished", failure_of(decode_queue), Code::queue_unreadable, true},
    {"row_count", failure_of(decode_row_count), Code::generation_unknown, true},
    {"row_policies", failure_of(decode_row_policies), Code::generation_unknown, true},
    {"column_types", failure_of(decode_column_types), Code::generation_unknown, true},
    {"settings_probe", failure_of(decode_identity), Code::generation_unknown, true},
    {"roster", failure_of(decode_roster), Code::generation_unknown, false},
};

} // namespace answers
