#pragma once

#include "fixtures/fault_proxy/proxy.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace onceswap::testing {

/// A proxy on a loop of its own, in front of a listening socket that the test serves by hand with blocking
/// calls.
class ProxiedServer {
  public:
    using Socket = boost::asio::ip::tcp::socket;

    explicit ProxiedServer(fault_proxy::Protocol protocol = fault_proxy::Protocol::opaque)
        : server_(io_, {boost::asio::ip::address_v4::loopback(), 0}),
          proxy_(loop_, 0, server_.local_endpoint(), protocol), thread_([this] {
              const auto work = boost::asio::make_work_guard(loop_);
              loop_.run();
          }) {}

    ~ProxiedServer() {
        on_loop([this] {
            proxy_.close();
            loop_.stop();
        });
        thread_.join();
        loop_.restart();
        loop_.run();
    }

    ProxiedServer(const ProxiedServer&) = delete;
    ProxiedServer& operator=(const ProxiedServer&) = delete;

    Socket connect() {
        Socket socket(io_);
        socket.connect({boost::asio::ip::address_v4::loopback(), proxy_.port()});
        return socket;
    }

    /// The server's end of the next connection.
    Socket accept() { return server_.accept(); }

    void add(std::string_view rule) {
        const fault_proxy::Rule read = fault_proxy::rule_from_json(boost::json::parse(rule));
        on_loop([&] { proxy_.add(read); });
    }

    template <class Question>
    auto ask(Question question) {
        std::optional<decltype(question(proxy_))> answer;
        on_loop([&] { answer = question(proxy_); });
        return *answer;
    }

    /// Until `true_now`, which is asked again whenever the proxy has news; false after ten seconds.
    bool wait(std::function<bool(const fault_proxy::Proxy&)> true_now) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (std::chrono::steady_clock::now() < end) {
            if (ask(true_now))
                return true;
            boost::asio::co_spawn(
                loop_, proxy_.changed(std::chrono::milliseconds(20)), boost::asio::use_future
            )
                .get();
        }
        return false;
    }

  private:
    void on_loop(std::function<void()> action) {
        std::promise<void> done;
        boost::asio::post(loop_, [&] {
            action();
            done.set_value();
        });
        done.get_future().get();
    }

    boost::asio::io_context io_;
    boost::asio::io_context loop_;
    boost::asio::ip::tcp::acceptor server_;
    fault_proxy::Proxy proxy_;
    std::thread thread_;
};

inline void send(boost::asio::ip::tcp::socket& socket, std::string_view text) {
    boost::asio::write(socket, boost::asio::buffer(text.data(), text.size()));
}

inline std::string receive(boost::asio::ip::tcp::socket& socket, std::size_t bytes) {
    std::string text(bytes, '\0');
    boost::asio::read(socket, boost::asio::buffer(text));
    return text;
}

/// What comes until the end, and how it ends.
struct Rest {
    std::string text;
    boost::system::error_code end;
};

inline Rest rest(boost::asio::ip::tcp::socket& socket) {
    Rest all;
    boost::asio::read(socket, boost::asio::dynamic_buffer(all.text), all.end);
    return all;
}

} // namespace onceswap::testing
