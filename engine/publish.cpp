#include "engine/publication.hpp"

namespace onceswap::engine {

boost::asio::awaitable<protocol::Report>
publish(Context& context, PublishRequest request, StageFunction stage) {
    Publication publication(context, std::move(request), std::move(stage));
    auto report = co_await publication.run();
    co_return report;
}

} // namespace onceswap::engine
