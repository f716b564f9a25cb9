#pragma once

#include "engine/clock.hpp"
#include "http_transport/transport.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace onceswap::testing {

/// What becomes of one INSERT.
enum class Fate {
    stored,
    not_sent,       ///< the way cannot be opened
    lost_before,    ///< sent, never executed, no answer
    lost_after,     ///< executed, no answer
    refused_direct, ///< 497 ACCESS_DENIED
    server_error,   ///< 999 after the effect
    bad_row,        ///< 27 with `(at row N)`
    never_answered, ///< waits until it is cancelled
};

/// A member that takes rows as a Replicated table does: a block whose token it knows adds nothing.
class RowServer final : public http::Transport {
  public:
    std::deque<Fate> fates; ///< of the next inserts; stored when there are none left
    std::string columns =
        R"([["1","id","UInt32",""],["2","name","String",""]])"; ///< tuples of the column_types answer
    unsigned bad_row = 1;
    std::function<void()> on_send; ///< called with each request, before its fate

    std::vector<http::Request> inserts; ///< as they were sent
    std::vector<http::Endpoint> endpoints;
    std::map<std::string, std::string> blocks; ///< by token
    std::string stored;                        ///< all rows, in the order in which they came

    std::uint64_t sends() const override { return inserts.size(); }

    boost::asio::awaitable<http::Exchange> read(http::Endpoint, http::Request) override {
        const auto executor = co_await boost::asio::this_coro::executor;
        co_await boost::asio::post(executor, boost::asio::use_awaitable);
        http::Exchange exchange = answer(200);
        exchange.response->body = R"x(["server_uuid","columns"]
["String","Array(Tuple(position UInt64, name String, type String, default_kind String))"]
["00000000-0000-4000-8000-000000000001",)x" +
                                  columns + "]\n";
        co_return exchange;
    }

    boost::asio::awaitable<http::Prepared>
    prepare(http::Endpoint endpoint, std::chrono::steady_clock::time_point) override {
        const auto executor = co_await boost::asio::this_coro::executor;
        co_await boost::asio::post(executor, boost::asio::use_awaitable);
        http::Prepared prepared;
        if (!fates.empty() && fates.front() == Fate::not_sent) {
            fates.pop_front();
            prepared.evidence.phase = http::CallPhase::connect;
            prepared.evidence.error = boost::asio::error::connection_refused;
            co_return prepared;
        }
        prepared.call = std::make_unique<Way>(*this, endpoint);
        co_return prepared;
    }

  private:
    class Way final : public http::PreparedCall {
      public:
        Way(RowServer& server, http::Endpoint endpoint) : server_(server), endpoint_(std::move(endpoint)) {}

        boost::asio::awaitable<http::Exchange> send(http::Request request) override {
            const auto executor = co_await boost::asio::this_coro::executor;
            co_await boost::asio::post(executor, boost::asio::use_awaitable);
            server_.endpoints.push_back(endpoint_);
            server_.inserts.push_back(request);
            if (server_.on_send)
                server_.on_send();
            const Fate fate = server_.next_fate();
            if (fate == Fate::never_answered) {
                boost::asio::steady_timer forever(executor, std::chrono::steady_clock::time_point::max());
                boost::system::error_code error;
                auto token = boost::asio::redirect_error(boost::asio::use_awaitable, error);
                co_await forever.async_wait(token);
            }
            co_return server_.take(request, fate);
        }

      private:
        RowServer& server_;
        http::Endpoint endpoint_;
    };

    Fate next_fate() {
        if (fates.empty())
            return Fate::stored;
        const Fate fate = fates.front();
        fates.pop_front();
        return fate;
    }

    static http::Exchange answer(unsigned status) {
        http::Exchange exchange;
        exchange.response.emplace();
        exchange.response->status = status;
        exchange.evidence.phase = http::CallPhase::done;
        exchange.evidence.bytes_handed_over = 100;
        exchange.evidence.any_reply_byte = true;
        exchange.evidence.reply_complete = true;
        exchange.evidence.framing = http::Framing::content_length;
        exchange.evidence.attempts = 1;
        return exchange;
    }

    static http::Exchange exception(int code, std::string text) {
        http::Exchange exchange = answer(500);
        exchange.response->exception_code = code;
        exchange.response->body = std::move(text);
        return exchange;
    }

    static http::Exchange nothing(boost::system::error_code error) {
        http::Exchange exchange;
        exchange.evidence.phase = http::CallPhase::first_byte;
        exchange.evidence.bytes_handed_over = 100;
        exchange.evidence.error = error;
        exchange.evidence.attempts = 1;
        return exchange;
    }

    void store(const http::Request& request) {
        std::string token;
        for (const auto& [name, value] : request.statement.settings) {
            if (name == "insert_deduplication_token")
                token = value;
        }
        if (blocks.emplace(token, request.payload).second)
            stored += request.payload;
    }

    http::Exchange take(const http::Request& request, Fate fate) {
        switch (fate) {
        case Fate::stored:
            store(request);
            return answer(200);
        case Fate::lost_after:
            store(request);
            return nothing(boost::asio::error::connection_reset);
        case Fate::lost_before:
        case Fate::not_sent:
            return nothing(boost::asio::error::eof);
        case Fate::refused_direct:
            return exception(497, "Code: 497. DB::Exception: me: Not enough privileges. (ACCESS_DENIED)");
        case Fate::server_error:
            store(request);
            return exception(999, "Code: 999. Coordination::Exception: Connection loss. (KEEPER_EXCEPTION)");
        case Fate::bad_row:
            return exception(
                27,
                "Code: 27. DB::Exception: Cannot parse input: expected ',' before: 's3cret': (at row " +
                    std::to_string(bad_row) +
                    "): While executing ParallelParsingBlockInputFormat. "
                    "(CANNOT_PARSE_INPUT_ASSERTION_FAILED) (version 24.8.14.39)"
            );
        case Fate::never_answered:
            return nothing(boost::asio::error::operation_aborted);
        }
        return nothing(boost::asio::error::fault);
    }
};

} // namespace onceswap::testing
