#include "bad_client.hpp"

#include "fixtures/harness/judge_record.hpp"
#include "fixtures/sim/cluster.hpp"

namespace onceswap::harness_test {

namespace asio = boost::asio;

namespace {

asio::awaitable<bool> send_raw(engine::Context& context, http::Request request) {
    const auto deadline = context.clock.now() + std::chrono::minutes(2);
    auto prepared = co_await context.transport.prepare(context.cluster.endpoints.front(), deadline);
    if (!prepared.call) {
        co_return false;
    }
    request.deadline = deadline;
    auto exchange = co_await prepared.call->send(std::move(request));
    co_return exchange.response.has_value();
}

/// `"phase":"COMMITTED"` and the like.
void replace_field(std::string& payload, const std::string& field, const std::string& value) {
    const std::string key = "\"" + field + "\":";
    const std::size_t at = payload.rfind(key); // of the record itself, not of an attempt before it
    if (at == std::string::npos) {
        return;
    }
    const std::size_t begin = at + key.size();
    const bool text = payload[begin] == '"';
    const std::size_t end = text ? payload.find('"', begin + 1) + 1 : payload.find_first_of(",}", begin);
    payload.replace(begin, end - begin, text ? "\"" + value + "\"" : value);
}

} // namespace

BadClient::BadClient(JudgedWorld& bench, std::string name)
    : bench_(bench), process_(bench.world.publisher(std::move(name))), context_(bench.context_of(process_)) {}

void BadClient::send(protocol::StatementKind kind, std::string sql, std::string token, std::string query_id) {
    protocol::Settings settings;
    if (!token.empty()) {
        settings.emplace_back("log_comment", std::move(token));
    }
    if (query_id.empty()) {
        query_id = process_.name() + "-" + std::to_string(++sent_);
    }
    http::Request request(
        protocol::Statement(kind, std::move(sql), std::move(settings)), std::move(query_id)
    );
    bench_.run<bool>(process_, send_raw(context_, std::move(request)));
}

void BadClient::overwrite(std::map<std::string, std::string> changes) {
    const auto& last = bench_.world.truth().authority_writes.back();
    std::string payload = last.payload;
    changes.emplace("write_id", std::string(30, '0') + std::to_string(10 + ++sent_));
    for (const auto& [field, value] : changes) {
        replace_field(payload, field, value);
    }
    std::string set;
    for (const auto& [field, value] : changes) {
        const bool number = field == "dispatch_epoch";
        if (field == "phase" || field == "fence_token" || field == "operation_id" || number) {
            set += field + " = " + (number ? value : protocol::quote_literal(value)) + ", ";
        }
    }
    set += "payload = " + protocol::quote_literal(payload) +
           ", payload_sha256 = " + protocol::quote_literal(harness::payload_digest(payload));
    send(
        protocol::StatementKind::authority_update,
        "ALTER TABLE `db`.`__onceswap_authority` UPDATE " + set +
            " WHERE target_key = " + protocol::quote_literal(last.target_key)
    );
}

void BadClient::insert_under(std::string key) {
    const auto& last = bench_.world.truth().authority_writes.back();
    std::string payload = last.payload;
    replace_field(payload, "target_key", key);
    replace_field(payload, "write_id", std::string(30, '1') + std::to_string(10 + ++sent_));
    replace_field(payload, "phase", "PREPARED");
    replace_field(payload, "dispatch_epoch", "0");
    std::string values;
    for (const std::string& text : {key, last.operation_id, last.fence_token, std::string("PREPARED")}) {
        values += protocol::quote_literal(text) + ", ";
    }
    values += "0, " + protocol::quote_literal(payload) + ", " +
              protocol::quote_literal(harness::payload_digest(payload));
    send(
        protocol::StatementKind::authority_insert,
        "INSERT INTO `db`.`__onceswap_authority` (target_key, operation_id, fence_token, phase, "
        "dispatch_epoch, payload, payload_sha256) VALUES (" +
            values + ")"
    );
}

std::string BadClient::last_token(std::string_view word) const {
    std::string token;
    for (const auto& send : bench_.world.truth().sends) {
        if (send.token.find(word) != std::string::npos) {
            token = send.token;
        }
    }
    return token;
}

} // namespace onceswap::harness_test
