from __future__ import annotations

from heedful.models.schemas import inline_references, to_gemini_schema


def test_references_are_inlined_and_definitions_go():
    schema = {
        "type": "object",
        "properties": {"to": {"$ref": "#/$defs/Point", "description": "target"}},
        "$defs": {
            "Point": {"type": "object", "properties": {"x": {"$ref": "#/$defs/Metre"}}},
            "Metre": {"type": "number"},
        },
    }
    assert inline_references(schema) == {
        "type": "object",
        "properties": {
            "to": {"type": "object", "properties": {"x": {"type": "number"}}, "description": "target"}
        },
    }


def test_a_schema_that_holds_itself_ends():
    schema = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/N"}},
        "$defs": {"N": {"properties": {"n": {"$ref": "#/$defs/N"}}}},
    }
    assert inline_references(schema)["properties"]["next"] == {"properties": {"n": {"type": "object"}}}


def test_gemini_gets_only_what_it_accepts():
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "WalkArguments",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "hand": {"enum": ["left", "right"], "default": "left", "title": "Hand"},
            "kind": {"const": "wave"},
            "level": {"type": "integer", "enum": [1, 2], "description": "How strong."},
            "speed": {"type": "number", "exclusiveMinimum": 0, "maximum": 100, "multipleOf": 5},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "free text"},
            "when": {"type": ["string", "null"], "format": "time"},
            "at": {"type": "string", "format": "date-time"},
            "goal": {"oneOf": [{"type": "number"}, {"type": "string"}]},
            "path": {
                "type": "array",
                "items": {"type": "number", "examples": [1]},
                "minItems": 1,
                "uniqueItems": True,
            },
            "both": {"allOf": [{"type": "number"}, {"minimum": 1}]},
        },
        "required": ["hand"],
    }
    assert to_gemini_schema(schema) == {
        "type": "OBJECT",
        "required": ["hand"],
        "properties": {
            "hand": {"type": "STRING", "enum": ["left", "right"]},
            "kind": {"type": "STRING", "enum": ["wave"]},
            "level": {"type": "INTEGER", "description": "How strong. One of: 1, 2."},
            "speed": {"type": "NUMBER", "minimum": 0, "maximum": 100},
            "note": {"type": "STRING", "nullable": True, "description": "free text"},
            "when": {"type": "STRING", "nullable": True},
            "at": {"type": "STRING", "format": "date-time"},
            "goal": {"anyOf": [{"type": "NUMBER"}, {"type": "STRING"}]},
            "path": {"type": "ARRAY", "items": {"type": "NUMBER"}, "minItems": 1},
            "both": {"type": "NUMBER", "minimum": 1},
        },
    }


def test_a_tool_without_parameters_has_no_gemini_schema():
    assert to_gemini_schema({"type": "object", "properties": {}}) is None
    assert to_gemini_schema({"type": "object"}) is None
