from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.models.lenient import MAX_CALLS, MAX_TEXT, read_calls
from heedful.models.message import ToolCall, ToolSpec
from heedful.models.reading import CallIds

from .samples import TOOLS, assistant, call

WALK_CALL = ToolCall("call-1", "walk_to", {"x": 1, "y": 2})


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "walk_to", "x": 1, "y": 2}',
        '{"name": "walk_to", "arguments": {"x": 1, "y": 2}}',
        '{"name": "walk_to", "parameters": {"x": 1, "y": 2}}',
        '{"name": "walk_to", "arguments": "{\\"x\\": 1, \\"y\\": 2}"}',
        '{"tool": "walk_to", "arguments": {"x": 1, "y": 2}}',
        '{"type": "function", "function": {"name": "walk_to", "arguments": {"x": 1, "y": 2}}}',
        '{"tool_calls": [{"function": {"name": "walk_to", "arguments": "{\\"x\\": 1, \\"y\\": 2}"}}]}',
        '{"name": "functions.walk_to", "arguments": {"x": 1, "y": 2}}',
        'functions.walk_to: {"x": 1, "y": 2}',
        'functions.walk_to({"x": 1, "y": 2})',
        '{{"name": "walk_to", "arguments": {"x": 1, "y": 2}}}',
        '{{"name": "walk_to", "arguments": {{"x": 1, "y": 2}}}}',
        '{{"name": "walk_to", "arguments": {"x": 1, "y": 2}}',
        '{"name": "walk_to", "arguments": {"x": 1, "y": 2}}}',
        '```json\n{"tool": "walk_to", "x": 1, "y": 2}\n```',
        '```\n[{"tool": "walk_to", "x": 1, "y": 2}]\n```',
        '<tool_call>\n{"name": "walk_to", "arguments": {"x": 1, "y": 2}}\n</tool_call>',
        '<tool_call>{"name": "walk_to", "arguments": {"x": 1, "y": 2}}',
        '<|tool_call|>{"name": "walk_to", "arguments": {"x": 1, "y": 2}}',
    ],
)
def test_each_way_to_spell_a_call_is_read(text):
    assert read_calls(text, TOOLS) == ((WALK_CALL,), "", ("lenient_json",))


def test_words_around_a_call_stay():
    reading = read_calls('Sure {really}, I\'ll go. {"tool": "walk_to", "x": 1, "y": 2} Bye.', TOOLS)
    assert reading == ((WALK_CALL,), "Sure {really}, I'll go.  Bye.", ("lenient_json",))


@pytest.mark.parametrize("before", ['He said "hi {" and ', "a { b ", "[citation] " * 40, "{not json} " * 40])
def test_stray_brackets_before_a_call_do_not_hide_it(before):
    assert read_calls(before + '{"tool": "walk_to", "x": 1, "y": 2}', TOOLS).calls == (WALK_CALL,)


def test_several_calls_keep_their_order_and_get_ids_of_their_own():
    text = '[{"tool": "get_battery"}, {"tool": "no"}, {"name": "get_proximity"}]\n{"tool": "walk_to", "x": 1}'
    reading = read_calls(text, TOOLS, CallIds([assistant("", call("call-7"))]))
    assert [(one.id, one.name) for one in reading.calls] == [
        ("call-8", "get_battery"),
        ("call-9", "get_proximity"),
        ("call-10", "walk_to"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I will not walk.",
        '{"tool": "fly_to", "x": 1}',
        '{"name": "walk_to", "description": "Walk to a point.", "parameters": {"type": "object"}}',
        '{"name": "walk_to", "parameters": {"type": "object", "properties": {"x": {"type": "number"}}}}',
        '{"name": "walk_to", "x": 1}',
        '{"tool": ["walk_to"]}',
        '{"walk_to": {"x": 1}}',
        '{"reply": "walk_to"}',
        "functions.walk_to:",
        'functions.fly: {"x": 1}',
        '{"tool": "walk_to", "x": 1',
    ],
)
def test_what_is_no_call_of_an_offered_tool_is_left_alone(text):
    assert read_calls(text, TOOLS) == ((), text, ())


def test_unreadable_arguments_make_a_malformed_call():
    reading = read_calls('{"name": "walk_to", "arguments": "north"}', TOOLS)
    assert reading.calls[0].problem is not None
    assert reading.calls[0].raw == "north"
    assert reading.notes == ("lenient_json", "malformed_call")


def test_a_tool_with_a_parameter_called_arguments_keeps_it():
    tool = ToolSpec("run", "", {"type": "object", "properties": {"arguments": {"type": "array"}}})
    assert read_calls('{"tool": "run", "arguments": [1]}', [tool]).calls == (
        ToolCall("call-1", "run", {"arguments": [1]}),
    )


def test_without_tools_nothing_is_read():
    assert read_calls('{"tool": "walk_to"}', ()).calls == ()


def test_size_is_bounded_and_said():
    long = '{"tool": "get_battery"}' + " " * MAX_TEXT
    assert read_calls(long, TOOLS).notes == ("lenient_skipped",)
    many = json.dumps([{"tool": "get_battery"}] * (MAX_CALLS + 5))
    reading = read_calls(many, TOOLS)
    assert len(reading.calls) == MAX_CALLS
    assert "lenient_truncated" in reading.notes


@pytest.mark.parametrize(
    "unit",
    [
        "{",
        "[",
        "}",
        '{"',
        '{"a":',
        "{{",
        "{[",
        '"\\"',
        '{"a":{"b":',
        "{}",
        "{x}",
        "[{",
        '{"\\',
        "```",
        "functions.a:{",
    ],
)
def test_hostile_repetition_takes_bounded_time(unit):
    text = unit * (MAX_TEXT // len(unit))
    started = time.process_time()
    read_calls(text, TOOLS)
    assert time.process_time() - started < 2.0


FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *"{}[]\",:\\ \n'",
            '"tool"',
            '"name"',
            '"walk_to"',
            '"arguments"',
            "functions.walk_to",
            "<tool_call>",
            "```json",
            "1",
            '{"tool": "get_battery"}',
        ]
    ),
    max_size=60,
).map("".join)


@given(FRAGMENTS | st.text())
def test_any_text_is_read_without_an_error_and_into_offered_tools_only(text):
    reading = read_calls(text, TOOLS)
    assert {one.name for one in reading.calls} <= {tool.name for tool in TOOLS}
    assert reading.calls or reading.text == text


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
)


@given(st.dictionaries(st.text(max_size=5).filter(lambda key: key != "tool"), VALUES, max_size=4))
def test_what_is_written_as_a_call_is_read_back(arguments):
    written = json.dumps({"tool": "walk_to", "arguments": arguments})
    assert read_calls(f"Well: {written}", TOOLS).calls == (ToolCall("call-1", "walk_to", arguments),)
