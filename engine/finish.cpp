#include "engine/finish.hpp"

#include "engine/cleanup.hpp"
#include "engine/reconcile.hpp"
#include "engine/retirement.hpp"

namespace onceswap::engine {

namespace asio = boost::asio;
using protocol::Phase;

asio::awaitable<Observation> finish(Context& context, Passes& passes) {
    auto seen = co_await reconcile(context, passes);
    if (!seen.current || seen.report.stopped_by) {
        co_return seen;
    }
    switch (seen.current->record.phase) {
    case Phase::committed:
    case Phase::set_aside_dispatching:
    case Phase::cleanup_dispatching:
        seen = co_await clean_up(context, passes);
        break;
    case Phase::retiring:
        seen = co_await finish_retirement(context, passes);
        break;
    case Phase::prepared:
    case Phase::dispatching:
    case Phase::completed:
    case Phase::abandoned:
        break;
    }
    co_return seen;
}

} // namespace onceswap::engine
