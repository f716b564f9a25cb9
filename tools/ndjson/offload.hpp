#pragma once

#include "tools/ndjson/byte_source.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <optional>
#include <utility>

namespace onceswap::ndjson {

/// Runs `work`, which may block and must not throw, on `pool` and completes with its result on the awaiting
/// coroutine's executor. Cancellation (any type) sets `stop`, which ends reads of a FileSource; the work is
/// always waited for, so nothing that it uses is left behind. `pool` and `stop` must outlive the call.
template <class T>
boost::asio::awaitable<T> offload(boost::asio::thread_pool& pool, StopFlag& stop, std::function<T()> work) {
    namespace asio = boost::asio;
    const auto initiation = [](auto handler, asio::thread_pool* on, StopFlag* flag, std::function<T()> job) {
        if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected())
            slot.assign([flag](asio::cancellation_type) { flag->stop(); });
        auto guard = asio::make_work_guard(asio::get_associated_executor(handler));
        asio::post(
            *on,
            [job = std::move(job), handler = std::move(handler), guard = std::move(guard)]() mutable {
                std::optional<T> result(job());
                const auto executor = guard.get_executor();
                asio::post(
                    executor,
                    [result = std::move(result), handler = std::move(handler), guard = std::move(guard)](
                    ) mutable {
                        if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected())
                            slot.clear();
                        guard.reset();
                        std::move(handler)(std::move(*result));
                    }
                );
            }
        );
    };
    return asio::async_initiate<const asio::use_awaitable_t<>, void(T)>(
        initiation, asio::use_awaitable, &pool, &stop, std::move(work)
    );
}

} // namespace onceswap::ndjson
