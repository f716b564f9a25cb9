#include "tools/cli/tell_hook.hpp"

#include "tools/cli/verdict_hook.hpp"

#include <boost/json/serialize.hpp>

#include <string>
#include <utility>

namespace onceswap::cli {

namespace {

/// Empty where the document has no verdict.
std::string verdict_word(const boost::json::object& document) {
    const boost::json::value* verdict = document.if_contains("verdict");
    const boost::json::object* fields = verdict == nullptr ? nullptr : verdict->if_object();
    const boost::json::value* word = fields == nullptr ? nullptr : fields->if_contains("word");
    const boost::json::string* text = word == nullptr ? nullptr : word->if_string();
    return text == nullptr ? std::string() : std::string(*text);
}

} // namespace

boost::asio::awaitable<void> tell_hook(Session& session, const boost::json::object& document, int code) {
    const Options& options = session.options();
    if (options.on_verdict.empty() || document.empty() || session.stop_signal != 0)
        co_return;
    VerdictHook hook;
    hook.command = options.on_verdict;
    hook.document = boost::json::serialize(document) + "\n";
    hook.limit = options.on_verdict_timeout;
    hook.variables.emplace_back("ONCESWAP_VERDICT", verdict_word(document));
    hook.variables.emplace_back("ONCESWAP_EXIT_CODE", std::to_string(code));
    const std::string problem = co_await run_hook(std::move(hook));
    if (!problem.empty())
        session.error(problem);
}

} // namespace onceswap::cli
