from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from heedful.spec.load import shipped_specs, spec_text
from heedful.spec.schema import spec_schema

SCHEMA = spec_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def document(name: str = "iso10218-humanoid") -> dict:
    return yaml.safe_load(spec_text(name)[0])


def test_schema_is_valid_draft_2020_12_and_names_itself():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["$id"] == "urn:heedful:schema:heedful-spec-1"
    assert SCHEMA["title"] == "heedful safety spec"


@pytest.mark.parametrize("name", shipped_specs())
def test_shipped_specs_are_valid(name):
    assert list(VALIDATOR.iter_errors(document(name))) == []


def test_documented_fields_are_described():
    signal = SCHEMA["$defs"]["Signal"]["properties"]
    assert signal["range"]["description"] == "Values outside are unknown. Required for numbers."
    assert SCHEMA["properties"]["precedence"]["description"].startswith("Rule ids, the one that wins first")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema_version",), "heedful-spec-2"),
        (("invariants",), []),
        (("invariants", 1, "response", "max"), 300),
        (("invariants", 0, "response", "kind"), "forbid"),
        (("invariants", 0, "on_unknown"), "inactive"),
        (("invariants", 0, "id"), "s1"),
        (("tools", "walk_to"), "walking"),
        (("signals", "human.distance", "type"), "float"),
        (("colour",), "red"),
    ],
)
def test_what_the_loader_refuses_the_schema_refuses(path, value):
    broken = copy.deepcopy(document())
    place = broken
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert list(VALIDATOR.iter_errors(broken))


def test_schema_does_not_change_between_calls():
    assert spec_schema() == SCHEMA


def test_the_published_schema_is_the_one_of_this_version():
    published = Path(__file__).parents[2] / "docs" / "reference" / "spec.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == spec_schema()
