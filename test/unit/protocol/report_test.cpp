#include "protocol/report.hpp"
#include "protocol/timestamp.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace onceswap::protocol;
namespace json = boost::json;

/// As much of JSON Schema 2020-12 as docs/cli/report.schema.json uses. A keyword that it does not know is an
/// error: the check would silently be weaker than the page.
class Schema {
  public:
    explicit Schema(json::value document) : document_(std::move(document)) {}

    std::vector<std::string> violations(const json::value& value) const {
        std::vector<std::string> out;
        check(document_.as_object(), value, "$", out);
        return out;
    }

  private:
    using Out = std::vector<std::string>;

    static bool has_type(std::string_view type, const json::value& value) {
        if (type == "object")
            return value.is_object();
        if (type == "array")
            return value.is_array();
        if (type == "string")
            return value.is_string();
        if (type == "integer")
            return value.is_int64() || value.is_uint64();
        if (type == "boolean")
            return value.is_bool();
        if (type == "null")
            return value.is_null();
        BOOST_FAIL("a type that the validator does not know: " << type);
        return false;
    }

    const json::object& resolve(std::string_view reference) const {
        return document_.at_pointer(reference.substr(1)).as_object();
    }

    void check(const json::object& schema, const json::value& value, const std::string& at, Out& out) const {
        const auto fail = [&](const std::string& what) { out.push_back(at + ": " + what); };
        for (const auto& [keyword, rule] : schema) {
            const std::string_view key = keyword;
            if (key == "$schema" || key == "$id" || key == "title" || key == "description" ||
                key == "$defs") {
                continue;
            } else if (key == "$ref") {
                check(resolve(rule.as_string()), value, at, out);
            } else if (key == "const") {
                if (value != rule)
                    fail("is not the constant");
            } else if (key == "enum") {
                const auto& allowed = rule.as_array();
                if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
                    fail(json::serialize(value) + " is none of the allowed values");
            } else if (key == "type") {
                const auto matches = [&value](const json::value& type) {
                    return has_type(type.as_string(), value);
                };
                if (rule.is_array() ? !std::ranges::any_of(rule.as_array(), matches) : !matches(rule))
                    fail("has another type: " + json::serialize(value));
            } else if (key == "pattern") {
                if (value.is_string() &&
                    !std::regex_search(
                        std::string(value.as_string()), std::regex(std::string(rule.as_string()))
                    ))
                    fail(json::serialize(value) + " does not match " + json::serialize(rule));
            } else if (key == "minimum" || key == "maximum") {
                if (value.is_int64() && (key == "minimum" ? value.as_int64() < rule.as_int64()
                                                          : value.as_int64() > rule.as_int64()))
                    fail("is out of range");
            } else if (key == "required") {
                for (const json::value& name : rule.as_array())
                    if (value.is_object() && !value.as_object().contains(name.as_string()))
                        fail("lacks " + json::serialize(name));
            } else if (key == "additionalProperties") {
                BOOST_REQUIRE((rule.is_bool() && !rule.as_bool()));
                if (value.is_object())
                    for (const auto& [name, ignored] : value.as_object())
                        if (!schema.at("properties").as_object().contains(name))
                            fail("has an unknown field " + std::string(name));
            } else if (key == "properties") {
                if (value.is_object())
                    for (const auto& [name, below] : rule.as_object())
                        if (const json::value* field = value.as_object().if_contains(name))
                            check(below.as_object(), *field, at + "." + std::string(name), out);
            } else if (key == "items") {
                if (value.is_array())
                    for (const json::value& item : value.as_array())
                        check(rule.as_object(), item, at + "[]", out);
            } else if (key == "anyOf") {
                const bool any = std::ranges::any_of(rule.as_array(), [&](const json::value& option) {
                    Out inside;
                    check(option.as_object(), value, at, inside);
                    return inside.empty();
                });
                if (!any)
                    fail("fits none of the alternatives: " + json::serialize(value));
            } else {
                BOOST_FAIL("a keyword that the validator does not know: " << key);
            }
        }
    }

    json::value document_;
};

const Schema& schema() {
    static const Schema loaded = [] {
        const std::string path = std::string(ONCESWAP_SOURCE_DIR) + "/docs/cli/report.schema.json";
        std::ifstream file(path, std::ios::binary);
        BOOST_REQUIRE_MESSAGE(file, path);
        return Schema(json::parse(std::string(std::istreambuf_iterator<char>(file), {})));
    }();
    return loaded;
}

std::string join(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines)
        out += line + "\n";
    return out;
}

Report full_report() {
    Report report;
    report.cluster = "c";
    report.target = {"d", "t"};
    report.observed_at = 1'700'000'000;
    report.operation_id = std::string(64, 'a');
    report.inventory_digest = std::string(64, 'b');
    report.phase = Phase::dispatching;
    report.dispatch_epoch = 18'446'744'073'709'551'615U;
    report.record_version = 2'147'483'647;
    report.record_updated_at = 1'700'000'000 - 60;
    report.candidate = "onceswap_x";
    report.entry = "query-0000000007";
    report.evidence = QueueEvidence::failure;
    report.verdict.word = Word::partial_terminal;
    report.verdict.row = 19;
    report.verdict.next = Next::operator_retire;
    report.verdict.reason = Code::partial_terminal;
    report.verdict.detail = "member 1: PENDING";
    Report::Row row;
    row.state.at = {"ch1", 9000};
    row.state.state = State::foreign;
    row.state.reason = "t is other";
    row.state.target = {
        Role::other, *Uuid::parse("aaaaaaaa-0000-4000-8000-000000000001"), "/p", "uuid has 'a'"
    };
    row.state.warnings = {"schema"};
    row.state.health = {true, false, {"is_readonly"}};
    row.queue_status = "Finished";
    row.queue_code = 57;
    row.queue_text = "Code: 57. DB::Exception";
    row.endpoint = "http://ch1:8123";
    report.members = {row, {}};
    report.evidence_gaps = {"ch2: timed out"};
    report.warnings = {"w"};
    report.findings = {
        {Severity::pass, Code::outcome_unknown, "inventory", "", ""},
        {Severity::warn, Code::hazard_ttl, "TTL", "ch1:9000", "t"},
        {Severity::refuse, Code::topology_unsupported, "inventory", "", "shards"},
    };
    report.stopped_by = Code::deadline_reached;
    report.stopped_detail = "10m";
    report.retained = {{"onceswap_y", *Uuid::parse("aaaaaaaa-0000-4000-8000-000000000002")}};
    report.orphans = {{"onceswap_z", *Uuid::parse("aaaaaaaa-0000-4000-8000-000000000003")}};
    return report;
}

BOOST_AUTO_TEST_SUITE(report)

BOOST_AUTO_TEST_CASE(documents_are_what_the_schema_says) {
    BOOST_TEST(join(schema().violations(to_json(Report{}))) == "");
    BOOST_TEST(join(schema().violations(to_json(full_report()))) == "");
    // Every word, phase, state, next step, evidence and code that there is.
    Report each = full_report();
    for (int word = 0; word <= static_cast<int>(Word::cleanup_incomplete); ++word)
        for (int next = 0; next <= static_cast<int>(Next::operator_repair); ++next) {
            each.verdict.word = static_cast<Word>(word);
            each.verdict.next = static_cast<Next>(next);
            BOOST_TEST(join(schema().violations(to_json(each))) == "");
        }
    for (int phase = 0; phase <= static_cast<int>(Phase::abandoned); ++phase) {
        each.phase = static_cast<Phase>(phase);
        BOOST_TEST(join(schema().violations(to_json(each))) == "");
    }
    for (int state = 0; state <= static_cast<int>(State::unavailable); ++state) {
        each.members[0].state.state = static_cast<State>(state);
        BOOST_TEST(join(schema().violations(to_json(each))) == "");
    }
    for (int evidence = 0; evidence <= static_cast<int>(QueueEvidence::diverged); ++evidence) {
        each.evidence = static_cast<QueueEvidence>(evidence);
        BOOST_TEST(join(schema().violations(to_json(each))) == "");
    }
    for (const Code code : all_codes()) {
        each.stopped_by = each.verdict.reason = each.findings[1].code = code;
        BOOST_TEST(join(schema().violations(to_json(each))) == "");
    }
}

BOOST_AUTO_TEST_CASE(the_check_can_fail) {
    const json::object good = to_json(full_report());
    for (const auto& [name, ignored] : good) {
        json::object without = good;
        without.erase(name);
        BOOST_TEST(!schema().violations(without).empty(), name);
    }
    const std::vector<std::pair<const char*, json::value>> wrong{
        {"schema_version", 2},
        {"dispatch_epoch", 7},
        {"record_version", 3},
        {"observed_at", "2024-01-01"},
        {"operation_id", 1},
        {"phase", "prepared"},
        {"verdict", nullptr},
        {"members", nullptr},
        {"surplus", 1},
    };
    for (const auto& [name, value] : wrong) {
        json::object spoilt = good;
        spoilt[name] = value;
        BOOST_TEST(!schema().violations(spoilt).empty(), name);
    }
    json::object deep = good;
    deep["members"].as_array()[0].as_object()["health"].as_object().erase("known");
    BOOST_TEST(!schema().violations(deep).empty());
}

BOOST_AUTO_TEST_CASE(numbers_that_readers_round_are_strings) {
    const json::object document = to_json(full_report());
    BOOST_TEST(document.at("dispatch_epoch").as_string() == "18446744073709551615");
    BOOST_TEST(document.at("record_version").as_string() == "2147483647");
    BOOST_TEST(document.at("observed_at").as_string() == "2023-11-14T22:13:20Z");
    BOOST_TEST(document.at("record_updated_at").as_string() == "2023-11-14T22:12:20Z");
    BOOST_TEST(document.at("verdict").at("reason").at("code").as_string() == "ONCESWAP_PARTIAL_TERMINAL");
    BOOST_TEST(document.at("members").as_array().size() == 2U);
    BOOST_TEST(to_json(Report{}).at("dispatch_epoch").is_null());
    Report done;
    done.verdict.word = Word::completed;
    BOOST_TEST(to_json(done).at("verdict").at("reason").is_null());
}

BOOST_AUTO_TEST_CASE(a_servers_text_cannot_break_the_document) {
    Report report = full_report();
    report.members[0].queue_text = "\x80\xff\x1b[31m\n" + std::string(100'000, 'x');
    report.members[0].state.reason = "\xC3";
    const std::string text = json::serialize(to_json(report));
    BOOST_TEST(text.size() < 20'000U);
    const json::value again = json::parse(text); // the parser refuses invalid UTF-8
    BOOST_TEST(again.at("members").at(0).at("queue").at("text").as_string().size() <= 4096U);
    BOOST_TEST(text.find("\\u001b") == std::string::npos);
    BOOST_TEST(join(schema().violations(again)) == "");
}

BOOST_AUTO_TEST_CASE(times) {
    const std::vector<std::pair<std::int64_t, const char*>> known{
        {0, "1970-01-01T00:00:00Z"},
        {-1, "1969-12-31T23:59:59Z"},
        {951'782'400, "2000-02-29T00:00:00Z"},
        {4'107'542'399, "2100-02-28T23:59:59Z"},
        {4'107'542'400, "2100-03-01T00:00:00Z"},
        {253'402'300'799, "9999-12-31T23:59:59Z"},
        {253'402'300'800, ""},
        {-62'167'219'200, "0000-01-01T00:00:00Z"},
        {-62'167'219'201, ""},
        {INT64_MAX, ""},
        {INT64_MIN, ""},
    };
    for (const auto& [seconds, text] : known)
        BOOST_TEST(rfc3339(seconds) == text);
}

BOOST_AUTO_TEST_CASE(every_code_has_a_documented_exit_code) {
    const std::set<int> documented{1, 2, 3, 4, 5, 6, 7, 8, 9, 130};
    std::set<int> used;
    for (const Code code : all_codes()) {
        BOOST_TEST(documented.contains(exit_code(code)), stable_name(code));
        used.insert(exit_code(code));
    }
    BOOST_TEST((used == documented));
    // A code that is also a verdict's word has the word's exit code.
    for (int i = 0; i <= static_cast<int>(Word::cleanup_incomplete); ++i) {
        const Word word = static_cast<Word>(i);
        if (const auto code = code_from_name(text(word)))
            BOOST_TEST(exit_code(*code) == exit_code(word), text(word));
    }
}

BOOST_AUTO_TEST_CASE(exit_codes_of_reports) {
    const auto of = [](std::optional<Word> word, std::optional<Code> stopped, bool refused = false) {
        Report report;
        if (word) {
            report.verdict.word = *word;
            report.verdict.row = 1;
        }
        report.stopped_by = stopped;
        if (refused)
            report.findings = {{Severity::refuse, Code::topology_unsupported, "", "", ""}};
        return exit_code(report);
    };
    BOOST_TEST(of(Word::completed, {}) == 0);
    BOOST_TEST(of(Word::in_progress, {}) == 3);
    BOOST_TEST(of({}, {}) == 4); // nothing was learnt
    BOOST_TEST(of({}, {}, true) == 8);
    BOOST_TEST(of({}, Code::topology_unsupported, true) == 8);
    BOOST_TEST(of({}, Code::deadline_reached) == 3);
    BOOST_TEST(of({}, Code::cancelled) == 130);
    BOOST_TEST(of(Word::in_progress, Code::cancelled) == 130);
    BOOST_TEST(of(Word::completed, Code::deadline_reached) == 3);
    for (int i = 0; i <= static_cast<int>(Word::cleanup_incomplete); ++i) {
        const Word word = static_cast<Word>(i);
        BOOST_TEST(of(word, Code::deadline_reached) == 3, text(word));
        BOOST_TEST(of(word, Code::deadline_reached, true) == 3, text(word));
    }
    BOOST_TEST(of(Word::outcome_unknown, Code::connection_failed) == 4);
    BOOST_TEST(of(Word::not_committed, Code::connection_failed) == 6);
    BOOST_TEST(of(Word::in_progress, Code::connection_failed) == 1);
    BOOST_TEST(of(Word::in_progress, Code::cas_conflict) == 7);
    BOOST_TEST(of(Word::partial_terminal, Code::cas_conflict) == 5);
    BOOST_TEST(of(Word::committed, Code::cas_outcome_unknown) == 4);
    BOOST_TEST(of(Word::in_progress, Code::config_invalid) == 2);
    BOOST_TEST(of(Word::no_record, Code::input_malformed) == 2);
    BOOST_TEST(of(Word::partial_terminal, Code::input_malformed) == 5);
    // Nothing that stopped is a success, and no failure hides what is unknown or mixed.
    for (const Code code : all_codes()) {
        BOOST_TEST(of(Word::completed, code) != 0, stable_name(code));
        if (code != Code::cancelled && code != Code::config_invalid && code != Code::deadline_reached) {
            BOOST_TEST(of(Word::outcome_unknown, code) == 4, stable_name(code));
            BOOST_TEST(
                (of(Word::partial_terminal, code) == 5 || of(Word::partial_terminal, code) == 4),
                stable_name(code)
            );
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
