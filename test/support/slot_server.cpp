#include "slot_server.hpp"

#include <stdexcept>

namespace onceswap::testing {

namespace {

/// The literal that begins at `at` (a quote), unescaped; `at` moves behind it.
std::string literal(const std::string& sql, std::size_t& at) {
    if (at >= sql.size() || sql[at] != '\'')
        throw std::logic_error("no literal at " + std::to_string(at) + " in " + sql);
    std::string value;
    for (++at; at < sql.size() && sql[at] != '\''; ++at) {
        if (sql[at] != '\\') {
            value += sql[at];
            continue;
        }
        ++at;
        switch (sql.at(at)) {
        case 'n':
            value += '\n';
            break;
        case 't':
            value += '\t';
            break;
        case '\\':
        case '\'':
            value += sql[at];
            break;
        default:
            throw std::logic_error("an escape that this reader does not know in " + sql);
        }
    }
    if (at >= sql.size())
        throw std::logic_error("an open literal in " + sql);
    ++at;
    return value;
}

void expect(const std::string& sql, std::size_t& at, const std::string& text) {
    if (sql.compare(at, text.size(), text) != 0)
        throw std::logic_error("`" + text + "` expected at " + std::to_string(at) + " in " + sql);
    at += text.size();
}

std::uint64_t number(const std::string& sql, std::size_t& at) {
    std::size_t used = 0;
    const std::uint64_t value = std::stoull(sql.substr(at, 20), &used);
    at += used;
    return value;
}

std::string assigned(const std::string& sql, std::size_t& at, const std::string& column) {
    expect(sql, at, column + " = ");
    return literal(sql, at);
}

protocol::AuthorityRow read_insert(const std::string& sql) {
    protocol::AuthorityRow row;
    std::size_t at = 0;
    expect(
        sql,
        at,
        "INSERT INTO `db`.`__onceswap_authority` (target_key, operation_id, fence_token, phase, "
        "dispatch_epoch, "
        "payload, payload_sha256) VALUES ("
    );
    row.target_key = literal(sql, at);
    expect(sql, at, ", ");
    row.operation_id = literal(sql, at);
    expect(sql, at, ", ");
    row.fence_token = literal(sql, at);
    expect(sql, at, ", ");
    row.phase = literal(sql, at);
    expect(sql, at, ", ");
    row.dispatch_epoch = number(sql, at);
    expect(sql, at, ", ");
    row.payload = literal(sql, at);
    expect(sql, at, ", ");
    row.payload_sha256 = literal(sql, at);
    expect(sql, at, ")");
    return row;
}

struct Update {
    protocol::AuthorityRow next;
    protocol::AuthorityRow expected; ///< of the columns that the predicate names
};

Update read_update(const std::string& sql) {
    Update update;
    std::size_t at = 0;
    expect(sql, at, "ALTER TABLE `db`.`__onceswap_authority` UPDATE ");
    update.next.operation_id = assigned(sql, at, "operation_id");
    update.next.fence_token = assigned(sql, at, ", fence_token");
    update.next.phase = assigned(sql, at, ", phase");
    expect(sql, at, ", dispatch_epoch = ");
    update.next.dispatch_epoch = number(sql, at);
    update.next.payload = assigned(sql, at, ", payload");
    update.next.payload_sha256 = assigned(sql, at, ", payload_sha256");
    update.expected.target_key = assigned(sql, at, " WHERE target_key");
    expect(sql, at, " AND _version = ");
    update.expected.version = static_cast<std::int32_t>(number(sql, at));
    update.expected.operation_id = assigned(sql, at, " AND operation_id");
    update.expected.fence_token = assigned(sql, at, " AND fence_token");
    update.expected.phase = assigned(sql, at, " AND phase");
    update.expected.payload_sha256 = assigned(sql, at, " AND payload_sha256");
    if (at != sql.size())
        throw std::logic_error("text behind the UPDATE: " + sql.substr(at));
    update.next.target_key = update.expected.target_key;
    return update;
}

} // namespace

Reply SlotServer::execute(const protocol::Statement& statement) {
    if (statement.kind == protocol::StatementKind::authority_insert) {
        protocol::AuthorityRow written = read_insert(statement.sql);
        if (in_between)
            in_between();
        if (row)
            return reply_exception(
                999, "Transaction failed (Node exists): Op #0, path: /keeper/data/abc. (KEEPER_EXCEPTION)"
            );
        row = std::move(written);
        ++applied;
        return reply_ok("");
    }
    Update update = read_update(statement.sql);
    const auto& expected = update.expected;
    const bool matches = row && row->target_key == expected.target_key && row->version == expected.version &&
                         row->operation_id == expected.operation_id &&
                         row->fence_token == expected.fence_token && row->phase == expected.phase &&
                         row->payload_sha256 == expected.payload_sha256;
    if (!matches)
        return reply_ok("");
    if (in_between)
        in_between();
    if (row->version != expected.version)
        return reply_exception(
            999, "Transaction failed (Bad version): Op #0, path: /keeper/data/abc. (KEEPER_EXCEPTION)"
        );
    update.next.version = row->version + 1;
    row = std::move(update.next);
    ++applied;
    return reply_ok("");
}

void SlotServer::overwrite(const std::string& payload_sha256) {
    row->payload_sha256 = payload_sha256;
    ++row->version;
}

} // namespace onceswap::testing
