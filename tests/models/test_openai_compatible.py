from __future__ import annotations

import json

import pytest

from heedful.errors import ProviderError
from heedful.models.message import ModelReply, ToolCall, Usage
from heedful.models.openai_compatible import decode_response, encode_request

from .samples import BATTERY, WALK, assistant, call, request, result, user


def answer(message: object, finish: object = "stop", **fields: object) -> dict[str, object]:
    return {"choices": [{"message": message, "finish_reason": finish}], **fields}


def native(*calls: tuple[object, object, object]) -> dict[str, object]:
    return {
        "content": None,
        "tool_calls": [
            {"id": own, "type": "function", "function": {"name": name, "arguments": arguments}}
            for own, name, arguments in calls
        ],
    }


def test_a_request_is_encoded_whole():
    conversation = (
        user("walk ✓"),
        assistant("", call("a", "walk_to", x=1.5)),
        result("a", "done", "walk_to"),
        assistant("I walked."),
    )
    encoded = encode_request(request(*conversation, tools=(WALK,), seed=7), model="m", provider="openai")
    assert encoded == {
        "model": "m",
        "messages": [
            {"role": "user", "content": "walk ✓"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "walk_to", "arguments": '{"x":1.5}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "a", "content": "done"},
            {"role": "assistant", "content": "I walked."},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "walk_to",
                    "description": "Walk to a point.",
                    "parameters": WALK.input_schema,
                },
            }
        ],
        "max_completion_tokens": 1024,
        "temperature": 0.2,
        "seed": 7,
    }


def test_no_tools_and_no_temperature_are_left_out():
    encoded = encode_request(request(tools=(), temperature=None), model="m")
    assert encoded.keys() == {"model", "messages", "max_tokens"}


def test_dropped_parameters_are_left_out_and_the_limit_changes_its_name():
    encoded = encode_request(
        request(seed=1), model="m", dropped=frozenset({"temperature", "seed", "max_tokens"})
    )
    assert encoded.keys() == {"model", "messages", "tools", "max_completion_tokens"}


def test_a_past_call_that_was_malformed_is_valid_json_again():
    broken = ToolCall("a", "walk to", {}, "bad", '{"x": 1')
    encoded = encode_request(request(assistant("", broken)), model="m")
    function = encoded["messages"][0]["tool_calls"][0]["function"]
    assert function["name"] == "walk_to"
    assert json.loads(function["arguments"]) == {"INVALID_JSON": '{"x": 1'}


def test_words_and_usage_are_decoded():
    usage = {"prompt_tokens": 90, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 64}}
    assert decode_response(answer({"content": "Grüße 🤖"}, usage=usage), request()) == ModelReply(
        "Grüße 🤖", usage=Usage(90, 5, 64)
    )


def test_parallel_calls_are_decoded_in_order():
    message = native(("a", "get_battery", "{}"), ("b", "walk_to", '{"x": 1, "y": "ü"}'))
    assert decode_response(answer(message, "tool_calls"), request()) == ModelReply(
        "",
        (ToolCall("a", "get_battery", {}), ToolCall("b", "walk_to", {"x": 1, "y": "ü"})),
        finish="tool_calls",
    )


def test_missing_and_doubled_ids_are_made_up():
    message = native(("a", "get_battery", ""), ("a", "get_battery", None), (None, "get_battery", {}))
    reply = decode_response(answer(message), request())
    assert [one.id for one in reply.tool_calls] == ["a", "call-1", "call-2"]
    assert reply.finish == "tool_calls"


@pytest.mark.parametrize("arguments", ['{"x": ', "[]", "walk", '{"x": NaN}'])
def test_unreadable_arguments_are_noted(arguments):
    reply = decode_response(answer(native(("a", "walk_to", arguments)), "length"), request())
    assert reply.notes == ("malformed_call",)
    assert reply.tool_calls[0].raw == arguments
    assert reply.finish == "length"


def test_an_old_function_call_is_read():
    reply = decode_response(answer({"function_call": {"name": "get_battery", "arguments": "{}"}}), request())
    assert reply.tool_calls == (ToolCall("call-1", "get_battery", {}),)


def test_text_calls_are_read_only_where_there_are_no_native_ones():
    spelled = '{"tool": "get_battery"}'
    assert decode_response(answer({"content": spelled}), request()).notes == ("lenient_json",)
    both = {**native(("a", "walk_to", '{"x": 1, "y": 2}')), "content": spelled}
    reply = decode_response(answer(both), request())
    assert [one.name for one in reply.tool_calls] == ["walk_to"]
    assert reply.text == spelled


def test_a_call_drafted_while_thinking_is_no_call():
    text = '<think>{"tool": "walk_to", "x": 1, "y": 1}</think>I will not walk.'
    assert decode_response(answer({"content": text}), request()) == ModelReply("I will not walk.")


@pytest.mark.parametrize(
    ("message", "reason", "finish", "notes"),
    [
        ({"content": "", "refusal": "No."}, "stop", "filtered", ()),
        ({"content": "x"}, "content_filter", "filtered", ()),
        ({"content": "x"}, "length", "length", ()),
        ({"content": "x"}, "tool_calls", "stop", ()),
        ({"content": "x"}, "eos", "stop", ("unknown_finish",)),
        ({"content": "x"}, None, "stop", ()),
        ({"content": "x"}, {"a": 1}, "stop", ("unknown_finish",)),
    ],
)
def test_the_end_of_a_reply_is_named(message, reason, finish, notes):
    reply = decode_response(answer(message, reason), request(tools=(BATTERY,)))
    assert (reply.finish, reply.notes) == (finish, notes)


def test_a_refusal_keeps_its_words():
    assert decode_response(answer({"content": None, "refusal": "I cannot."}), request()).text == "I cannot."


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "x",
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"message": None}]},
    ],
)
def test_a_body_without_a_message_is_a_provider_error(body):
    with pytest.raises(ProviderError, match="no choice with a message"):
        decode_response(body, request())
