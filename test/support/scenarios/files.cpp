#include "scenarios/files.hpp"

#include "fixtures/sim/cluster.hpp"
#include "fixtures/sim/json_fields.hpp"
#include "scenarios/record_encoding.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace onceswap::scenarios {

namespace json = boost::json;

namespace {

constexpr std::size_t widest = 118;

void print(const json::value& value, std::size_t indent, std::size_t used, std::string& into);

template <class Elements, class One>
void print_all(
    const Elements& elements, std::size_t indent, char open, char close, std::string& into, One one
) {
    into += open;
    bool first = true;
    for (const auto& element : elements) {
        into += first ? "\n" : ",\n";
        first = false;
        into.append(indent + 2, ' ');
        one(element);
    }
    into += '\n';
    into.append(indent, ' ');
    into += close;
}

/// `{"a": 1, "b": [2, 3]}`
std::string on_one_line(const json::value& value) {
    std::string line;
    if (const json::object* object = value.if_object()) {
        for (const auto& [name, element] : *object)
            line += (line.empty() ? "{" : ", ") + json::serialize(name) + ": " + on_one_line(element);
        return (line.empty() ? "{" : line) + "}";
    }
    if (const json::array* array = value.if_array()) {
        for (const json::value& element : *array)
            line += (line.empty() ? "[" : ", ") + on_one_line(element);
        return (line.empty() ? "[" : line) + "]";
    }
    return json::serialize(value);
}

void print(const json::value& value, std::size_t indent, std::size_t used, std::string& into) {
    const std::string line = on_one_line(value);
    const bool short_enough = used + line.size() <= widest;
    if (const json::object* object = value.if_object(); object != nullptr && !short_enough)
        print_all(*object, indent, '{', '}', into, [&](const auto& field) {
            const std::string name = json::serialize(field.key()) + ": ";
            into += name;
            print(field.value(), indent + 2, indent + 2 + name.size(), into);
        });
    else if (const json::array* array = value.if_array(); array != nullptr && !short_enough)
        print_all(*array, indent, '[', ']', into, [&](const json::value& element) {
            print(element, indent + 2, indent + 2, into);
        });
    else
        into += line;
}

/// Fills in the columns of one row, in place.
void encode_row(json::value& row, const sim::State& state) {
    json::object& object = row.as_object();
    if (!object.contains("record"))
        return;
    json::object alone{{"record", object.at("record")}};
    json::object rows;
    rows["rows"] = json::array{alone};
    json::object document{{"authority", std::move(rows)}};
    const sim::ScenarioFile read = sim::scenario_file_from_json(document);
    const sim::AuthorityRowSetup made = encode(*read.scenario.authority->rows.front().record, state);
    object["target_key"] = made.target_key;
    object["operation_id"] = made.operation_id;
    object["fence_token"] = made.fence_token;
    object["phase"] = made.phase;
    object["dispatch_epoch"] = made.dispatch_epoch;
    object["payload"] = made.payload;
    object["payload_sha256"] = made.payload_sha256;
}

void encode_rows(json::value* rows, const sim::State& state) {
    if (rows == nullptr)
        return;
    for (json::value& row : rows->as_array())
        encode_row(row, state);
}

} // namespace

std::vector<std::filesystem::path> scenario_paths() {
    std::vector<std::filesystem::path> paths;
    const std::filesystem::path folder = std::string(ONCESWAP_SOURCE_DIR) + "/fixtures/scenarios";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".json") && !name.ends_with(".schema.json"))
            paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::string content_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        throw std::invalid_argument("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(stream), {}};
}

json::value document_of(const std::filesystem::path& path) {
    return sim::parse_json(content_of(path), path.filename().string());
}

sim::ScenarioFile load(const std::filesystem::path& path) {
    try {
        return sim::scenario_file_from_json(document_of(path));
    } catch (const std::invalid_argument& wrong) {
        throw std::invalid_argument(path.filename().string() + ": " + wrong.what());
    }
}

std::string pretty(const json::value& value) {
    std::string text;
    print(value, 0, 0, text);
    return text + "\n";
}

json::value with_encoded_records(const json::value& document) {
    const sim::Cluster cluster(sim::scenario_file_from_json(document).scenario, 1);
    json::value made = document;
    json::object& object = made.as_object();
    if (json::value* authority = object.if_contains("authority"))
        encode_rows(authority->as_object().if_contains("rows"), cluster.state());
    if (json::value* timeline = object.if_contains("timeline"))
        for (json::value& change : timeline->as_array())
            encode_rows(change.as_object().if_contains("authority_rows"), cluster.state());
    return made;
}

} // namespace onceswap::scenarios
