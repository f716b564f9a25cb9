#include "both_clusters.hpp"

#include "protocol/statements.hpp"

#include <boost/test/unit_test.hpp>

namespace onceswap::testing {

namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

} // namespace

Outcome outcome_of(const Reply& reply) {
    Outcome outcome;
    outcome.status = reply.status;
    outcome.code = reply.code();
    if (reply.status == 200)
        return outcome;
    outcome.text = reply.body;
    if (const std::size_t version = outcome.text.find(" (version "); version != std::string::npos)
        outcome.text.erase(version);
    while (outcome.text.ends_with('\n'))
        outcome.text.pop_back();
    for (const char* root : {"/keeper_map/", "/keeper_map_tables/"}) { // keeper_map_path_prefix
        replace_all(outcome.text, "path: " + std::string(root), "path: ROOT/");
        replace_all(outcome.text, "path " + std::string(root), "path ROOT/");
    }
    // The embedded engine's ALTER names every exception DB::Exception, its INSERT does not.
    replace_all(outcome.text, "Coordination::Exception: ", "DB::Exception: ");
    // Where in the statement or in the execution it was found, and what else the parser knows.
    for (const char* detail :
         {" in scope ",
          ": In scope ",
          ". Note: there are ",
          ": while executing ",
          ": While executing ",
          " Expected ",
          ": Maybe you meant ",
          " nodes: "})
        if (const std::size_t at = outcome.text.find(detail); at != std::string::npos)
            outcome.text.erase(at);
    // An INSERT or UPDATE of several rows writes them in an order of its own.
    if (const std::size_t at = outcome.text.find("Op #"); at != std::string::npos)
        outcome.text.erase(at, outcome.text.find(',', at) + 2 - at);
    if (const std::size_t name = outcome.text.rfind(" ("); // of the code
        name != std::string::npos && outcome.text.ends_with(')'))
        outcome.text.erase(name);
    while (outcome.text.ends_with('.'))
        outcome.text.pop_back();
    return outcome;
}

std::string text_of(const Outcome& outcome) {
    return std::to_string(outcome.status) + " " + std::to_string(outcome.code) + " " + outcome.text;
}

BothClusters::BothClusters(const std::string& database)
    : engine_(LiveEngine::get()), simulator_({database}),
      table_(database + "." + std::string(protocol::authority_table)) {
    engine_.rows(0, "CREATE DATABASE " + database + " ON CLUSTER c1 ENGINE = Atomic");
    protocol::DdlOptions options;
    options.token = "onceswap:v1:" + database;
    const protocol::Statement facade =
        protocol::create_facade_statement(database, "/" + database, "c1", "canary", options);
    const Settings settings = with_transport(facade.settings);
    for (const Reply& reply : {engine_.ask(0, facade.sql, settings), simulator_.ask(0, facade.sql, settings)})
        BOOST_REQUIRE_MESSAGE(reply.status == 200, reply.body);
}

Outcome BothClusters::same(
    std::size_t member, const std::string& sql, const Settings& settings, const std::string& what
) {
    const Outcome real = outcome_of(engine_.ask(member, sql, settings));
    const Outcome modelled = outcome_of(simulator_.ask(member, sql, settings));
    BOOST_TEST(
        (real == modelled),
        what << ": " << sql << "\n  engine    " << text_of(real) << "\n  simulator " << text_of(modelled)
    );
    return real;
}

void BothClusters::done(const std::string& sql, const Settings& settings) {
    for (const Reply& reply : {engine_.ask(0, sql, settings), simulator_.ask(0, sql, settings)})
        BOOST_REQUIRE_MESSAGE(reply.status == 200, sql << ": " << reply.body);
}

std::vector<RecordRow>
BothClusters::rows(std::size_t member, const Predicate& predicate, const std::string& what) {
    const std::string sql = select_rows(table_, predicate);
    const Reply real = engine_.ask(member, sql, with_transport({}));
    const Reply modelled = simulator_.ask(member, sql, with_transport({}));
    BOOST_REQUIRE_MESSAGE(real.status == 200, sql << ": " << real.body);
    BOOST_REQUIRE_MESSAGE(modelled.status == 200, sql << ": " << modelled.body);
    const std::vector<RecordRow> rows = rows_of(real.body);
    const std::vector<RecordRow> ours = rows_of(modelled.body);
    BOOST_TEST(
        (rows == ours),
        what << ": " << sql << "\nengine\n"
             << text_of(rows) << "simulator\n"
             << text_of(ours)
    );
    return rows;
}

Settings write_settings(bool strict, unsigned retries) {
    return {
        {"keeper_map_strict_mode", strict ? "1" : "0"},
        {"insert_keeper_max_retries", std::to_string(retries)},
        {"async_insert", "0"},
        {"max_execution_time", "0"}
    };
}

} // namespace onceswap::testing
