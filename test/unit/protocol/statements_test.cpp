#include "protocol/statement_parser.hpp"
#include "protocol/statements.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

using namespace onceswap::protocol;

namespace {

using enum StatementKind;

const std::string uuid_text = "01234567-89ab-4cde-8f01-23456789abcd";
const std::string digest(64, 'a');
const DdlOptions options{"{token}", 45};

AuthorityRow row(const std::string& value) {
    AuthorityRow out;
    out.target_key = "{key}";
    out.operation_id = value;
    out.fence_token = value;
    out.phase = value;
    out.dispatch_epoch = 7;
    out.payload = value;
    out.payload_sha256 = digest;
    out.version = 3;
    return out;
}

AuthorityRow named_row() {
    AuthorityRow out = row("");
    out.operation_id = "{operation}";
    out.fence_token = "{fence}";
    out.phase = "{phase}";
    out.payload = "{payload}";
    return out;
}

// One of each kind, with the names that docs/statements.md gives its values.
Statement example(StatementKind kind) {
    const std::vector<std::string> tables = {"{tables}"};
    const TargetName target{"{db}", "{target}"};
    const TargetName table{"{db}", "{table}"};
    switch (kind) {
    case catalogue:
        return catalogue_statement("{db}", tables);
    case keeper:
        return keeper_statement("{db}", tables, "{key}");
    case authority_row:
        return authority_row_statement("{db}", "{key}");
    case authority_all:
        return authority_all_statement("{db}");
    case capabilities:
        return capabilities_statement("{db}", "{candidate prefix}");
    case row_policies:
        return row_policies_statement("{db}");
    case environment:
        return environment_statement();
    case grants:
        return grants_statement();
    case roster:
        return roster_statement("{cluster}");
    case queue_by_token:
        return queue_by_token_statement("{token}");
    case queue_by_prefix:
        return queue_by_prefix_statement("{prefix}");
    case queue_unfinished:
        return queue_unfinished_statement();
    case row_count:
        return row_count_statement(table, false);
    case row_count_final:
        return row_count_statement(table, true);
    case settings_probe:
        return settings_probe_statement({{"async_insert", "0"}, {"log_comment", "{token}"}});
    case column_types:
        return column_types_statement(table);
    case version:
        return version_statement();
    case create_facade:
        return create_facade_statement("{db}", "{root}", "{cluster}", "{comment}", options);
    case create_candidate:
        return create_candidate_statement(
            target, "{candidate}", *Uuid::parse(uuid_text), "{cluster}", options
        );
    case insert_rows:
        return insert_rows_statement({"{db}", "{candidate}"}, "{token}");
    case authority_insert:
        return authority_insert_statement("{db}", named_row());
    case authority_update:
        return authority_update_statement("{db}", row("{..}"), row("{..}"));
    case exchange:
        return exchange_statement(target, "{candidate}", "{cluster}", options);
    case rename_publish:
    case rename_aside:
    case rename_retire:
    case rename_adopt:
        return rename_statement(kind, "{db}", "{from}", "{to}", "{cluster}", options);
    case drop_aside:
    case drop_orphan:
        return drop_statement(kind, "{db}", "{table}", "{cluster}", options);
    }
    return {};
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    std::string out;
    std::size_t begin = 0;
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
        out.append(text, begin, at - begin);
        out += to;
        begin = at + from.size();
    }
    out.append(text, begin);
    text = std::move(out);
}

std::string page() {
    std::ifstream file(ONCESWAP_SOURCE_DIR "/docs/statements.md");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// The code span that follows the `nth` mention of `**name**`.
std::string defined(const std::string& text, std::string_view name, int nth = 0) {
    std::string bold = "**";
    bold += name;
    bold += "**";
    auto at = text.find(bold);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, name);
    std::size_t end = at;
    for (int span = 0; span <= nth; ++span) {
        at = text.find('`', span == 0 ? at : end + 1);
        end = text.find('`', at + 1);
    }
    return text.substr(at + 1, end - at - 1);
}

// Every statement of the page, with its own abbreviations written out.
std::set<std::string> statements_of_the_page() {
    const std::string text = page();
    std::set<std::string> out;
    std::istringstream lines(text);
    bool inside = false;
    std::string statement;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("```")) {
            inside = line == "```sql";
            continue;
        }
        if (!inside || line.starts_with("{\""))
            continue;
        if (!statement.empty())
            statement += ' ';
        statement += line;
        if (line.ends_with(','))
            continue;
        replace_all(statement, "{table columns}", defined(text, "table columns"));
        replace_all(statement, "{table types}", defined(text, "table columns", 1));
        replace_all(statement, "{authority tuple}", defined(text, "authority tuple"));
        replace_all(statement, "{queue tuple}", defined(text, "queue tuple"));
        replace_all(statement, "{asked settings}", defined(text, "asked settings"));
        replace_all(statement, "({tables})", "('{tables}')");
        replace_all(statement, "{uuid}", uuid_text);
        replace_all(statement, "{sha256}", digest);
        for (const std::string_view number : {"{epoch}", "{n}"})
            replace_all(statement, number, "7");
        replace_all(statement, "{version}", "3");
        out.insert(statement);
        statement.clear();
    }
    return out;
}

bool has_word(const std::vector<Token>& tokens, std::string_view value) {
    return std::ranges::any_of(tokens, [&](const Token& token) {
        return token.kind == TokenKind::word && token.value == value;
    });
}

} // namespace

BOOST_AUTO_TEST_SUITE(statements)

BOOST_AUTO_TEST_CASE(every_kind_is_listed_once_and_has_a_name) {
    std::set<std::string_view> names;
    for (const StatementKind kind : all_statement_kinds()) {
        BOOST_TEST(!text(kind).empty());
        BOOST_TEST(names.insert(text(kind)).second, text(kind));
        BOOST_TEST(text(example(kind).kind) == text(kind));
    }
    BOOST_TEST(names.size() == 29U);
}

BOOST_AUTO_TEST_CASE(the_page_and_the_renderer_say_the_same) {
    std::set<std::string> rendered;
    for (const StatementKind kind : all_statement_kinds())
        rendered.insert(example(kind).sql);
    const std::set<std::string> written = statements_of_the_page();
    for (const std::string& sql : rendered)
        BOOST_TEST(written.contains(sql), "rendered, but not on the page:\n" << sql);
    for (const std::string& sql : written)
        BOOST_TEST(rendered.contains(sql), "on the page, but not rendered:\n" << sql);
}

BOOST_AUTO_TEST_CASE(without_the_facade_the_authority_is_not_asked_for) {
    const std::vector<std::string> tables = {"{tables}"};
    const std::string with = keeper_statement("{db}", tables, "{key}").sql;
    const std::string without = keeper_statement("{db}", tables, "").sql;
    BOOST_TEST(with.starts_with(without + ", (SELECT groupArray("));
    BOOST_TEST(without.find("authority") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(kinds_agree_with_the_text) {
    for (const StatementKind kind : all_statement_kinds()) {
        BOOST_TEST_CONTEXT(text(kind)) {
            const auto tokens = tokenize(example(kind).sql);
            BOOST_REQUIRE(tokens.has_value());
            const std::string& first = tokens->front().value;
            BOOST_TEST(is_mutation(kind) == (first != "SELECT" && first != "SHOW"));
            BOOST_TEST(is_on_cluster(kind) == has_word(*tokens, "CLUSTER"));
            BOOST_TEST((!is_on_cluster(kind) || is_mutation(kind)));
            BOOST_TEST(example(kind).sql.find('\n') == std::string::npos);
            // Settings have one place, the URL.
            BOOST_TEST(!has_word(*tokens, "SETTINGS"));
            BOOST_TEST(has_word(*tokens, "FORMAT") == (kind == insert_rows));
            BOOST_TEST(!has_word(*tokens, "SYNC"));
            BOOST_TEST(std::ranges::none_of(*tokens, [](const Token& token) {
                return token.kind == TokenKind::symbol && token.value == ";";
            }));
        }
    }
}

BOOST_AUTO_TEST_CASE(every_read_has_the_servers_identity) {
    for (const StatementKind kind : all_statement_kinds()) {
        const std::string sql = example(kind).sql;
        const bool has = sql.find("toString(serverUUID()) AS server_uuid") != std::string::npos;
        BOOST_TEST(has == (!is_mutation(kind) && kind != grants && kind != version), text(kind));
        // In one row: first in the list of columns, except where each member gives a row.
        if (has && kind != roster)
            BOOST_TEST(sql.starts_with("SELECT toString(serverUUID()) AS server_uuid, "), text(kind));
    }
}

BOOST_AUTO_TEST_CASE(settings_are_those_of_the_page) {
    const Settings ddl = {
        {"log_comment", "{token}"},
        {"distributed_ddl_output_mode", "throw"},
        {"distributed_ddl_task_timeout", "45"},
        {"skip_unavailable_shards", "0"},
        {"max_execution_time", "0"},
    };
    const Settings authority = {
        {"keeper_map_strict_mode", "1"},
        {"insert_keeper_max_retries", "0"},
        {"async_insert", "0"},
        {"max_execution_time", "0"},
    };
    const Settings rows = {
        {"insert_deduplicate", "1"},
        {"insert_deduplication_token", "{token}"},
        {"input_format_skip_unknown_fields", "0"},
        {"async_insert", "0"},
        {"max_execution_time", "0"},
    };
    const Settings probe = {{"async_insert", "0"}, {"log_comment", "{token}"}};
    const std::string asked = example(capabilities).sql;
    for (const StatementKind kind : all_statement_kinds()) {
        const Settings& expected = is_on_cluster(kind)      ? ddl
                                   : kind == insert_rows    ? rows
                                   : is_mutation(kind)      ? authority
                                   : kind == settings_probe ? probe
                                                            : Settings{};
        const Settings given = example(kind).settings;
        BOOST_TEST((given == expected), text(kind));
        // Admission asks the server about every setting that is ever sent.
        for (const auto& [name, value] : given)
            BOOST_TEST(asked.find(quote_literal(name)) != std::string::npos, name);
    }
}

BOOST_AUTO_TEST_CASE(hostile_names_stay_in_their_quotes) {
    const std::string hostile = "x`'\"\\\n\t; DROP TABLE `y` -- /* $$";
    const std::vector<std::string> tables = {hostile, "b"};
    const TargetName table{hostile, hostile};
    const std::pair<Statement, int> made[] = {
        {catalogue_statement(hostile, tables), 5},
        {keeper_statement(hostile, tables, hostile), 4},
        {authority_row_statement(hostile, hostile), 2},
        {authority_all_statement(hostile), 1},
        {capabilities_statement(hostile, hostile), 2},
        {row_policies_statement(hostile), 1},
        {roster_statement(hostile), 1},
        {queue_by_token_statement(hostile), 1},
        {queue_by_prefix_statement(hostile), 1},
        {row_count_statement(table, true), 2},
        {column_types_statement(table), 2},
        {create_facade_statement(hostile, hostile, hostile, "", options), 3},
        {create_candidate_statement(table, hostile, *Uuid::parse(uuid_text), hostile, options), 5},
        {insert_rows_statement(table, hostile), 2},
        {authority_insert_statement(hostile, row(hostile)), 5},
        {authority_update_statement(hostile, row(hostile), row(hostile)), 8},
        {exchange_statement(table, hostile, hostile, options), 5},
        {rename_statement(rename_adopt, hostile, hostile, hostile, hostile, options), 5},
        {drop_statement(drop_orphan, hostile, hostile, hostile, options), 3},
    };
    for (const auto& [statement, expected] : made) {
        BOOST_TEST_CONTEXT(statement.sql) {
            const auto tokens = tokenize(statement.sql);
            BOOST_REQUIRE(tokens.has_value());
            const auto times =
                std::ranges::count_if(*tokens, [&](const Token& token) { return token.value == hostile; });
            BOOST_TEST(times == expected);
            BOOST_TEST(!has_word(*tokens, "y"));
            BOOST_TEST(statement.sql.find('\n') == std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_number_is_written_out) {
    AuthorityRow expected = row("a");
    AuthorityRow next = row("b");
    expected.version = 2147483647;
    next.dispatch_epoch = 18446744073709551615U;
    const std::string sql = authority_update_statement("db", expected, next).sql;
    BOOST_TEST(sql.find("dispatch_epoch = 18446744073709551615,") != std::string::npos, sql);
    BOOST_TEST(sql.find("_version = 2147483647 AND") != std::string::npos, sql);
    BOOST_TEST(sql.find("operation_id = 'b'") < sql.find(" WHERE "), sql);
    BOOST_TEST(sql.find("operation_id = 'a'") > sql.find(" WHERE "), sql);
}

BOOST_AUTO_TEST_CASE(broken_preconditions_are_refused_before_anything_is_sent) {
    const std::vector<std::string> no_tables;
    AuthorityRow other_slot = row("x");
    other_slot.target_key = "other";
    AuthorityRow short_digest = row("x");
    short_digest.payload_sha256.pop_back();
    AuthorityRow upper_digest = row("x");
    upper_digest.payload_sha256[0] = 'A';
    BOOST_CHECK_THROW(catalogue_statement("db", no_tables), std::invalid_argument);
    BOOST_CHECK_THROW(authority_update_statement("db", row("x"), other_slot), std::invalid_argument);
    BOOST_CHECK_THROW(authority_update_statement("db", row("x"), short_digest), std::invalid_argument);
    BOOST_CHECK_THROW(authority_insert_statement("db", short_digest), std::invalid_argument);
    BOOST_CHECK_THROW(authority_insert_statement("db", upper_digest), std::invalid_argument);
    for (const std::string_view comment : {"a */ b", "a /* b"})
        BOOST_CHECK_THROW(create_facade_statement("db", "/r", "c", comment, options), std::invalid_argument);
    BOOST_CHECK_THROW(
        create_candidate_statement({"db", "t"}, "x", Uuid(), "c", options), std::invalid_argument
    );
    BOOST_CHECK_THROW(rename_statement(exchange, "db", "a", "b", "c", options), std::invalid_argument);
    BOOST_CHECK_THROW(drop_statement(rename_aside, "db", "a", "c", options), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
