#include "tools/cli/option_table.hpp"

#include <array>

namespace onceswap::cli {

namespace {

// Sets of verbs that several options share.
constexpr unsigned loads = for_publish | for_plan | for_stage;
constexpr unsigned admits = loads | for_doctor;
constexpr unsigned all_slots = for_watch | for_status | for_serve | for_resume;
constexpr unsigned repeats = for_watch | for_serve | for_resume;
constexpr unsigned reads = for_watch | for_status | for_doctor | for_serve;
constexpr unsigned operator_commands = for_abandon | for_retire | for_close | for_orphans;
constexpr unsigned pinned = operator_commands | for_status | for_watch;
constexpr unsigned demos = for_publish;

constexpr auto rows = std::to_array<OptionRow>({
    {"url",
     OptionKind::list,
     "URL",
     for_cluster,
     false,
     "HTTP address of one member, http://host:8123 or https://host:8443; once for each member, in any order"},
    {"host",
     OptionKind::list,
     "HOST",
     for_cluster,
     false,
     "One member; all of them are taken from its system.clusters. Given more than once, the first that "
     "answers is believed. Instead of --url"},
    {"http-port",
     OptionKind::value,
     "PORT",
     for_cluster,
     false,
     "HTTP port of every member with --host (8123; with --secure 8443)"},
    {"secure", OptionKind::flag, "", for_cluster, false, "TLS, with --host"},
    {"cluster", OptionKind::value, "NAME", for_cluster, false, "Name of the cluster in system.clusters"},
    {"table", OptionKind::value, "DB.TABLE", for_cluster, false, "The target"},
    {"database", OptionKind::value, "DB", all_slots, false, "With --all: the database whose slots are meant"},
    {"all", OptionKind::flag, "", all_slots, false, "Every slot of --database"},
    {"like",
     OptionKind::value,
     "DB.TABLE",
     admits,
     false,
     "The table whose structure the new generation copies (the target); needed where the target does not "
     "exist"},
    {"from", OptionKind::value, "FILE", loads, false, "The rows: NDJSON, plain or gzip; `-` is standard input"
    },
    {"adopt",
     OptionKind::value,
     "DB.TABLE",
     for_stage,
     true,
     "Instead of --from: an existing table becomes the candidate. It is renamed to a name of ours"},
    {"invocation-id",
     OptionKind::value,
     "ID",
     loads,
     false,
     "The scheduler's id of this run, the same for every try of it (random)"},
    {"plan-digest",
     OptionKind::value,
     "HEX",
     loads,
     false,
     "64 hex digits that say what is loaded (computed from target, --like and the bytes of the file)"},
    {"authority-root",
     OptionKind::value,
     "PATH",
     for_cluster,
     false,
     "Keeper path of the authority records, one per installation (/onceswap/authority/v1)"},
    {"accept-lost-authority",
     OptionKind::flag,
     "",
     admits,
     true,
     "Go on without a record although leftovers of an earlier publication are in sight"},
    {"allow-view-depends",
     OptionKind::flag,
     "",
     admits,
     true,
     "Publish although a materialized view reads from the target: it stays with the table that goes. The "
     "only hazard that refuses; the others warn"},
    {"no-cleanup",
     OptionKind::flag,
     "",
     for_publish,
     false,
     "Stop when the new generation is committed; keep the old one"},
    {"grace",
     OptionKind::value,
     "TIME",
     for_publish | for_resume,
     false,
     "Keep the old generation this long for readers that still use it, before it is dropped (0s)"},
    {"keep-predecessor",
     OptionKind::flag,
     "",
     for_close,
     true,
     "End a committed publication and keep the old generation; what `close` must be told"},
    {"execute",
     OptionKind::flag,
     "",
     for_mutating,
     true,
     "Do it. Without this the verb only says what it would do"},
    {"dry-run",
     OptionKind::flag,
     "",
     for_mutating,
     true,
     "Only say what would be done: the default, for scripts that say it all the same"},
    {"watch",
     OptionKind::flag,
     "",
     for_resume,
     false,
     "Go on as a service: keep what the queue says before it forgets it, and end cleanups when their time "
     "has "
     "come; every --interval, until --timeout (none) or a signal"},
    {"interval",
     OptionKind::value,
     "TIME",
     repeats,
     false,
     "Longest wait between two passes, at least 1s. The first is 1s, they grow, and each is drawn between "
     "half and all of it (5s)"},
    {"on-verdict",
     OptionKind::value,
     "COMMAND",
     for_stage | for_publish | for_resume | for_abandon | for_retire | for_close,
     false,
     "Run by /bin/sh when the verb ends, with the JSON document on standard input and ONCESWAP_VERDICT and "
     "ONCESWAP_EXIT_CODE set. What it does changes nothing of the exit code"},
    {"on-verdict-timeout",
     OptionKind::value,
     "TIME",
     for_stage | for_publish | for_resume | for_abandon | for_retire | for_close,
     false,
     "Then that command is ended (30s)"},
    {"operation",
     OptionKind::value,
     "ID",
     pinned | for_doctor,
     true,
     "The operation that is meant; another one in the slot ends with exit code 7"},
    {"version",
     OptionKind::value,
     "N",
     operator_commands,
     true,
     "The version of the record that `status` printed"},
    {"epoch",
     OptionKind::value,
     "N",
     pinned,
     true,
     "The dispatch epoch that is meant; another one ends with exit code 7"},
    {"name",
     OptionKind::value,
     "TABLE",
     for_orphans,
     true,
     "orphans drop: the table, as `orphans list` prints it"},
    {"listen",
     OptionKind::value,
     "ADDRESS:PORT",
     for_serve,
     false,
     "Where to serve (127.0.0.1:9466); another address than loopback is said on standard error"},
    {"bearer-token-file",
     OptionKind::value,
     "FILE",
     for_serve,
     false,
     "Answer only requests with the token that is the first line of this file, which only you may read"},
    {"allow-host",
     OptionKind::list,
     "NAME",
     for_serve,
     false,
     "A name under which readers may ask, once for each; addresses and localhost are always right. It keeps "
     "pages of other sites from asking through a browser"},
    {"demo",
     OptionKind::flag,
     "",
     demos,
     true,
     "Run against an embedded simulated cluster of three; nothing of the network is used"},
    {"demo-fault",
     OptionKind::value,
     "NAME",
     demos,
     true,
     "With --demo: what goes wrong, so that each verdict can be seen"},
    {"user", OptionKind::value, "NAME", for_cluster, false, "ClickHouse user (default)"},
    {"password-file",
     OptionKind::value,
     "FILE",
     for_cluster,
     false,
     "The password is the first line of this file, which only you may read. Else the variable "
     "ONCESWAP_PASSWORD"},
    {"password-prompt", OptionKind::flag, "", for_cluster, false, "Ask for the password on the terminal"},
    {"readonly-user",
     OptionKind::flag,
     "",
     reads | for_plan,
     false,
     "The user has readonly=1: send no settings (found out by itself with one more request)"},
    {"ca", OptionKind::value, "FILE", for_cluster, false, "Certificates to trust, PEM (the system's)"},
    {"cert", OptionKind::value, "FILE", for_cluster, false, "Client certificate, PEM"},
    {"key", OptionKind::value, "FILE", for_cluster, false, "Its key, PEM"},
    {"server-name",
     OptionKind::value,
     "NAME",
     for_cluster,
     false,
     "The name the servers' certificates must show (the URL's host)"},
    {"insecure", OptionKind::flag, "", for_cluster, false, "Do not verify the servers' certificates"},
    {"timeout",
     OptionKind::value,
     "TIME",
     for_cluster,
     false,
     "Stop waiting after this time; says nothing about the publication (publish, stage and serve 0s = no "
     "limit, others 10m)"},
    {"connect-timeout",
     OptionKind::value,
     "TIME",
     for_cluster,
     false,
     "Resolve, connect and TLS of one call (5s)"},
    {"read-timeout", OptionKind::value, "TIME", for_cluster, false, "One read on one member (10s)"},
    {"json",
     OptionKind::flag,
     "",
     for_all,
     false,
     "JSON on standard output instead of a table: one document, for `watch` one line per change"},
    {"evidence",
     OptionKind::value,
     "FILE",
     for_cluster & ~unsigned(for_serve),
     false,
     "Write the JSON document there too, atomically, mode 0600"},
    {"event-log",
     OptionKind::value,
     "FILE",
     for_cluster,
     false,
     "Append each event of the engine to this file as a line of JSON: passes, mutations with their outcome, "
     "gaps"},
    {"metrics-file",
     OptionKind::value,
     "FILE",
     repeats & ~unsigned(for_serve),
     false,
     "Write metrics in Prometheus' text format there after every pass, atomically, for node_exporter's "
     "textfile collector"},
    {"color", OptionKind::value, "WHEN", for_all, false, "auto, always or never (auto; NO_COLOR is honoured)"
    },
    {"quiet", OptionKind::flag, "", for_all, false, "No progress and no notes; the result and errors only"},
    {"verbose", OptionKind::flag, "", for_all, false, "One line on standard error for every step"},
    {"config",
     OptionKind::value,
     "FILE",
     for_all,
     false,
     "JSON object whose keys are these option names without dashes; flags and variables come first"},
});

} // namespace

VerbSet set_of(Verb verb) {
    switch (verb) {
    case Verb::plan:
        return for_plan;
    case Verb::stage:
        return for_stage;
    case Verb::publish:
        return for_publish;
    case Verb::resume:
        return for_resume;
    case Verb::abandon:
        return for_abandon;
    case Verb::retire:
        return for_retire;
    case Verb::close:
        return for_close;
    case Verb::orphans:
        return for_orphans;
    case Verb::watch:
        return for_watch;
    case Verb::status:
        return for_status;
    case Verb::doctor:
        return for_doctor;
    case Verb::explain:
        return for_explain;
    case Verb::serve:
        return for_serve;
    }
    return for_all;
}

std::span<const OptionRow> option_table() {
    return rows;
}

std::string variable_name(std::string_view option) {
    std::string name = "ONCESWAP_";
    for (const char c : option)
        name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return name;
}

} // namespace onceswap::cli
