#pragma once

#include "http_transport/endpoint.hpp"
#include "protocol/names.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::cli {

enum class Program { refresh_load, reconcile_watch };
std::string_view text(Program program); ///< the binary's name

enum class Verb { publish, resume, abandon, plan, status };
std::string_view text(Verb verb);

enum class ColorChoice { automatic, always, never };

/// Everything that a user can say, after defaults: flag over ONCESWAP_* variable over --config file over
/// default. Consistent: what a verb needs is there, nothing contradicts. Holds no secret.
struct Options {
    Options() = default;

    Verb verb = Verb::status;

    // which cluster and table
    std::vector<http::Endpoint> endpoints; ///< --url, one per member; empty: derive from `host`
    std::string host;
    std::uint16_t http_port = 0; ///< of every member; 0 never after parsing
    bool secure = false;
    std::string cluster;
    protocol::TargetName table; ///< both empty only with `all`
    protocol::TargetName like;  ///< both empty: the target
    bool all = false;           ///< status: every slot of `table.database`
    std::string authority_root;

    // who we are
    std::string user = "default";
    std::string password_file;
    bool password_prompt = false;
    bool readonly_user = false;
    std::string ca_file;
    std::string cert_file;
    std::string key_file;
    std::string server_name;
    bool insecure = false;

    // how long; 0: no limit, where that is allowed
    std::chrono::milliseconds timeout{0};
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds read_timeout{10'000};
    std::chrono::milliseconds grace{0};

    // what to load
    std::string from;          ///< path, `-` for standard input
    std::string invocation_id; ///< empty: to be made up
    std::string plan_digest;   ///< empty: to be computed
    bool execute = false;
    bool cleanup = true;
    bool accept_lost_authority = false;

    // pins of an operator's command
    std::string operation;
    std::optional<std::int32_t> version;
    std::optional<std::uint64_t> epoch;

    // what to print
    bool json = false;
    std::string evidence_file;
    ColorChoice color = ColorChoice::automatic;
    bool quiet = false;
    bool verbose = false;
};

} // namespace onceswap::cli
