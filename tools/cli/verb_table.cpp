#include "tools/cli/verb_table.hpp"

namespace onceswap::cli {

namespace {

constexpr Verb refresh_load_verbs[] = {
    Verb::publish,
    Verb::stage,
    Verb::resume,
    Verb::plan,
    Verb::abandon,
    Verb::retire,
    Verb::close,
    Verb::orphans,
};
constexpr Verb reconcile_watch_verbs[] = {
    Verb::watch,
    Verb::status,
    Verb::doctor,
    Verb::plan,
    Verb::explain,
    Verb::serve,
};

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
    case Verb::plan:
        return "plan";
    case Verb::stage:
        return "stage";
    case Verb::publish:
        return "publish";
    case Verb::resume:
        return "resume";
    case Verb::abandon:
        return "abandon";
    case Verb::retire:
        return "retire";
    case Verb::close:
        return "close";
    case Verb::orphans:
        return "orphans";
    case Verb::watch:
        return "watch";
    case Verb::status:
        return "status";
    case Verb::doctor:
        return "doctor";
    case Verb::explain:
        return "explain";
    case Verb::serve:
        return "serve";
    }
    return {};
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

std::optional<Verb> default_verb(Program program) {
    switch (program) {
    case Program::refresh_load:
        return std::nullopt;
    case Program::reconcile_watch:
        return Verb::watch;
    }
    return std::nullopt;
}

std::string_view operand_name(Verb verb) {
    if (verb == Verb::explain)
        return "CODE";
    return verb == Verb::orphans ? "list|drop" : "";
}

bool needs_cluster(const Options& options) {
    return options.verb != Verb::explain && !options.demo;
}

std::string_view description(Verb verb) {
    switch (verb) {
    case Verb::plan:
        return "The admission checklist and the exact statements a publication would send; sends none of "
               "them";
    case Verb::stage:
        return "Stage the rows of a file in a new table on every replica and stop there; `publish` goes on";
    case Verb::publish:
        return "Stage the rows of a file in a new table, swap it in on every replica once, drop the old one";
    case Verb::resume:
        return "Go on with an unfinished publication from its record alone; never publishes a second time";
    case Verb::abandon:
        return "Give up a publication of which nothing was dispatched";
    case Verb::retire:
        return "End a publication whose outcome cannot be proven, so that nothing late can change it any "
               "more";
    case Verb::close:
        return "End a committed publication whose old generation cannot or shall not be dropped";
    case Verb::orphans:
        return "List tables that earlier publications left behind, or drop one that a record names";
    case Verb::watch:
        return "Read again and again until a terminal verdict or the deadline; prints what changes. "
               "Read-only";
    case Verb::status:
        return "One reading of record, queue and every member's tables; prints the verdict. Read-only";
    case Verb::doctor:
        return "Everything a publication needs as a checklist: pass, warn or refuse, with the remedy. "
               "Read-only";
    case Verb::explain:
        return "What a code, a verdict or an exit code means and what to do about it; needs no cluster";
    case Verb::serve:
        return "Keep watching, and serve metrics, JSON and a page over HTTP. Read-only";
    }
    return {};
}

std::string_view examples(Program program, Verb verb) {
    switch (verb) {
    case Verb::plan:
        return program == Program::refresh_load
                   ? "  refresh-load plan --host ch-1 --cluster c1 --table db.languages --from "
                     "languages.ndjson"
                   : "  reconcile-watch plan --host ch-1 --cluster c1 --table db.languages";
    case Verb::stage:
        return "  refresh-load stage --host ch-1 --cluster c1 --table db.languages --from "
               "languages.ndjson.gz \\\n"
               "      --invocation-id nightly-2024-05-01 --execute\n"
               "  refresh-load stage --host ch-1 --cluster c1 --table db.languages --adopt db.languages_new "
               "\\\n"
               "      --execute";
    case Verb::publish:
        return "  refresh-load publish --url http://ch-1:8123 --url http://ch-2:8123 --cluster c1 \\\n"
               "      --table db.languages --from languages.ndjson.gz --execute\n"
               "  produce-rows | refresh-load publish --host ch-1 --cluster c1 --table db.t --from - \\\n"
               "      --invocation-id nightly-2024-05-01 --execute";
    case Verb::resume:
        return "  refresh-load resume --host ch-1 --cluster c1 --table db.languages --execute\n"
               "  refresh-load resume --host ch-1 --cluster c1 --table db.languages --execute --watch \\\n"
               "      --timeout 0s";
    case Verb::abandon:
        return "  refresh-load abandon --host ch-1 --cluster c1 --table db.languages\n"
               "  refresh-load abandon --host ch-1 --cluster c1 --table db.languages \\\n"
               "      --operation 3f0c... --version 4 --execute";
    case Verb::retire:
        return "  refresh-load retire --host ch-1 --cluster c1 --table db.languages\n"
               "  refresh-load retire --host ch-1 --cluster c1 --table db.languages \\\n"
               "      --operation 3f0c... --version 4 --execute";
    case Verb::close:
        return "  refresh-load close --keep-predecessor --host ch-1 --cluster c1 --table db.languages \\\n"
               "      --operation 3f0c... --version 4 --execute";
    case Verb::orphans:
        return "  refresh-load orphans list --host ch-1 --cluster c1 --table db.languages\n"
               "  refresh-load orphans drop --host ch-1 --cluster c1 --table db.languages \\\n"
               "      --name once_candidate_3f0c... --operation 3f0c... --version 4 --execute";
    case Verb::watch:
        return "  reconcile-watch --host ch-1 --cluster c1 --table db.languages\n"
               "  reconcile-watch watch --host ch-1 --cluster c1 --table db.languages --timeout 1h \\\n"
               "      --operation 3f0c... --json --evidence evidence.json\n"
               "  reconcile-watch watch --host ch-1 --cluster c1 --all --database db --timeout 1h";
    case Verb::status:
        return "  reconcile-watch status --host ch-1 --cluster c1 --table db.languages\n"
               "  reconcile-watch status --url http://ch-1:8123 --url http://ch-2:8123 --cluster c1 \\\n"
               "      --all --database db --json";
    case Verb::doctor:
        return "  reconcile-watch doctor --host ch-1 --cluster c1 --table db.languages";
    case Verb::explain:
        return "  reconcile-watch explain ONCESWAP_PARTIAL_TERMINAL\n"
               "  reconcile-watch explain OUTCOME_UNKNOWN --json\n"
               "  reconcile-watch explain";
    case Verb::serve:
        return "  reconcile-watch serve --host ch-1 --cluster c1 --all --database db\n"
               "  reconcile-watch serve --host ch-1 --cluster c1 --table db.languages --listen 0.0.0.0:9466 "
               "\\\n"
               "      --bearer-token-file token";
    }
    return {};
}

} // namespace onceswap::cli
