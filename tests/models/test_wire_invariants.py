"""What holds for every wire: pairing, the hint that stays at home, and calm before hostile answers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.errors import HeedfulError
from heedful.models.anthropic import AnthropicWire
from heedful.models.credentials import Secret
from heedful.models.gemini import GeminiWire
from heedful.models.json_text import dump_json
from heedful.models.message import Message
from heedful.models.openai_compatible import OpenAICompatibleWire
from heedful.models.refusals import in_band_status, is_filtered, read_failure
from heedful.models.wire import Wire

from .samples import request, windowed_conversation

WIRES: dict[str, Wire] = {
    "openai": OpenAICompatibleWire("openai", "m"),
    "json": OpenAICompatibleWire("openai-compatible", "m", tools="json", demos=True),
    "anthropic": AnthropicWire("anthropic", "m"),
    "gemini": GeminiWire("google", "gemini-3-flash"),
}
ALL = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES.keys())


def test_every_tool_result_directly_follows_its_call_in_chat_completions():
    encoded = WIRES["openai"].encode(request(*windowed_conversation()), frozenset())
    waiting: list[str] = []
    for message in encoded["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
        else:
            assert waiting == []
            waiting = [one["id"] for one in message.get("tool_calls", ())]
    assert waiting == []


def test_every_tool_result_directly_follows_its_call_in_anthropic_messages():
    turns = WIRES["anthropic"].encode(request(*windowed_conversation()), frozenset())["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * 3 + ["user"]
    for asked, answered in zip(turns[1::2], turns[2::2], strict=True):
        ids = [block["id"] for block in asked["content"] if block["type"] == "tool_use"]
        first = answered["content"][: len(ids)]
        assert [block.get("tool_use_id") for block in first] == ids
        assert not any(block["type"] == "tool_result" for block in answered["content"][len(ids) :])


def test_every_tool_result_directly_follows_its_call_in_gemini_contents():
    contents = WIRES["gemini"].encode(request(*windowed_conversation()), frozenset())["contents"]
    assert contents[0]["role"] == "user"
    for index, content in enumerate(contents):
        asked = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
        if asked:
            answers = contents[index + 1]["parts"]
            assert [part["functionResponse"]["name"] for part in answers] == asked
    results = sum("functionResponse" in part for content in contents for part in content["parts"])
    assert results == 4


def test_every_result_directly_follows_its_call_in_prompted_messages():
    messages = WIRES["json"].encode(request(*windowed_conversation()), frozenset())["messages"]
    for asked, answered in pairwise(messages):
        if asked["role"] == "assistant" and asked["content"].startswith('{"tool"'):
            assert answered["role"] == "user"
            assert answered["content"].startswith(("Result of", "Error of"))


@ALL
def test_the_hint_never_reaches_the_wire(wire):
    asked = request(*windowed_conversation(), hint={"marker": "HINT-7f3a", "text": "walk"})
    encoded = wire.encode(asked, frozenset())
    assert b"HINT-7f3a" not in dump_json(encoded)
    assert encoded == wire.encode(request(*windowed_conversation()), frozenset())


@ALL
def test_the_key_is_in_the_headers_alone(wire):
    secret = Secret("sk-only-here")
    assert "sk-only-here" in " ".join(wire.headers(secret).values())
    assert b"sk-only-here" not in dump_json(wire.encode(request(), frozenset()))
    assert "sk-only-here" not in wire.path() + repr(wire) + repr(secret)


@ALL
def test_encoding_is_the_same_every_time(wire):
    asked = request(*windowed_conversation())
    assert dump_json(wire.encode(asked, frozenset())) == dump_json(wire.encode(asked, frozenset()))


KEYS = st.sampled_from(
    [
        "choices",
        "message",
        "content",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "id",
        "type",
        "text",
        "input",
        "stop_reason",
        "finish_reason",
        "usage",
        "candidates",
        "parts",
        "functionCall",
        "args",
        "finishReason",
        "promptFeedback",
        "blockReason",
        "error",
        "code",
        "status",
        "details",
        "refusal",
        "function_call",
        "tool",
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=20),
    st.sampled_from(
        ["tool_use", "text", "walk_to", "stop", '{"x": 1}', '{"tool": "walk_to"', "MALFORMED_FUNCTION_CALL"]
    ),
)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=25,
)
SHAPES = st.one_of(
    JSON,
    JSON.map(lambda value: {"choices": [{"message": value, "finish_reason": value}], "usage": value}),
    JSON.map(lambda value: {"choices": [{"message": {"content": value, "tool_calls": [value]}}]}),
    st.builds(
        lambda name, arguments: {
            "choices": [
                {
                    "message": {
                        "tool_calls": [{"id": name, "function": {"name": name, "arguments": arguments}}]
                    }
                }
            ]
        },
        JSON,
        JSON,
    ),
    JSON.map(
        lambda value: {
            "content": [value, {"type": "tool_use", "name": value, "input": value}],
            "usage": value,
        }
    ),
    JSON.map(lambda value: {"candidates": [value], "usageMetadata": value}),
    JSON.map(lambda value: {"candidates": [{"content": {"parts": [value, {"functionCall": value}]}}]}),
)


@ALL
@settings(max_examples=150, deadline=None)
@given(body=SHAPES)
def test_any_answer_is_a_reply_or_one_of_our_errors(wire, body: Any):
    asked = request()
    try:
        reply = wire.decode(body, asked)
    except HeedfulError:
        return
    assert all(
        isinstance(one.id, str) and one.id and isinstance(one.arguments, dict) for one in reply.tool_calls
    )
    assert all(one.arguments == {} for one in reply.tool_calls if one.problem is not None)
    assert len({one.id for one in reply.tool_calls}) == len(reply.tool_calls)
    dump_json(wire.encode(request(*asked.messages, _as_message(reply)), frozenset()))


@given(body=JSON, status=st.integers(300, 599))
@settings(deadline=None)
def test_any_error_answer_is_one_of_our_errors(body, status):
    assert isinstance(read_failure("p", status, body, ("KEY",)), HeedfulError)
    assert is_filtered(status, body) in {True, False}
    assert in_band_status(body) is None or 400 <= in_band_status(body) <= 599


def _as_message(reply):
    return Message("assistant", reply.text, tool_calls=reply.tool_calls)
