#pragma once

#include "judged_world.hpp"
#include "protocol/statements.hpp"

#include <map>
#include <string>
#include <string_view>

namespace onceswap::harness_test {

/// A program that does to the cluster what the engine must never do: it sends what it likes, through a
/// publisher's own transport, past every permit and every record.
class BadClient {
  public:
    explicit BadClient(JudgedWorld& bench, std::string name = "bad");

    /// Sends the statement to member 0 and waits for the answer; judged on the way. `query_id` empty: a new
    /// one.
    void
    send(protocol::StatementKind kind, std::string sql, std::string token = {}, std::string query_id = {});

    /// The authority row of the only record, with other words in some of its columns; the payload is changed
    /// with them where it says the same.
    void overwrite(std::map<std::string, std::string> changes);

    /// One more row with the same payload under another key.
    void insert_under(std::string key);

    /// Token of the statement of that word that was sent last.
    std::string last_token(std::string_view word) const;

  private:
    JudgedWorld& bench_;
    sim::Publisher& process_;
    engine::Context& context_;
    unsigned sent_ = 0;
};

} // namespace onceswap::harness_test
