// A sink of one's own, beside the log that the library has: counts what was sent and what it came to, while a
// target is watched.
//
//   events <cluster> <database.table> <url of member 1> <url of member 2> ...
#include "engine/event_log.hpp"
#include "engine/publish.hpp"
#include "engine/system_clock.hpp"
#include "http_transport/beast_transport.hpp"
#include "protocol/report.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace asio = boost::asio;
namespace engine = onceswap::engine;
namespace http = onceswap::http;
namespace protocol = onceswap::protocol;

namespace {

// The ten lines. Called on the loop for each thing that happens; must not block.
class EventCount final : public engine::EventSink {
  public:
    void on_event(const engine::Event& event) override {
        ++of[engine::text(event.kind)];
        if (event.kind == engine::EventKind::mutation)
            ++of[protocol::text(event.outcome)];
    }

    std::map<std::string_view, unsigned> of;
};

protocol::Report
look(const protocol::TargetName& target, engine::Cluster cluster, engine::EventSink& events) {
    asio::io_context loop;
    const auto clock = engine::make_system_clock(loop.get_executor());
    const auto entropy = engine::make_system_entropy();
    auto transport = http::make_beast_transport(loop.get_executor(), http::TransportOptions());
    if (!transport)
        throw std::runtime_error(transport.error());
    // Sinks form a chain: the log writes a line of JSON and hands the event on.
    engine::JsonLineSink log(*clock, [](std::string_view line) { std::cerr << line; }, events);
    engine::Context context(**transport, *clock, *entropy, log, std::move(cluster));

    protocol::Report report;
    std::exception_ptr error;
    asio::co_spawn(
        loop,
        engine::watch(
            context, target, clock->now() + std::chrono::minutes(1), [](const protocol::Report&) {}
        ),
        [&](std::exception_ptr failed, protocol::Report done) {
            error = failed;
            report = std::move(done);
        }
    );
    loop.run();
    if (error)
        std::rethrow_exception(error);
    return report;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::string name = argc > 2 ? argv[2] : "";
        const auto dot = name.find('.');
        if (argc < 5 || dot == std::string::npos) {
            std::cerr << "usage: events <cluster> <database.table> <url> <url>...\n";
            return 2;
        }
        engine::Cluster cluster;
        cluster.name = argv[1];
        for (int i = 3; i < argc; ++i) {
            auto endpoint = http::Endpoint::parse(argv[i]);
            if (!endpoint) {
                std::cerr << "events: " << endpoint.error() << '\n';
                return 2;
            }
            cluster.endpoints.push_back(*endpoint);
        }
        EventCount count;
        const protocol::TargetName target(name.substr(0, dot), name.substr(dot + 1));
        const auto report = look(target, std::move(cluster), count);
        for (const auto& [kind, times] : count.of)
            std::cout << kind << ' ' << times << '\n';
        return protocol::exit_code(report);
    } catch (const std::exception& error) {
        std::cerr << "events: " << error.what() << '\n';
        return 1;
    }
}
