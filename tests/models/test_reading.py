from __future__ import annotations

import pytest

from heedful.models.message import ToolCall
from heedful.models.reading import RAW_LIMIT, CallIds, as_count, as_text, read_call, strip_thinking

from .samples import assistant, call


@pytest.mark.parametrize(
    ("value", "count"),
    [(3, 3), (3.0, 3), (-1, 0), (True, 0), ("7", 0), (None, 0), (float("nan"), 0), (10**30, 0)],
)
def test_token_counts_that_make_no_sense_count_zero(value, count):
    assert as_count(value) == count


def test_text_is_read_from_strings_and_parts():
    assert as_text("a") == "a"
    assert (
        as_text([{"type": "text", "text": "a"}, {"type": "image"}, "x", {"text": 3}, {"text": "b"}]) == "ab"
    )
    assert as_text({"text": "a"}) == ""


@pytest.mark.parametrize("arguments", [None, "", "  ", "{}", {}])
def test_no_arguments_is_no_problem(arguments):
    assert read_call("stop", arguments, "1") == ToolCall("1", "stop", {})


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ('{"x": 1', "the arguments are not JSON"),
        ('{"x": NaN}', "the arguments are not JSON"),
        ("[1]", "the arguments are not a JSON object"),
        ('"{}"', "the arguments are not a JSON object"),
        (7, "the arguments are not a JSON object"),
        ('{"x":' * 70 + "1" + "}" * 70, "the arguments nest deeper"),
    ],
)
def test_unreadable_arguments_are_a_problem_and_kept_as_text(arguments, problem):
    read = read_call("walk_to", arguments, "1")
    assert read.problem is not None
    assert read.problem.startswith(problem)
    assert read.arguments == {}
    assert read.raw == (arguments if isinstance(arguments, str) else "7")


def test_raw_text_is_bounded():
    assert len(read_call("walk_to", "x" * 9_000, "1").raw or "") == RAW_LIMIT


@pytest.mark.parametrize("name", [None, "", 3, {}])
def test_a_call_without_a_name_is_a_problem(name):
    assert read_call(name, {"x": 1}, "1") == ToolCall("1", "", {}, "the call names no tool", '{"x":1}')


def test_ids_are_unique_in_the_conversation():
    ids = CallIds([assistant("", call("call-2"), call("call_0"))])
    assert [ids.take("own"), ids.take("own"), ids.take("call_0"), ids.take(None), ids.take("")] == [
        "own",
        "call-3",
        "call-4",
        "call-5",
        "call-6",
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain  ", "plain  "),
        ('<think>call {"tool": "stop"}</think> No.', "No."),
        ("a<think>b</think>c<think>d", "ac"),
        ("draft</think>\nDone.", "Done."),
        ("<think>only", ""),
    ],
)
def test_thinking_is_not_part_of_the_answer(text, left):
    assert strip_thinking(text) == left
