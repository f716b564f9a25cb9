#!/usr/bin/env python3
"""Checks receipts against their schema with python3-jsonschema, and that the schema is strict: validate.py SCHEMA FILE...

Prints one line for each violation; exit code 0: none, 1: some.
"""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is missing: run tools/prerequisites")


def damaged(receipt):
    """The same receipt with one thing wrong, and what."""
    for name in receipt:
        fewer = copy.deepcopy(receipt)
        del fewer[name]
        yield fewer, f"without {name}"
    more = copy.deepcopy(receipt)
    more["more"] = 1
    yield more, "with another field"
    if not receipt["scenarios"]:
        return
    for change, what in (
        ({"result": "green"}, "with a result that is none"),
        ({"result": "failed", "reason": None}, "failed without a reason"),
        ({"result": "skipped", "reason": "r", "executed": [1, 1]}, "skipped with executions"),
        ({"executed": [-1]}, "with less than no execution"),
        ({"evidence": "file"}, "with evidence that is no list"),
        ({"more": 1}, "with another field of a row"),
    ):
        changed = copy.deepcopy(receipt)
        changed["scenarios"][0].update(change)
        yield changed, what


def main(schema_file, files):
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    kind = getattr(jsonschema, "Draft202012Validator", jsonschema.Draft7Validator)
    kind.check_schema(schema)
    validator = kind(schema)
    wrong = 0
    for name in files:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        for error in validator.iter_errors(document):
            print(f"{name}: {error.message[:300]}")
            wrong += 1
        receipts = document if isinstance(document, list) else [document]
        for receipt in receipts:
            for changed, what in damaged(receipt):
                if validator.is_valid(changed):
                    print(f"{name}: the schema takes a receipt {what}")
                    wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
