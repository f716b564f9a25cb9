#include "tools/cli/duration.hpp"
#include "tools/cli/member_endpoints.hpp"
#include "tools/cli/option_table.hpp"
#include "tools/cli/raw_options.hpp"
#include "tools/cli/table_name.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace onceswap::cli {

namespace {

using Problem = std::optional<std::string>;

const std::string* value_of(const RawOptions& raw, std::string_view name) {
    const auto found = raw.find(name);
    return found == raw.end() || found->second.empty() ? nullptr : &found->second.back();
}

bool flag(const RawOptions& raw, std::string_view name) {
    const std::string* value = value_of(raw, name);
    return value != nullptr && *value == "true";
}

void take(const RawOptions& raw, std::string_view name, std::string& into) {
    if (const std::string* value = value_of(raw, name))
        into = *value;
}

Problem take_duration(const RawOptions& raw, std::string_view name, std::chrono::milliseconds& into) {
    const std::string* value = value_of(raw, name);
    if (value == nullptr)
        return std::nullopt;
    const auto duration = parse_duration(*value);
    if (!duration)
        return "--" + std::string(name) + ": not a time like 500ms, 10s, 5m or 1h30m, at most 30 days";
    into = *duration;
    return std::nullopt;
}

template <class Number>
Problem take_number(const RawOptions& raw, std::string_view name, std::optional<Number>& into) {
    const std::string* value = value_of(raw, name);
    if (value == nullptr)
        return std::nullopt;
    Number number{};
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
    if (error != std::errc{} || end != value->data() + value->size())
        return "--" + std::string(name) + ": not a number in range";
    into = number;
    return std::nullopt;
}

Problem take_table(const RawOptions& raw, std::string_view name, protocol::TargetName& into) {
    const std::string* value = value_of(raw, name);
    if (value == nullptr)
        return std::nullopt;
    auto table = parse_table_name(*value);
    if (!table)
        return "--" + std::string(name) + ": " + table.error();
    into = *table;
    return std::nullopt;
}

bool is_hex(std::string_view text, std::size_t length) {
    const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return text.size() == length && std::all_of(text.begin(), text.end(), hex);
}

Problem check_values(const RawOptions& raw) {
    for (const auto& [name, values] : raw)
        for (const std::string& value : values)
            if (const auto problem = value_problem(name, value))
                return (name == operand_key ? "the word behind the verb" : "--" + name) + ": " + *problem;
    return std::nullopt;
}

Problem take_where(const RawOptions& raw, Options& options) {
    if (!needs_cluster(options))
        return std::nullopt;
    if (const auto urls = raw.find("url"); urls != raw.end()) {
        for (const std::string& url : urls->second) {
            auto endpoint = http::Endpoint::parse(url);
            if (!endpoint)
                return "--url: " + endpoint.error();
            options.endpoints.push_back(*endpoint);
        }
    }
    if (const auto hosts = raw.find("host"); hosts != raw.end())
        options.hosts = hosts->second;
    options.secure = flag(raw, "secure");
    std::optional<std::uint16_t> port;
    if (auto problem = take_number(raw, "http-port", port))
        return problem;
    if (port == std::uint16_t{0})
        return "--http-port: not a number in range";
    options.http_port = port.value_or(options.secure ? 8443 : 8123);
    for (const std::string& host : options.hosts)
        if (const auto endpoint = endpoint_of_host(options, host); !endpoint)
            return endpoint.error().detail;
    if (!options.endpoints.empty() && !options.hosts.empty())
        return "--url and --host exclude each other";
    if (options.endpoints.empty() && options.hosts.empty())
        return "say where the cluster is: --url once for each member, or --host";
    if (!options.endpoints.empty() && (port || options.secure))
        return "--http-port and --secure belong to --host; a --url says both itself";
    take(raw, "cluster", options.cluster);
    if (options.cluster.empty())
        return "--cluster is missing";
    take(raw, "authority-root", options.authority_root);
    if (!options.authority_root.starts_with("/"))
        return "--authority-root: must begin with /";
    return std::nullopt;
}

Problem take_tables(const RawOptions& raw, Options& options) {
    if (!needs_cluster(options))
        return take_table(raw, "table", options.table);
    options.all = flag(raw, "all");
    const std::string* database = value_of(raw, "database");
    if (options.all) {
        if (database == nullptr || database->empty())
            return "--all needs --database";
        if (value_of(raw, "table") != nullptr)
            return "--all and --table exclude each other";
        options.table.database = *database;
        return std::nullopt;
    }
    if (database != nullptr &&
        (set_of(options.verb) & (for_watch | for_status | for_serve | for_resume)) != 0)
        return "--database belongs to --all";
    if (auto problem = take_table(raw, "table", options.table))
        return problem;
    if (options.table.table.empty())
        return "--table is missing";
    return take_table(raw, "like", options.like);
}

void take_identity(const RawOptions& raw, Options& options) {
    take(raw, "user", options.user);
    take(raw, "password-file", options.password_file);
    options.password_prompt = flag(raw, "password-prompt");
    options.readonly_user = flag(raw, "readonly-user");
    take(raw, "ca", options.ca_file);
    take(raw, "cert", options.cert_file);
    take(raw, "key", options.key_file);
    take(raw, "server-name", options.server_name);
    options.insecure = flag(raw, "insecure");
}

Problem check_identity(const Options& options) {
    if (options.password_prompt && !options.password_file.empty())
        return "--password-prompt and --password-file exclude each other";
    if (options.password_prompt && options.from == "-")
        return "--password-prompt cannot be used while the rows come from standard input";
    if (options.cert_file.empty() != options.key_file.empty())
        return "--cert and --key belong together";
    if (options.insecure && !options.ca_file.empty())
        return "--insecure and --ca exclude each other";
    return std::nullopt;
}

Problem take_times(const RawOptions& raw, Options& options) {
    const bool serves = options.verb == Verb::resume && flag(raw, "watch");
    const bool unlimited = serves || (set_of(options.verb) & (for_publish | for_stage | for_serve)) != 0;
    options.timeout = unlimited ? std::chrono::milliseconds(0) : std::chrono::minutes(10);
    for (auto [name, into] :
         {std::pair<std::string_view, std::chrono::milliseconds*>{"timeout", &options.timeout},
          {"connect-timeout", &options.connect_timeout},
          {"read-timeout", &options.read_timeout},
          {"interval", &options.interval},
          {"grace", &options.grace},
          {"on-verdict-timeout", &options.on_verdict_timeout}}) {
        if (auto problem = take_duration(raw, name, *into))
            return problem;
    }
    if (options.connect_timeout.count() == 0 || options.read_timeout.count() == 0)
        return "--connect-timeout and --read-timeout cannot be 0";
    if (options.on_verdict_timeout.count() == 0)
        return "--on-verdict-timeout cannot be 0";
    if (options.interval < std::chrono::seconds(1))
        return "--interval: at least 1s";
    return std::nullopt;
}

Problem take_load(const RawOptions& raw, Options& options) {
    constexpr std::size_t longest_invocation_id = 256;
    take(raw, "from", options.from);
    take(raw, "invocation-id", options.invocation_id);
    take(raw, "plan-digest", options.plan_digest);
    options.execute = flag(raw, "execute");
    options.cleanup = !flag(raw, "no-cleanup");
    if (options.execute && flag(raw, "dry-run"))
        return "--execute and --dry-run exclude each other";
    if (auto problem = take_table(raw, "adopt", options.adopt))
        return problem;
    const bool adopts = !options.adopt.table.empty();
    if (adopts && !options.from.empty())
        return "--adopt and --from exclude each other";
    if (adopts && options.adopt.database != options.table.database)
        return "--adopt: must be in the target's database";
    if (adopts && !options.like.table.empty())
        return "--adopt and --like exclude each other";
    options.accept_lost_authority = flag(raw, "accept-lost-authority");
    options.allow_view_depends = flag(raw, "allow-view-depends");
    options.keep_predecessor = flag(raw, "keep-predecessor");
    options.keep_watching = flag(raw, "watch");
    if (options.verb == Verb::resume && options.all && !options.keep_watching)
        return "--all belongs to --watch";
    if (options.keep_watching && options.all && !options.execute)
        return "resume --watch --all does nothing without --execute; to look, use `reconcile-watch status "
               "--all`";
    take(raw, "on-verdict", options.on_verdict);
    take(raw, "demo-fault", options.demo_fault);
    if (!options.demo_fault.empty() && !options.demo)
        return "--demo-fault belongs to --demo";
    if (options.verb == Verb::publish && options.from.empty() && options.invocation_id.empty() &&
        !options.demo)
        return "--from is missing: the file with the rows, or `-`; without it --invocation-id, of what "
               "`stage` has staged";
    if (options.verb == Verb::stage && options.from.empty() && !adopts && !options.demo)
        return "--from is missing: the file with the rows, or `-`; or --adopt an existing table";
    if (options.verb == Verb::close && !options.keep_predecessor)
        return "close needs --keep-predecessor: it is the only end it has";
    const std::string* invocation_id = value_of(raw, "invocation-id");
    if (invocation_id != nullptr && (invocation_id->empty() || invocation_id->size() > longest_invocation_id))
        return "--invocation-id: must have 1 to 256 bytes";
    if (!options.plan_digest.empty() && !is_hex(options.plan_digest, 64))
        return "--plan-digest: not 64 lower-case hex digits";
    return std::nullopt;
}

Problem take_pins(const RawOptions& raw, Options& options) {
    take(raw, "operation", options.operation);
    if (!options.operation.empty() && !is_hex(options.operation, 64))
        return "--operation: not 64 lower-case hex digits; take the id that `reconcile-watch status` prints";
    if (auto problem = take_number(raw, "version", options.version))
        return problem;
    if (options.version && *options.version < 0)
        return "--version: not a number in range";
    if (auto problem = take_number(raw, "epoch", options.epoch))
        return problem;
    const bool commands = (set_of(options.verb) & (for_abandon | for_retire | for_close | for_orphans)) != 0;
    if (commands && options.execute && (options.operation.empty() || !options.version))
        return std::string(text(options.verb)) +
               " --execute needs --operation and --version, as `reconcile-watch status` prints them";
    if (options.all && (!options.operation.empty() || options.epoch))
        return "--operation and --epoch need one --table";
    return std::nullopt;
}

Problem take_operand(const RawOptions& raw, Options& options) {
    take(raw, operand_key, options.operand);
    take(raw, "name", options.name);
    if (options.verb == Verb::orphans) {
        if (options.operand != "list" && options.operand != "drop")
            return "orphans: say `list` or `drop`";
        if (options.operand == "drop" && options.name.empty())
            return "orphans drop: --name is missing: the table, as `orphans list` prints it";
        if (options.operand == "list" && (options.execute || !options.name.empty()))
            return "--name and --execute belong to `orphans drop`";
    }
    return std::nullopt;
}

Problem take_serving(const RawOptions& raw, Options& options) {
    options.listen = "127.0.0.1:9466";
    take(raw, "listen", options.listen);
    take(raw, "bearer-token-file", options.bearer_token_file);
    if (const auto names = raw.find("allow-host"); names != raw.end())
        options.allowed_hosts = names->second;
    return options.listen.empty() ? Problem("--listen: not ADDRESS:PORT") : std::nullopt;
}

Problem take_output(const RawOptions& raw, Options& options) {
    options.json = flag(raw, "json");
    take(raw, "evidence", options.evidence_file);
    take(raw, "metrics-file", options.metrics_file);
    take(raw, "event-log", options.event_log);
    if (options.demo && !options.event_log.empty())
        return "--event-log: a demo has none";
    options.quiet = flag(raw, "quiet");
    options.verbose = flag(raw, "verbose");
    if (options.quiet && options.verbose)
        return "--quiet and --verbose exclude each other";
    if (const std::string* color = value_of(raw, "color")) {
        if (*color == "always")
            options.color = ColorChoice::always;
        else if (*color == "never")
            options.color = ColorChoice::never;
        else if (*color != "auto")
            return "--color: not auto, always or never";
    }
    return std::nullopt;
}

} // namespace

boost::system::result<Options, std::string> interpret(Verb verb, const RawOptions& raw) {
    Options options;
    options.verb = verb;
    options.authority_root = protocol::default_authority_root;
    take_identity(raw, options);
    options.demo = flag(raw, "demo");
    if (auto problem = check_values(raw))
        return *problem;
    for (const auto step :
         {take_where, take_tables, take_operand, take_times, take_load, take_pins, take_serving, take_output
         }) {
        if (auto problem = step(raw, options))
            return *problem;
    }
    if (auto problem = check_identity(options))
        return *problem;
    return options;
}

std::optional<std::string> value_problem(std::string_view option, std::string_view value) {
    constexpr std::size_t longest = 4096;
    if (value.empty())
        return "is empty";
    if (value.size() > longest)
        return "longer than 4096 bytes";
    const bool has_lines = option == "on-verdict"; // a script
    const auto is_control = [has_lines](unsigned char c) {
        return c == 0x7f || (c < 0x20 && !(has_lines && (c == '\n' || c == '\t')));
    };
    if (std::any_of(value.begin(), value.end(), is_control))
        return "has a control character";
    return std::nullopt;
}

boost::system::result<bool, std::string> parse_flag(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower == "1" || lower == "true" || lower == "yes" || lower == "on")
        return true;
    if (lower == "0" || lower == "false" || lower == "no" || lower == "off")
        return false;
    return std::string("not true or false");
}

} // namespace onceswap::cli
