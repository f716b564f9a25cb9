#!/usr/bin/env python3
"""Checks scenario files against their schema with python3-jsonschema, and that the schema is strict: validate.py SCHEMA FILE...

Prints one line for each violation; exit code 0: none, 1: some.
"""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is missing: run tools/prerequisites")

# Objects whose keys are free.
FREE = {"settings", "values", "replica", "headers", "sent", "orphans", "retained"}


def objects(value, path=()):
    """The paths of all objects whose fields are the format's."""
    if isinstance(value, dict):
        yield path
        for name, each in value.items():
            if name not in FREE:
                yield from objects(each, (*path, name))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from objects(each, (*path, number))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def main(schema_file, files):
    with open(schema_file, encoding="utf-8") as stream:
        schema = json.load(stream)
    validator_class = jsonschema.validators.validator_for(schema)
    validator_class.check_schema(schema)
    validator = validator_class(schema)
    found = 0
    for name in files:
        with open(name, encoding="utf-8") as stream:
            document = json.load(stream)
        for error in validator.iter_errors(document):
            print(f"{name}: {error.json_path}: {error.message[:200]}")
            found += 1
        # One more field anywhere must not pass; a document is copied once and mended after each try.
        spoilt = copy.deepcopy(document)
        for path in objects(document):
            at(spoilt, path)["nobody"] = 1
            if validator.is_valid(spoilt):
                print(f"{name}: /{'/'.join(map(str, path))}: an unknown field passes")
                found += 1
            del at(spoilt, path)["nobody"]
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
