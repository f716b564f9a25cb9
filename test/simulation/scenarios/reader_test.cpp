#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/json_fields.hpp"
#include "fixtures/sim/scenario_file.hpp"
#include "scenarios/files.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>

// The reader is strict, and knows exactly the fields of the schema.

using namespace onceswap;
using namespace onceswap::scenarios;
namespace json = boost::json;

namespace {

/// What the reader says against a document; empty: nothing.
std::string refusal(const json::value& document) {
    try {
        sim::scenario_file_from_json(document);
    } catch (const std::invalid_argument& wrong) {
        return wrong.what();
    }
    return {};
}

std::string refusal_of_text(const std::string& text) {
    return refusal(sim::parse_json(text, "test"));
}

/// An object with one field, at the place where objects of a definition of the schema stand.
using Place = std::function<json::object(json::object)>;

Place inside(const char* list) {
    return [list](json::object object) { return json::object{{list, json::array{object}}}; };
}

json::object with(json::object object, std::initializer_list<std::pair<const char*, json::value>> fields) {
    for (const auto& [name, value] : fields)
        if (!object.contains(name))
            object[name] = value;
    return object;
}

json::object in_record(const char* name, json::object object) {
    json::object record;
    record[name] = std::move(object);
    json::object row;
    row["record"] = std::move(record);
    json::object authority;
    authority["rows"] = json::array{row};
    return {{"authority", authority}};
}

const std::map<std::string, Place>& places() {
    static const std::map<std::string, Place> all{
        {"", [](json::object object) { return object; }},
        {"about",
         [](json::object object) {
             return json::object{{"about", with(std::move(object), {{"title", "t"}, {"why", "w"}})}};
         }},
        {"member", inside("members")},
        {"cluster",
         [](json::object object) { return inside("clusters")(with(std::move(object), {{"name", "c1"}})); }},
        {"database", inside("databases")},
        {"column",
         [](json::object object) {
             json::object table{{"name", "t"}};
             table["columns"] = json::array{with(std::move(object), {{"name", "c"}, {"type", "UInt8"}})};
             return inside("tables")(table);
         }},
        {"table",
         [](json::object object) { return inside("tables")(with(std::move(object), {{"name", "t"}})); }},
        {"entry",
         [](json::object object) {
             return inside("queue")(with(std::move(object), {{"entry", "query-0000000001"}}));
         }},
        {"host",
         [](json::object object) {
             json::object entry{{"entry", "query-0000000001"}};
             entry["hosts"] = json::array{object};
             return inside("queue")(entry);
         }},
        {"authority", [](json::object object) { return json::object{{"authority", object}}; }},
        {"authority_row",
         [](json::object object) {
             json::object authority;
             authority["rows"] = json::array{object};
             return json::object{{"authority", authority}};
         }},
        {"record",
         [](json::object object) {
             json::object row{{"record", object}};
             json::object authority;
             authority["rows"] = json::array{row};
             return json::object{{"authority", authority}};
         }},
        {"attempt", [](json::object object) { return in_record("publication", std::move(object)); }},
        {"user", inside("users")},
        {"match",
         [](json::object object) {
             json::object fault{{"effect", "lose"}, {"match", object}};
             return inside("faults")(fault);
         }},
        {"fault",
         [](json::object object) { return inside("faults")(with(std::move(object), {{"effect", "lose"}})); }},
        {"queue_edit",
         [](json::object object) {
             json::object fault{{"effect", "edit_queue"}};
             fault["queue_edit"] = with(std::move(object), {{"what", "set"}});
             return inside("faults")(fault);
         }},
        {"when",
         [](json::object object) {
             json::object change{{"when", object}};
             change["queue"] = json::array();
             return inside("timeline")(change);
         }},
        {"change",
         [](json::object object) {
             return inside("timeline")(
                 with(std::move(object), {{"when", json::object()}, {"queue", json::array()}})
             );
         }},
        {"with",
         [](json::object object) {
             json::object step{{"run", "status"}, {"verdict", "READY"}, {"reason", nullptr}, {"exit", 0}};
             step["with"] = object;
             return inside("steps")(step);
         }},
        {"line",
         [](json::object object) {
             json::object step{{"run", "doctor"}, {"refused_with", nullptr}, {"exit", 0}};
             step["lines"] =
                 json::array{with(std::move(object), {{"standing", "warn"}, {"code", "ONCESWAP_READY"}})};
             return inside("steps")(step);
         }},
        {"orphan",
         [](json::object object) {
             json::object step{{"run", "orphans list"}, {"exit", 0}};
             step["tables"] = json::array{with(std::move(object), {{"name", "t"}, {"state", "gone"}})};
             return inside("steps")(step);
         }},
        {"step",
         [](json::object object) {
             return inside("steps")(with(
                 std::move(object),
                 {{"run", "status"}, {"verdict", "READY"}, {"reason", nullptr}, {"exit", 0}}
             ));
         }},
    };
    return all;
}

json::value schema() {
    return document_of(std::string(ONCESWAP_SOURCE_DIR) + "/fixtures/scenarios/scenario.schema.json");
}

/// Adds a field that nobody knows to every object of a document in turn, where the fields are the format's.
void each_object(json::value& value, const std::function<void(json::object&)>& visit) {
    if (json::object* object = value.if_object()) {
        visit(*object);
        for (auto& field : *object) {
            // Objects whose keys are free.
            const std::string_view name = field.key();
            const bool free = name == "settings" || name == "values" || name == "replica" ||
                              name == "headers" || name == "sent" || name == "orphans" || name == "retained";
            if (!free)
                each_object(field.value(), visit);
        }
    } else if (json::array* array = value.if_array()) {
        for (json::value& element : *array)
            each_object(element, visit);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(scenario_reader)

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said_with_its_place) {
    const struct {
        const char* text;
        const char* said;
    } rows[] = {
        {R"([])", "scenario: an object is expected"},
        {R"({"member": 2})", "scenario.member: no such field"},
        {R"({"members": 0})", "scenario.members: 1 to 64 members"},
        {R"({"members": 65})", "scenario.members: 1 to 64 members"},
        {R"({"members": []})", "scenario.members: 1 to 64 members"},
        {R"({"members": "2"})", "scenario.members: an integer in range is expected"},
        {R"({"members": [{"hosts": "x"}]})", "scenario.members[0].hosts: no such field"},
        {R"({"members": [{"port": 70000}]})", "scenario.members[0].port: an integer in range is expected"},
        {R"({"profile": "23.8"})", "scenario.profile: 24.8, 25.8, 25.11 or 26.7"},
        {R"({"clusters": []})", "scenario.clusters: at least one"},
        {R"({"clusters": [{"name": "c1", "members": [2]}]})", "cluster c1: there is no member 2"},
        {R"({"clusters": [{"name": "c1", "seen_from": [7]}]})", "cluster c1: there is no member 7"},
        {R"({"databases": [{"name": "db", "members": [3]}]})", "database db: there is no member 3"},
        {R"({"tables": [{"columns": []}]})", "scenario.tables[0].name: a table has a name"},
        {R"({"tables": [{"name": "t", "columns": [{"name": "c"}]}]})",
         "scenario.tables[0].columns[0].name: a column has a name and a type"},
        {R"({"tables": [{"name": "t", "members": [2]}]})", "table t: there is no member 2"},
        {R"({"tables": [{"name": "t", "members": [-1]}]})",
         "scenario.tables[0].members: positions from 0 are expected"},
        {R"({"tables": [{"name": "t", "replica": {"is_readonly": 1}}]})",
         "scenario.tables[0].replica: values are strings"},
        {R"({"queue": [{"query": "x"}]})", "scenario.queue[0].entry: an entry has a name"},
        {R"({"queue": [{"entry": "e", "initiator": 2}]})",
         "scenario.queue[0].initiator: there is no such member"},
        {R"({"queue": [{"entry": "e", "seen_from": [2]}]})", "entry e: there is no member 2"},
        {R"({"queue": [{"entry": "e", "repeat": 0}]})",
         "scenario.queue[0].repeat: a number from 1 to 5000 is expected"},
        {R"({"queue": [{"entry": "e", "hosts": [{"member": 2}]}]})",
         "scenario.queue[0].hosts[0].member: there is no such member"},
        {R"({"queue": [{"entry": "e", "hosts": [{"member": 0, "host": "x"}]}]})",
         "scenario.queue[0].hosts[0].member: says host and port already"},
        {R"({"queue": [{"entry": "e", "hosts": [{"status": 1}]}]})",
         "scenario.queue[0].hosts[0].status: a string or null is expected"},
        {R"({"queue": [{"entry": "e", "hosts": [{"exception_code": "0"}]}]})",
         "scenario.queue[0].hosts[0].exception_code: an integer in range is expected"},
        {R"({"authority": {"members": [5]}})", "authority: there is no member 5"},
        {R"({"authority": {"rows": [{"payload": "a", "payload_hex": "61"}]}})",
         "scenario.authority.rows[0].payload_hex: the payload is said twice"},
        {R"({"authority": {"rows": [{"payload_hex": "6"}]}})",
         "scenario.authority.rows[0].payload_hex: pairs of lower-case hex digits are expected"},
        {R"({"authority": {"rows": [{"payload_hex": "6G"}]}})",
         "scenario.authority.rows[0].payload_hex: pairs of lower-case hex digits are expected"},
        {R"({"authority": {"rows": [{"version": 3000000000}]}})",
         "scenario.authority.rows[0].version: a 32-bit number is expected"},
        {R"({"authority": {"rows": [{"record": {"publication": {"token": "x"}}}]}})",
         "scenario.authority.rows[0].record.publication.token: no such field"},
        {R"({"authority": {"rows": [{"record": {"recent": [{"operation": "x"}]}}]}})",
         "scenario.authority.rows[0].record.recent[0].operation: no such field"},
        {R"({"faults": [{"effect": "explode"}]})", "scenario.faults[0].effect: no such effect: explode"},
        {R"({"faults": [{"point": "arrive"}]})", "scenario.faults[0].effect: is missing"},
        {R"({"faults": [{"effect": "lose", "match": {"class": "select"}}]})",
         "scenario.faults[0].match.class: no statement class: select"},
        {R"({"timeline": [{"queue": []}]})",
         "scenario.timeline[0].when: an object with the point and what it matches is expected"},
        {R"({"timeline": [{"when": {"effect": "lose"}, "queue": []}]})",
         "scenario.timeline[0].when: says when; what changes stands beside it"},
        {R"({"timeline": [{"when": {}}]})", "scenario.timeline[0].when: nothing changes then"},
        {R"({"timeline": [{"when": {}, "tables": [{"name": "t", "members": [9]}]}]})",
         "table t: there is no member 9"},
        {R"({"latency": {"keeper_us": [1]}})",
         "scenario.latency.keeper_us: [least, most] in microseconds is expected"},
        {R"({"about": {"why": "w"}})", "scenario.about.title: is missing"},
        {R"({"about": {"title": "t"}})", "scenario.about.why: is missing: one sentence for the operator"},
        {R"({"steps": [{"run": "look"}]})",
         "scenario.steps[0].run: status, plan, publish, resume, abandon, retire, close, orphans list, "
         "orphans drop or doctor"},
        {R"({"steps": [{"run": "doctor", "exit": 0, "refused_with": null}]})",
         "scenario.steps[0].lines: is missing"},
        {R"({"steps": [{"run": "doctor", "exit": 0, "lines": []}]})",
         "scenario.steps[0].refused_with: is missing"},
        {R"({"steps": [{"run": "doctor", "exit": 0, "refused_with": null, "lines": [], "verdict": "READY"}]})",
         "scenario.steps[0].verdict: nothing that doctor answers"},
        {R"({"steps": [{"run": "doctor", "exit": 0, "refused_with": null, "lines": [{"standing": "bad", "code": "x"}]}]})",
         "scenario.steps[0].lines[0].standing: no such word: bad"},
        {R"({"steps": [{"run": "doctor", "exit": 0, "refused_with": null, "lines": [{"standing": "warn"}]}]})",
         "scenario.steps[0].lines[0].code: is missing"},
        {R"({"steps": [{"run": "doctor", "exit": 0, "refused_with": null, "lines": [{"code": "x"}]}]})",
         "scenario.steps[0].lines[0].standing: is missing"},
        {R"({"steps": [{"run": "orphans list", "exit": 0}]})", "scenario.steps[0].tables: is missing"},
        {R"({"steps": [{"run": "orphans list", "exit": 0, "tables": [{"name": "t"}]}]})",
         "scenario.steps[0].tables[0].state: is missing"},
        {R"({"steps": [{"run": "orphans list", "exit": 0, "tables": [{"state": "gone"}]}]})",
         "scenario.steps[0].tables[0].name: is missing"},
        {R"({"steps": [{"run": "orphans list", "exit": 0, "tables": [], "warned": []}]})",
         "scenario.steps[0].warned: nothing that orphans list answers"},
        {R"({"steps": [{"run": "orphans drop", "exit": 8, "stopped": "x"}]})",
         "scenario.steps[0].with: orphans drop has a name"},
        {R"({"steps": [{"run": "orphans drop", "exit": 8, "with": {"name": "t"}}]})",
         "scenario.steps[0].stopped: is missing"},
        {R"({"steps": [{"run": "orphans drop", "exit": 8, "with": {"name": "t"}, "verdict": "READY"}]})",
         "scenario.steps[0].reason: is missing"},
        {R"({"steps": [{"run": "close", "exit": 0, "reason": null}]})",
         "scenario.steps[0].verdict: is missing"},
        {R"({"steps": [{"run": "retire", "exit": 0, "verdict": "COMPLETED", "reason": null, "lines": []}]})",
         "scenario.steps[0].lines: nothing that retire answers"},
        {R"({"steps": [{"run": "status", "exit": 0, "verdict": "READY", "reason": null, "tables": []}]})",
         "scenario.steps[0].tables: nothing that status answers"},
        {R"({"steps": [{"run": "status", "verdict": "READY", "exit": 3}]})",
         "scenario.steps[0].reason: is missing"},
        {R"({"steps": [{"run": "status", "reason": null, "exit": 3}]})",
         "scenario.steps[0].verdict: is missing"},
        {R"({"steps": [{"run": "status", "verdict": "READY", "reason": null}]})",
         "scenario.steps[0].exit: is missing"},
        {R"({"steps": [{"run": "status", "verdict": "READY", "reason": null, "exit": 0, "sent": {"x": 1}}]})",
         "scenario.steps[0].sent: no statement class: x"},
        {R"({"steps": [{"run": "status", "verdict": "READY", "reason": null, "exit": 0, "sent": {"drop": -1}}]})",
         "scenario.steps[0].sent: numbers from 0 are expected"},
    };

    for (const auto& row : rows)
        BOOST_TEST(refusal_of_text(row.text) == row.said, row.text << ": " << refusal_of_text(row.text));
    BOOST_TEST(refusal_of_text("{}") == "");
}

BOOST_AUTO_TEST_CASE(a_field_that_nobody_knows_is_refused_wherever_it_stands) {
    std::size_t places_tried = 0;
    for (const auto& path : scenario_paths()) {
        const json::value document = document_of(path);
        std::size_t objects = 0;
        json::value counted = document;
        each_object(counted, [&](json::object&) { ++objects; });
        for (std::size_t wanted = 0; wanted < objects; ++wanted) {
            json::value spoilt = document;
            std::size_t number = 0;
            each_object(spoilt, [&](json::object& object) {
                if (number++ == wanted)
                    object["nobody"] = 1;
            });
            const std::string said = refusal(spoilt);
            BOOST_TEST(
                said.ends_with(".nobody: no such field"),
                path.filename().string() << ", object " << wanted << ": " << said
            );
            ++places_tried;
        }
    }
    BOOST_TEST(places_tried > 1000U);
}

/// A field of the schema with a value that no field takes is refused for its value, not as unknown.
BOOST_AUTO_TEST_CASE(every_field_of_the_schema_is_known_to_the_reader) {
    const json::value all = schema();
    const json::object& definitions = all.at("$defs").as_object();
    std::size_t tried = 0;
    for (const auto& [name, place] : places()) {
        const json::object& definition = name.empty() ? all.as_object() : definitions.at(name).as_object();
        for (const auto& field : definition.at("properties").as_object()) {
            json::array wrong; // braces around one array would copy it
            wrong.push_back(json::array());
            json::object object;
            object[field.key()] = wrong;
            const std::string said = refusal(place(object));
            BOOST_TEST(
                (!said.empty() && said.find("no such field") == std::string::npos),
                name << "." << std::string(field.key()) << ": " << said
            );
            ++tried;
        }
    }
    BOOST_TEST(tried > 150U);
    // Every definition has its place above.
    for (const auto& definition : definitions)
        BOOST_TEST(places().contains(std::string(definition.key())), std::string(definition.key()));
}

/// The schema's words for points, effects and classes are the code's.
BOOST_AUTO_TEST_CASE(every_word_of_a_fault_is_in_the_schema) {
    const json::value all = schema();
    const auto words = [&](const char* definition, const char* field) {
        std::set<std::string> found;
        const json::value& property = all.at("$defs").at(definition).at("properties").at(field);
        for (const json::value& word : property.at("enum").as_array())
            found.emplace(word.as_string());
        return found;
    };
    std::set<std::string> points;
    for (int i = 0; i <= static_cast<int>(sim::Point::worker_after_status); ++i)
        points.emplace(text(static_cast<sim::Point>(i)));
    std::set<std::string> effects;
    for (int i = 0; i <= static_cast<int>(sim::last_effect); ++i)
        effects.emplace(text(static_cast<sim::Effect>(i)));
    effects.erase("change"); // what a timeline is made of
    std::set<std::string> classes;
    for (int i = 0; i <= static_cast<int>(sim::StatementClass::other); ++i)
        classes.emplace(text(static_cast<sim::StatementClass>(i)));
    BOOST_TEST(words("fault", "point") == points, boost::test_tools::per_element());
    BOOST_TEST(words("when", "point") == points, boost::test_tools::per_element());
    BOOST_TEST(words("fault", "effect") == effects, boost::test_tools::per_element());
    BOOST_TEST(words("match", "class") == classes, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_entry_without_a_number_cannot_be_repeated) {
    const auto file = sim::scenario_file_from_json(
        sim::parse_json(R"({"queue": [{"entry": "odd", "repeat": 2, "hosts": [{}]}]})", "test")
    );
    BOOST_CHECK_THROW(sim::Cluster(file.scenario, 1), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
