from __future__ import annotations

import contextlib
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.models.json_text import dump_json, is_deeper_than, parse_json


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", "1e999", '{"s": "\\ud83d", "x": NaN}', "[" * 5_000, "{", ""]
)
def test_what_is_no_strict_json_is_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the type is the whole contract
        parse_json(text)


def test_half_a_surrogate_pair_becomes_a_question_mark():
    assert parse_json(b'{"text": "walk \\ud83d now \\u00e9"}') == {"text": "walk ? now é"}


def test_text_that_is_not_unicode_can_be_sent():
    assert dump_json({"text": "a\ud800b"}) == b'{"text": "a?b"}'


def test_read_only_mappings_can_be_sent():
    frozen = MappingProxyType({"type": "object", "properties": MappingProxyType({})})
    assert dump_json({"parameters": frozen}) == b'{"parameters":{"type":"object","properties":{}}}'
    assert dump_json([frozen, "\ud800"]) == b'[{"type": "object", "properties": {}}, "?"]'
    with pytest.raises(TypeError, match="object is no JSON"):
        dump_json(object())


@given(st.text() | st.binary())
def test_only_value_errors_are_raised(data):
    with contextlib.suppress(ValueError):
        parse_json(data)


def test_depth_counts_objects_and_arrays():
    assert not is_deeper_than([{"a": 1}], 2)
    assert is_deeper_than([{"a": [1]}], 2)
