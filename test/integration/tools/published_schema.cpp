#include "published_schema.hpp"

#include "process.hpp"

namespace onceswap::testing {

namespace {

constexpr const char* program = R"(
import json, pathlib, sys
from jsonschema import Draft202012Validator, RefResolver
folder = pathlib.Path(sys.argv[1])
schemas = {s["$id"]: s for s in (json.loads(p.read_text()) for p in folder.glob("*.schema.json"))}
schema = json.loads((folder / sys.argv[2]).read_text())
for each in schemas.values():
    Draft202012Validator.check_schema(each)
validator = Draft202012Validator(schema, resolver=RefResolver.from_schema(schema, store=schemas))
documents = [json.loads(line) for line in sys.stdin.read().splitlines()]
if not documents:
    print("no document")
for number, document in enumerate(documents, 1):
    for problem in list(validator.iter_errors(document))[:3]:
        print(f"document {number}: {problem.json_path}: {problem.message[:300]}")
)";

} // namespace

std::string published_schema_problems(std::string_view schema, const std::string& documents) {
    const Ended ended = run(
        "/usr/bin/python3",
        {"-W", "ignore", "-c", program, std::string(ONCESWAP_SOURCE_DIR) + "/docs/cli", std::string(schema)},
        documents
    );
    return ended.code == 0 ? ended.out : describe(ended);
}

} // namespace onceswap::testing
