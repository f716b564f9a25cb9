#include "http_transport/request_target.hpp"

#include <boost/url/encode.hpp>
#include <boost/url/grammar/string_token.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace onceswap::http {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// Neither is a setting for a user with readonly=1, so they are sent on every call.
constexpr std::string_view always =
    "wait_end_of_query=1&default_format=JSONCompactEachRowWithNamesAndTypes&query_id=";
/// For the question which version it is: also servers without the other format must understand it.
constexpr std::string_view of_any_version = "wait_end_of_query=1&default_format=TabSeparated&query_id=";

/// What the outcome rules rely on: the real status, no early header, no exception in the output format, plain
/// bytes.
constexpr std::array<Pair, 5> settings_of_every_call{{
    {"send_progress_in_http_headers", "0"},
    {"http_write_exception_in_output_format", "0"},
    {"enable_http_compression", "0"},
    {"output_format_json_quote_64bit_integers", "1"},
    {"output_format_json_validate_utf8", "1"},
}};

/// A shard that does not answer must be an error, never a shorter answer.
constexpr Pair setting_of_reads{"skip_unavailable_shards", "0"};

boost::system::result<std::string, std::string> refused(std::string why) {
    return {boost::system::in_place_error, std::move(why)};
}

void append_encoded(std::string& target, std::string_view value) {
    boost::urls::encode(
        value, boost::urls::unreserved_chars, {}, boost::urls::grammar::string_token::append_to(target)
    );
}

void append_setting(std::string& target, std::string_view name, std::string_view value) {
    target += '&';
    append_encoded(target, name);
    target += '=';
    append_encoded(target, value);
}

bool states(const protocol::Settings& settings, std::string_view name) {
    return std::ranges::any_of(settings, [name](const auto& setting) { return setting.first == name; });
}

} // namespace

boost::system::result<std::string, std::string> request_target(
    const Endpoint& endpoint, const Request& request, std::string_view query_id, bool readonly_user
) {
    const protocol::Statement& statement = request.statement;
    if (query_id.empty()) {
        return refused("the request has no query_id");
    }
    const bool mutation = protocol::is_mutation(statement.kind);
    if (readonly_user && (mutation || statement.kind == protocol::StatementKind::settings_probe)) {
        return refused("a readonly user's transport sends no statement that depends on its settings");
    }
    std::size_t raw_bytes = query_id.size();
    for (const auto& [name, value] : statement.settings) {
        if (name.empty()) {
            return refused("the statement has a setting without a name");
        }
        raw_bytes += name.size() + value.size();
    }
    if (raw_bytes > max_target_bytes) {
        return refused("the settings are longer than 1 MiB");
    }

    std::string target;
    target.reserve(endpoint.prefix().size() + 512 + raw_bytes);
    target += endpoint.prefix();
    target += "/?";
    const bool for_any_version = statement.kind == protocol::StatementKind::version;
    target += for_any_version ? of_any_version : always;
    append_encoded(target, query_id);
    if (!readonly_user && !protocol::is_without_settings(statement.kind)) {
        for (const auto& [name, value] : settings_of_every_call) {
            if (!states(statement.settings, name)) {
                append_setting(target, name, value);
            }
        }
        if (!mutation && !states(statement.settings, setting_of_reads.first)) {
            append_setting(target, setting_of_reads.first, setting_of_reads.second);
        }
        for (const auto& [name, value] : statement.settings) {
            append_setting(target, name, value);
        }
    }
    if (target.size() > max_target_bytes) {
        return refused("the request target is longer than 1 MiB");
    }
    return {boost::system::in_place_value, std::move(target)};
}

} // namespace onceswap::http
