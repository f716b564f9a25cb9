#pragma once

#include "http_transport/endpoint.hpp"
#include "protocol/error_code.hpp"
#include "protocol/names.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceswap::cli {

enum class Program { refresh_load, reconcile_watch };
std::string_view text(Program program); ///< the binary's name

enum class Verb {
    // both programs
    plan,
    // refresh-load
    stage,
    publish,
    resume,
    abandon,
    retire,
    close,
    orphans,
    // reconcile-watch
    watch,
    status,
    doctor,
    explain,
    serve,
};
std::string_view text(Verb verb);

/// Where an option was said that no flag said: `ONCESWAP_TIMEOUT`, or the configuration file and the key.
using Sources = std::map<std::string, std::string, std::less<>>;

/// A message that begins with `--option:` or names options, naming where each of them was said.
std::string with_sources(std::string message, const Sources& sources);

enum class ColorChoice { automatic, always, never };

/// Everything that a user can say, after defaults: flag over ONCESWAP_* variable over --config file over
/// default. Consistent: what a verb needs is there, nothing contradicts. Holds no secret.
struct Options {
    Options() = default;

    Verb verb = Verb::status;
    Sources sources;
    std::string operand; ///< the word behind the verb: explain's CODE, `list` or `drop` of orphans

    // which cluster and table
    std::vector<http::Endpoint> endpoints; ///< --url, one per member; empty: derive from `hosts`
    std::vector<std::string> hosts;
    std::uint16_t http_port = 0; ///< of every member; 0 never after parsing
    bool secure = false;
    std::string cluster;
    protocol::TargetName table; ///< both empty only with `all`
    protocol::TargetName like;  ///< both empty: the target
    bool all = false;           ///< every slot of `table.database`
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
    std::chrono::milliseconds interval{5'000}; ///< between passes, before jitter; at least 1 s

    // what to load
    std::string from;           ///< path, `-` for standard input
    std::string invocation_id;  ///< empty: to be made up
    std::string plan_digest;    ///< empty: to be computed
    protocol::TargetName adopt; ///< stage: an existing table that becomes the candidate; else both empty
    bool execute = false;
    bool cleanup = true;
    bool accept_lost_authority = false;
    bool allow_view_depends = false; ///< the one hazard that refuses
    bool keep_predecessor = false;
    bool keep_watching = false; ///< resume --watch
    std::string on_verdict;     ///< a command for /bin/sh; gets the report on standard input
    std::chrono::milliseconds on_verdict_timeout{30'000}; ///< then it is ended
    std::string name;                                     ///< orphans: of the table
    bool demo = false; ///< the embedded simulated cluster; nothing of the network is needed
    std::string demo_fault;

    // how to serve
    std::string listen; ///< ADDRESS:PORT
    std::string bearer_token_file;
    std::vector<std::string> allowed_hosts; ///< names beside addresses that readers may use

    // pins of an operator's command
    std::string operation;
    std::optional<std::int32_t> version;
    std::optional<std::uint64_t> epoch;

    // what to print
    bool json = false;
    std::string evidence_file;
    std::string metrics_file;
    std::string event_log;
    ColorChoice color = ColorChoice::automatic;
    bool quiet = false;
    bool verbose = false;
};

/// Whether the verb talks to a cluster: --url or --host, --cluster and a target are then required.
bool needs_cluster(const Options& options);

} // namespace onceswap::cli
