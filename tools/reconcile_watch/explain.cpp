#include "tools/reconcile_watch/explain.hpp"

#include "protocol/utf8.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/explaining/explanation.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string>
#include <unistd.h>
#include <vector>

namespace onceswap::reconcile_watch {

namespace {

namespace json = boost::json;
using explaining::Explanation;

json::object document_of(const Explanation& explanation) {
    json::object document;
    document["name"] = explanation.name;
    document["kind"] = explanation.kind;
    document["exit_code"] = explanation.exit_code ? json::value(*explanation.exit_code) : json::value();
    document["meaning"] = explanation.meaning;
    document["next_safe_action"] = explanation.next_safe_action;
    document["what_not_to_do"] = explanation.what_not_to_do;
    return document;
}

std::string list_text(const std::vector<Explanation>& all) {
    std::size_t width = 0;
    for (const Explanation& each : all)
        width = std::max(width, each.name.size());
    std::string out;
    for (const Explanation& each : all) {
        std::string name = each.name;
        name.resize(width + 2, ' ');
        out += name + each.meaning + "\n";
    }
    return out;
}

std::string list_json(const std::vector<Explanation>& all) {
    json::object document;
    document["schema_version"] = 1;
    json::array words;
    for (const Explanation& each : all)
        words.push_back(document_of(each));
    document["words"] = std::move(words);
    return json::serialize(document) + "\n";
}

} // namespace

boost::asio::awaitable<int> explain(cli::Session& session) {
    const cli::Options& options = session.options();
    if (options.operand.empty()) {
        const auto all = explaining::all_explanations();
        cli::write_fully(STDOUT_FILENO, options.json ? list_json(all) : list_text(all));
        co_return 0;
    }
    const auto explanation = explaining::explanation_of(options.operand);
    if (!explanation) {
        session.error(
            "explain: `" + protocol::printable_head(options.operand, 64) +
            "` is no code, verdict, state or exit code; `reconcile-watch explain` lists them"
        );
        co_return cli::exit_usage;
    }
    json::object document = document_of(*explanation);
    document["schema_version"] = 1;
    cli::write_fully(
        STDOUT_FILENO,
        options.json ? json::serialize(document) + "\n" : explaining::explanation_text(*explanation)
    );
    co_return 0;
}

} // namespace onceswap::reconcile_watch
