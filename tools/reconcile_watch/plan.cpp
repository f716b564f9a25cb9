#include "tools/reconcile_watch/plan.hpp"

#include "engine/entropy.hpp"
#include "tools/cli/plan_outcome.hpp"

#include <utility>

namespace onceswap::reconcile_watch {

boost::asio::awaitable<int> plan(cli::Session& session) {
    engine::Context context = session.context();
    engine::PublishRequest request;
    request.target = session.options().table;
    request.like = session.options().like;
    request.invocation_id = session.entropy().hex32(); // of a run that there is not: its tokens are left open
    request.plan_digest = std::string(64, '0');
    request.accept_lost_authority = session.options().accept_lost_authority;
    request.allow_view_depends = session.options().allow_view_depends;
    request.deadline = session.deadline();
    const engine::Plan result = co_await engine::plan(context, std::move(request));
    co_return cli::finish_plan(session, result);
}

} // namespace onceswap::reconcile_watch
