#include "tools/refresh_load/load_request.hpp"

#include "engine/entropy.hpp"
#include "protocol/digest.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/table_name.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace onceswap::refresh_load {

using cli::Options;
using cli::Session;

namespace {

/// What is loaded, from where, how: the same for every try of one run. A file stands for its bytes, standard
/// input for this one invocation.
std::string default_plan_digest(const Options& options, const std::string& source) {
    const protocol::TargetName& like = options.like.table.empty() ? options.table : options.like;
    boost::json::object plan;
    plan["target"] = cli::text(options.table);
    plan["like"] = cli::text(like);
    plan["format"] = "JSONEachRow";
    plan["source"] = source;
    return protocol::digest(plan);
}

/// `publish` without rows: what was staged under this invocation id.
bool publishes_staged(const Options& options) {
    return options.verb == cli::Verb::publish && options.from.empty();
}

} // namespace

engine::PublishRequest request_of(Session& session) {
    const Options& options = session.options();
    engine::PublishRequest request;
    request.target = options.table;
    request.like = options.like;
    request.invocation_id = options.invocation_id;
    request.plan_digest = options.plan_digest;
    request.accept_lost_authority = options.accept_lost_authority;
    request.allow_view_depends = options.allow_view_depends;
    request.only_staged = publishes_staged(options);
    request.dispatch = options.verb != cli::Verb::stage;
    request.cleanup = options.cleanup;
    request.source_is_repeatable = options.from != "-";
    request.deadline = session.deadline();
    return request;
}

boost::asio::awaitable<int> identify(Session& session, loading::Loader& loader) {
    Options& options = session.options();
    const bool made_up = options.invocation_id.empty();
    if (made_up)
        options.invocation_id = session.entropy().hex32();
    if (options.plan_digest.empty() && !publishes_staged(options)) {
        std::string source = "none";
        if (!options.adopt.table.empty()) {
            source = "adopted " + cli::text(options.adopt);
        } else if (options.from == "-") {
            source = "stdin " + options.invocation_id;
        } else if (!options.from.empty()) {
            protocol::Result<std::string> digest = co_await loader.digest();
            if (!digest) {
                session.error(digest.error().detail);
                co_return cli::exit_usage; // the file: its path is in the text
            }
            source = "sha256 " + *digest;
        }
        options.plan_digest = default_plan_digest(options, source);
    }
    if (made_up && options.execute)
        session.note(
            "invocation id " + options.invocation_id +
            "; if this is interrupted: " + session.command_to_go_on()
        );
    co_return 0;
}

} // namespace onceswap::refresh_load
