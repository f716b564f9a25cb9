#include "tools/serving/routes.hpp"

#include "protocol/digest.hpp"
#include "tools/metrics/slot_metrics.hpp"
#include "tools/serving/page.hpp"
#include "tools/serving/status_document.hpp"

#include <boost/json/serialize.hpp>

#include <string_view>
#include <utility>

namespace onceswap::serving {

namespace {

HttpAnswer answer_of(unsigned status, std::string_view type, std::shared_ptr<const std::string> body) {
    HttpAnswer answer;
    answer.status = status;
    answer.headers = {
        {"Content-Type", std::string(type)},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"X-Frame-Options", "DENY"},
    };
    answer.body = std::move(body);
    return answer;
}

HttpAnswer text_answer(unsigned status, std::string_view text) {
    HttpAnswer answer = answer_of(
        status, "text/plain; charset=utf-8", std::make_shared<const std::string>(std::string(text) + "\n")
    );
    answer.headers.emplace_back("Cache-Control", "no-store");
    return answer;
}

std::string etag_of(std::string_view body) {
    return "\"" + protocol::sha256_hex(body).substr(0, 32) + "\"";
}

/// Whether the client has it: one of the tags in If-None-Match, compared weakly, or `*`.
bool has_already(std::string_view if_none_match, std::string_view etag) {
    return if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos;
}

HttpAnswer tagged(const HttpRequest& request, HttpAnswer answer, const std::string& etag) {
    answer.headers.emplace_back("ETag", etag);
    answer.headers.emplace_back("Cache-Control", "no-cache"); // keep it, but ask whether it is the present
    if (!request.if_none_match.empty() && has_already(request.if_none_match, etag)) {
        answer.status = 304;
        answer.body = std::make_shared<const std::string>();
    }
    return answer;
}

/// The path of `/path?query`, also of an absolute `http://host/path`.
std::string_view path_of(std::string_view target) {
    if (const auto scheme = target.find("://");
        scheme != std::string_view::npos && !target.starts_with('/')) {
        const auto slash = target.find('/', scheme + 3);
        target = slash == std::string_view::npos ? "/" : target.substr(slash);
    }
    return target.substr(0, target.find('?'));
}

void append_serving(metrics::Exposition& exposition, const SlotBoard& board, const HttpServer* server) {
    using Type = metrics::Exposition::Type;
    exposition.family(
        "onceswap_watch_rounds_total", Type::counter, "Rounds over all watched slots that ended."
    );
    exposition.sample({}, board.rounds());
    exposition.family("onceswap_watch_slots", Type::gauge, "Slots that are shown.");
    exposition.sample({}, std::uint64_t{board.slots().size() + board.unreadable().size()});
    exposition.family(
        "onceswap_watch_omitted_slots", Type::gauge, "Slots beyond the limit, which are not read."
    );
    exposition.sample({}, std::uint64_t{board.omitted()});
    exposition.family(
        "onceswap_watch_listing_failed", Type::gauge, "Whether nobody could list the slots in the last round."
    );
    exposition.sample({}, std::uint64_t{board.problem().empty() ? 0U : 1U});
    if (board.last_round_at() != 0) {
        exposition.family(
            "onceswap_watch_last_round_timestamp_seconds", Type::gauge, "When the last round ended."
        );
        exposition.sample({}, board.last_round_at());
    }
    if (server == nullptr)
        return;
    exposition.family("onceswap_serve_connections", Type::gauge, "Connections of readers that are open.");
    exposition.sample({}, std::uint64_t{server->open_connections()});
    exposition.family("onceswap_serve_answers_total", Type::counter, "Answers by status.");
    for (const auto& [status, count] : server->counters().answers)
        exposition.sample({{"status", std::to_string(status)}}, count);
    exposition.family(
        "onceswap_serve_turned_away_total", Type::counter, "Connections beyond the limit, which got 503."
    );
    exposition.sample({}, server->counters().turned_away);
    exposition.family(
        "onceswap_serve_timed_out_total", Type::counter, "Connections that were closed for taking too long."
    );
    exposition.sample({}, server->counters().timed_out);
}

} // namespace

Routes::Routes(
    const SlotBoard& board,
    const metrics::EventCounters& events,
    Access access,
    engine::Duration silence_limit
)
    : board_(board), events_(events), access_(std::move(access)), silence_limit_(silence_limit) {}

HttpAnswer Routes::answer(const HttpRequest& request) {
    if (request.hosts.size() != 1)
        return text_answer(400, "exactly one Host is needed");
    if (!access_.host_is_ours(request.hosts.front()))
        return text_answer(
            421, "this host is not served here: use the address, or allow the name with --allow-host"
        );
    if (request.method != "GET" && request.method != "HEAD") {
        HttpAnswer answer = text_answer(405, "only GET and HEAD: nothing can be changed here");
        answer.headers.emplace_back("Allow", "GET, HEAD");
        return answer;
    }
    const std::string_view path = path_of(request.target);
    if (path == "/")
        return page(request);
    if (path == "/healthz")
        return health();
    const bool is_status = path == "/api/status";
    if (!is_status && path != "/metrics")
        return text_answer(404, "there are /, /healthz, /metrics and /api/status");
    if (!access_.may_read(request.authorizations)) {
        HttpAnswer answer = text_answer(401, "a bearer token is needed");
        answer.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"onceswap\"");
        return answer;
    }
    return is_status ? status(request) : metrics();
}

HttpAnswer Routes::status(const HttpRequest& request) {
    if (status_.revision != board_.revision()) {
        auto body =
            std::make_shared<const std::string>(boost::json::serialize(status_document(board_)) + "\n");
        status_.etag = etag_of(*body);
        status_.body = std::move(body);
        status_.revision = board_.revision();
    }
    return tagged(request, answer_of(200, "application/json", status_.body), status_.etag);
}

HttpAnswer Routes::metrics() {
    if (metrics_.revision != board_.revision() || metrics_.second != board_.now()) {
        const std::vector<protocol::Report> reports = board_.reports();
        metrics::Exposition exposition;
        metrics::append_slots(exposition, reports);
        metrics::append_counters(exposition, events_);
        append_serving(exposition, board_, server_);
        metrics_.body = std::make_shared<const std::string>(exposition.text());
        metrics_.revision = board_.revision();
        metrics_.second = board_.now();
    }
    HttpAnswer answer = answer_of(200, "text/plain; version=0.0.4; charset=utf-8", metrics_.body);
    answer.headers.emplace_back("Cache-Control", "no-store");
    return answer;
}

HttpAnswer Routes::health() const {
    if (board_.quiet_for() > silence_limit_)
        return text_answer(503, "no reading has ended for too long");
    return text_answer(200, "ok");
}

HttpAnswer Routes::page(const HttpRequest& request) const {
    static const Page page = make_page();
    static const std::string etag = etag_of(*page.body);
    HttpAnswer answer = answer_of(200, "text/html; charset=utf-8", page.body);
    answer.headers.emplace_back("Content-Security-Policy", page.policy);
    answer.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
    answer.headers.emplace_back("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
    return tagged(request, std::move(answer), etag);
}

} // namespace onceswap::serving
