#include "tools/cli/option_table.hpp"

#include <array>

namespace onceswap::cli {

namespace {

constexpr unsigned loads = for_publish | for_plan;

constexpr auto rows = std::to_array<OptionRow>({
    {"url",
     OptionKind::list,
     "URL",
     for_all,
     false,
     "HTTP address of one member, http://host:8123 or https://host:8443; once for each member, in any order"},
    {"host",
     OptionKind::value,
     "HOST",
     for_all,
     false,
     "One member; the others are taken from its system.clusters. Instead of --url"},
    {"http-port",
     OptionKind::value,
     "PORT",
     for_all,
     false,
     "HTTP port of every member with --host (8123; with --secure 8443)"},
    {"secure", OptionKind::flag, "", for_all, false, "TLS, with --host"},
    {"cluster", OptionKind::value, "NAME", for_all, false, "Name of the cluster in system.clusters"},
    {"table", OptionKind::value, "DB.TABLE", for_all, false, "The target"},
    {"database", OptionKind::value, "DB", for_status, false, "With --all: the database whose slots are shown"
    },
    {"all", OptionKind::flag, "", for_status, false, "Every slot of --database"},
    {"like",
     OptionKind::value,
     "DB.TABLE",
     loads,
     false,
     "The table whose structure the new generation copies (the target); needed where the target does not "
     "exist"},
    {"from", OptionKind::value, "FILE", loads, false, "The rows: NDJSON, plain or gzip; `-` is standard input"
    },
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
     for_all,
     false,
     "Keeper path of the authority records, one per installation (/onceswap/authority/v1)"},
    {"accept-lost-authority",
     OptionKind::flag,
     "",
     for_publish | for_plan,
     true,
     "Go on without a record although leftovers of an earlier publication are in sight"},
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
    {"execute",
     OptionKind::flag,
     "",
     for_publish | for_resume | for_abandon,
     true,
     "Do it. Without this the verb only says what it would do"},
    {"operation",
     OptionKind::value,
     "ID",
     for_abandon | for_status,
     true,
     "The operation that is meant; another one in the slot ends with exit code 7"},
    {"version", OptionKind::value, "N", for_abandon, true, "The version of the record that `status` printed"},
    {"epoch",
     OptionKind::value,
     "N",
     for_abandon | for_status,
     true,
     "The dispatch epoch that is meant; another one ends with exit code 7"},
    {"user", OptionKind::value, "NAME", for_all, false, "ClickHouse user (default)"},
    {"password-file",
     OptionKind::value,
     "FILE",
     for_all,
     false,
     "The password is the first line of this file, which only you may read. Else the variable "
     "ONCESWAP_PASSWORD"},
    {"password-prompt", OptionKind::flag, "", for_all, false, "Ask for the password on the terminal"},
    {"readonly-user",
     OptionKind::flag,
     "",
     for_status,
     false,
     "The user has readonly=1: send no settings (found out by itself with one more request)"},
    {"ca", OptionKind::value, "FILE", for_all, false, "Certificates to trust, PEM (the system's)"},
    {"cert", OptionKind::value, "FILE", for_all, false, "Client certificate, PEM"},
    {"key", OptionKind::value, "FILE", for_all, false, "Its key, PEM"},
    {"server-name",
     OptionKind::value,
     "NAME",
     for_all,
     false,
     "The name the servers' certificates must show (the URL's host)"},
    {"insecure", OptionKind::flag, "", for_all, false, "Do not verify the servers' certificates"},
    {"timeout",
     OptionKind::value,
     "TIME",
     for_all,
     false,
     "Stop waiting after this time; says nothing about the publication (publish 0s = no limit, others 10m)"},
    {"connect-timeout", OptionKind::value, "TIME", for_all, false, "Resolve, connect and TLS of one call (5s)"
    },
    {"read-timeout", OptionKind::value, "TIME", for_all, false, "One read on one member (10s)"},
    {"json", OptionKind::flag, "", for_all, false, "One JSON document on standard output instead of a table"},
    {"evidence",
     OptionKind::value,
     "FILE",
     for_all,
     false,
     "Write the JSON document there too, atomically, mode 0600"},
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

constexpr Verb refresh_load_verbs[] = {Verb::publish, Verb::resume, Verb::abandon, Verb::plan};
constexpr Verb reconcile_watch_verbs[] = {Verb::status};

} // namespace

std::string_view text(Program program) {
    switch (program) {
    case Program::refresh_load:
        return "refresh-load";
    case Program::reconcile_watch:
        return "reconcile-watch";
    }
    return {};
}

std::string_view text(Verb verb) {
    switch (verb) {
    case Verb::publish:
        return "publish";
    case Verb::resume:
        return "resume";
    case Verb::abandon:
        return "abandon";
    case Verb::plan:
        return "plan";
    case Verb::status:
        return "status";
    }
    return {};
}

VerbSet set_of(Verb verb) {
    switch (verb) {
    case Verb::publish:
        return for_publish;
    case Verb::resume:
        return for_resume;
    case Verb::abandon:
        return for_abandon;
    case Verb::plan:
        return for_plan;
    case Verb::status:
        return for_status;
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

std::span<const Verb> verbs_of(Program program) {
    switch (program) {
    case Program::refresh_load:
        return refresh_load_verbs;
    case Program::reconcile_watch:
        return reconcile_watch_verbs;
    }
    return {};
}

std::string_view description(Verb verb) {
    switch (verb) {
    case Verb::publish:
        return "Stage the rows of a file in a new table, swap it in on every replica once, drop the old one";
    case Verb::resume:
        return "Go on with an unfinished publication from its record alone; never publishes a second time";
    case Verb::abandon:
        return "Give up a publication of which nothing was dispatched";
    case Verb::plan:
        return "The admission checklist and the exact statements a publication would send; sends none of "
               "them";
    case Verb::status:
        return "One reading of record, queue and every member's tables; prints the verdict. Read-only";
    }
    return {};
}

std::string_view examples(Verb verb) {
    switch (verb) {
    case Verb::publish:
        return "  refresh-load publish --url http://ch-1:8123 --url http://ch-2:8123 --cluster c1 \\\n"
               "      --table db.languages --from languages.ndjson.gz --execute\n"
               "  produce-rows | refresh-load publish --host ch-1 --cluster c1 --table db.t --from - \\\n"
               "      --invocation-id nightly-2024-05-01 --execute";
    case Verb::resume:
        return "  refresh-load resume --host ch-1 --cluster c1 --table db.languages --execute";
    case Verb::abandon:
        return "  refresh-load abandon --host ch-1 --cluster c1 --table db.languages\n"
               "  refresh-load abandon --host ch-1 --cluster c1 --table db.languages \\\n"
               "      --operation 3f0c... --version 4 --execute";
    case Verb::plan:
        return "  refresh-load plan --host ch-1 --cluster c1 --table db.languages --from languages.ndjson";
    case Verb::status:
        return "  reconcile-watch status --host ch-1 --cluster c1 --table db.languages\n"
               "  reconcile-watch status --url http://ch-1:8123 --url http://ch-2:8123 --cluster c1 \\\n"
               "      --all --database db --json";
    }
    return {};
}

} // namespace onceswap::cli
