from __future__ import annotations

import pytest

from heedful.errors import ProviderError
from heedful.models.anthropic import decode_response, encode_request
from heedful.models.message import Message, ModelReply, ToolCall, Usage

from .samples import TOOLS, WALK, assistant, call, request, result, user

CACHE = {"type": "ephemeral"}


def text(words: str, **fields: object) -> dict[str, object]:
    return {"type": "text", "text": words, **fields}


def test_a_request_is_encoded_whole_with_its_cache_breakpoints():
    conversation = (
        Message("system", "You run a robot."),
        user("walk ✓"),
        assistant("Going.", call("a", "walk_to", x=1.5), call("b")),
        result("a", "done", "walk_to"),
        result("b", "no battery", is_error=True),
        user("and now?"),
    )
    assert encode_request(request(*conversation, tools=(WALK,)), model="claude") == {
        "model": "claude",
        "max_tokens": 1024,
        "temperature": 0.2,
        "system": [text("You run a robot.", cache_control=CACHE)],
        "tools": [
            {
                "name": "walk_to",
                "description": "Walk to a point.",
                "input_schema": WALK.input_schema,
                "cache_control": CACHE,
            }
        ],
        "messages": [
            {"role": "user", "content": [text("walk ✓", cache_control=CACHE)]},
            {
                "role": "assistant",
                "content": [
                    text("Going."),
                    {"type": "tool_use", "id": "a", "name": "walk_to", "input": {"x": 1.5}},
                    {"type": "tool_use", "id": "b", "name": "get_battery", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": [text("done")]},
                    {
                        "type": "tool_result",
                        "tool_use_id": "b",
                        "content": [text("no battery")],
                        "is_error": True,
                    },
                    text("and now?", cache_control=CACHE),
                ],
            },
        ],
    }


def test_at_most_four_blocks_ask_for_the_cache():
    conversation = [Message("system", "a"), Message("system", "b")]
    for turn in range(6):
        conversation += [
            user(f"u{turn}"),
            assistant("", call(f"c{turn}")),
            result(f"c{turn}"),
            assistant("ok"),
        ]
    encoded = encode_request(request(*conversation), model="claude")
    assert str(encoded).count("cache_control") == 4
    assert "cache_control" in encoded["messages"][-2]["content"][-1]


def test_a_conversation_begins_with_the_user_and_alternates():
    conversation = (
        assistant("hello"),
        user("a"),
        user("b"),
        Message("system", "new rule"),
        assistant(""),
        user(" "),
    )
    turns = encode_request(request(*conversation), model="claude")["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert [block["text"] for block in turns[2]["content"]] == ["a", "b", "System: new rule", "(no words)"]


def test_used_tools_are_named_where_none_is_offered():
    conversation = (user("a"), assistant("", call("a"), call("b")), result("a"), result("b"))
    encoded = encode_request(request(*conversation, tools=()), model="claude")
    assert [tool["name"] for tool in encoded["tools"]] == ["get_battery"]
    assert encoded["tool_choice"] == {"type": "none"}
    assert "tools" not in encode_request(request(user("a"), tools=()), model="claude")


def test_encoding_leaves_the_request_as_it_was():
    asked = request(user("a"), assistant("", call("a")), result("a"))
    assert encode_request(asked, model="m") == encode_request(asked, model="m")
    assert TOOLS[0].input_schema == WALK.input_schema


def test_a_dropped_temperature_is_left_out():
    assert "temperature" not in encode_request(request(), model="m", dropped=frozenset({"temperature"}))


def test_words_parallel_calls_and_usage_are_decoded():
    body = {
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "Gut ✓"},
            {"type": "tool_use", "id": "a", "name": "walk_to", "input": {"x": 1}},
            {"type": "tool_use", "id": "b", "name": "get_battery", "input": {}},
        ],
        "stop_reason": "tool_use",
        "usage": {
            "input_tokens": 10,
            "output_tokens": 7,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 20,
        },
    }
    assert decode_response(body, request()) == ModelReply(
        "Gut ✓",
        (ToolCall("a", "walk_to", {"x": 1}), ToolCall("b", "get_battery", {})),
        Usage(130, 7, 100, 20),
        finish="tool_calls",
    )


@pytest.mark.parametrize(
    ("reason", "finish", "notes"),
    [
        ("end_turn", "stop", ()),
        ("max_tokens", "length", ()),
        ("model_context_window_exceeded", "length", ()),
        ("refusal", "filtered", ()),
        ("tool_use", "stop", ()),
        ("nap", "stop", ("unknown_finish",)),
        (None, "stop", ()),
    ],
)
def test_the_end_of_a_reply_is_named(reason, finish, notes):
    reply = decode_response({"content": [], "stop_reason": reason}, request())
    assert (reply.text, reply.finish, reply.notes) == ("", finish, notes)


def test_input_that_is_no_object_is_a_malformed_call():
    body = {"content": [None, 3, {"type": "tool_use", "name": "walk_to", "input": [1]}]}
    reply = decode_response(body, request())
    assert reply.tool_calls == (
        ToolCall("call-1", "walk_to", {}, "the arguments are not a JSON object", "[1]"),
    )
    assert reply.notes == ("malformed_call",)


@pytest.mark.parametrize("body", [None, [], {}, {"content": None}, {"content": "text"}])
def test_a_body_without_content_is_a_provider_error(body):
    with pytest.raises(ProviderError, match="no content"):
        decode_response(body, request())
