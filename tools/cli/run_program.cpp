#include "engine/entropy.hpp"
#include "engine/system_clock.hpp"
#include "http_transport/beast_transport.hpp"
#include "tools/cli/arguments.hpp"
#include "tools/cli/evidence_file.hpp"
#include "tools/cli/exit_status.hpp"
#include "tools/cli/member_endpoints.hpp"
#include "tools/cli/outcome.hpp"
#include "tools/cli/password.hpp"
#include "tools/cli/read_only_transport.hpp"
#include "tools/cli/session.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/cli/tell_hook.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <unistd.h>
#include <utility>
#include <vector>

namespace onceswap::cli {

namespace {

namespace asio = boost::asio;

http::TransportOptions transport_options(const Options& options, const http::Credentials& credentials) {
    http::TransportOptions result;
    result.credentials = credentials;
    result.tls.ca_file = options.ca_file;
    result.tls.cert_file = options.cert_file;
    result.tls.key_file = options.key_file;
    result.tls.server_name = options.server_name;
    result.tls.insecure = options.insecure;
    result.readonly_user = options.readonly_user;
    result.connect_timeout = options.connect_timeout;
    return result;
}

/// Makes the transport of a session. False: said why not on standard error.
bool connect(Session& session, const asio::any_io_executor& executor, const http::Credentials& credentials) {
    http::TransportOptions options = transport_options(session.options(), credentials);
    options.user_agent = std::string(text(session.program()));
    options.warn = [&session](std::string text) { session.note("warning: " + text); };
    auto transport = http::make_beast_transport(executor, std::move(options));
    if (!transport) {
        session.error(with_sources(transport.error(), session.options().sources));
        return false;
    }
    if (session.program() == Program::reconcile_watch)
        session.use(std::make_unique<ReadOnlyTransport>(std::move(*transport)));
    else
        session.use(std::move(*transport));
    return true;
}

/// What is settled with the cluster before the verb begins: the user's kind and the members' addresses. 0: go
/// on.
asio::awaitable<int> prepare(Session& session, http::Credentials credentials) {
    Options& options = session.options();
    std::vector<http::Endpoint> known = options.endpoints;
    if (known.empty()) {
        for (const std::string& host : options.hosts) {
            const auto of_host = endpoint_of_host(options, host);
            if (!of_host) {
                session.error(with_sources(of_host.error().detail, options.sources));
                co_return exit_usage;
            }
            known.push_back(*of_host);
        }
    }
    const engine::TimePoint until =
        std::min(session.clock().now() + options.read_timeout, session.deadline());
    if (session.program() == Program::reconcile_watch && !options.readonly_user) {
        const bool readonly = co_await is_readonly_user(session.transport(), session.entropy(), known, until);
        if (readonly) {
            options.readonly_user = true;
            const asio::any_io_executor executor = co_await asio::this_coro::executor;
            if (needs_cluster(session.options()) && !connect(session, executor, credentials))
                co_return exit_usage;
        }
    }
    if (options.endpoints.empty()) {
        const auto derived = co_await derive_endpoints(
            session.transport(), session.entropy(), std::move(known), options, until
        );
        if (!derived) {
            co_return finish_failed(session, derived.error());
        }
        options.endpoints = *derived;
    }
    co_return 0;
}

asio::awaitable<int> run_verb(Session& session, http::Credentials credentials, VerbFunction verb) {
    if (needs_cluster(session.options())) {
        const int prepared = co_await prepare(session, credentials);
        if (prepared != 0)
            co_return prepared;
    }
    const int result = co_await verb(session);
    const boost::json::object& document = session.result();
    co_await tell_hook(session, document, result);
    co_return result;
}

/// The exit code of a verb that ended with an exception: a cancelled wait, or a defect.
int code_of(Session& session, const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const boost::system::system_error& error) {
        if (session.stop_signal != 0 && error.code() == asio::error::operation_aborted) {
            session.note("stopped by signal; nothing was read yet");
            session.note("to go on: " + session.command_to_go_on());
            return exit_failed;
        }
        session.error(std::string("failed: ") + error.what());
    } catch (const std::exception& error) {
        session.error(std::string("failed: ") + error.what());
    }
    return exit_failed;
}

int run_session(
    asio::io_context& loop, Session& session, const http::Credentials& credentials, VerbFunction verb
) {
    if (needs_cluster(session.options()) && !connect(session, loop.get_executor(), credentials))
        return exit_usage;
    if (session.options().insecure)
        session.note("warning: --insecure: the servers' certificates are not verified");
    asio::cancellation_signal stop;
    StopSignals signals(
        loop.get_executor(),
        [&stop, &session](int signal) {
            session.stop_signal = signal;
            stop.emit(asio::cancellation_type::terminal);
        },
        [&session] {
            session.diagnostics().line(session.status ? session.status() : session.progress().now());
        }
    );
    int code = exit_failed;
    const auto ended = [&](const std::exception_ptr& exception, int result) {
        code = exception ? code_of(session, exception) : result;
        signals.close();
        loop.stop();
    };
    asio::co_spawn(
        loop, run_verb(session, credentials, verb), asio::bind_cancellation_slot(stop.slot(), ended)
    );
    loop.run();
    // At once: the loop's end would wait for a name that is being looked up, and the certificates of a system
    // take tens of milliseconds to forget. All output has been written, and the kernel closes the
    // connections.
    if (session.stop_signal != 0)
        ::_exit(128 + session.stop_signal);
    // What the transport still holds open is closed and its handlers run while everything they touch is
    // there.
    session.use(nullptr);
    loop.restart();
    loop.poll();
    return code;
}

} // namespace

int run_program(Program program, int argc, char** argv, VerbFunction (*verb_function)(Verb verb)) {
    Diagnostics diagnostics{std::string(text(program))};
    try {
        std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
        auto options = parse_arguments(program, words, real_surroundings());
        if (!options) {
            const CommandLineEnd end = options.error();
            if (end.is_error)
                diagnostics.line(end.text);
            else
                write_fully(STDOUT_FILENO, end.text);
            return end.is_error ? exit_usage : 0;
        }
        for (const auto& [name, path] :
             {std::pair<const char*, const std::string*>{"--evidence", &options->evidence_file},
              {"--metrics-file", &options->metrics_file}}) {
            if (path->empty())
                continue;
            if (const auto usable = check_can_be_written(*path); !usable) {
                diagnostics.line(with_sources(std::string(name) + ": " + usable.error(), options->sources));
                return exit_usage;
            }
        }
        auto credentials = find_credentials(*options);
        if (!credentials) {
            diagnostics.line(with_sources(credentials.error(), options->sources));
            return exit_usage;
        }
        asio::io_context loop(1);
        const auto clock = engine::make_system_clock(loop.get_executor());
        const auto entropy = engine::make_system_entropy();
        const VerbFunction verb = verb_function(options->verb);
        Session session(program, std::move(*options), std::move(words), *clock, *entropy);
        if (!session.open_event_log())
            return exit_usage;
        return run_session(loop, session, *credentials, verb);
    } catch (const std::exception& error) {
        diagnostics.line(std::string("failed: ") + error.what());
        return exit_failed;
    }
}

} // namespace onceswap::cli
