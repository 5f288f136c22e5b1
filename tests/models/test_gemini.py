from __future__ import annotations

import pytest

from heedful.errors import ProviderError
from heedful.models.gemini import GeminiWire, decode_response, encode_request
from heedful.models.message import Message, ModelReply, ToolCall, Usage

from .samples import BATTERY, WALK, assistant, call, request, result, user


def test_a_request_is_encoded_whole():
    conversation = (
        Message("system", "You run a robot."),
        user("walk ✓"),
        assistant("Going.", call("a", "walk_to", x=1.5), call("b")),
        result("a", "done", "walk_to"),
        result("b", "no battery", is_error=True),
        user("and now?"),
    )
    encoded = encode_request(request(*conversation, tools=(WALK, BATTERY), seed=3), model="gemini-2.5-flash")
    assert encoded == {
        "systemInstruction": {"parts": [{"text": "You run a robot."}]},
        "generationConfig": {"maxOutputTokens": 1024, "temperature": 0.2, "seed": 3},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "walk_to",
                        "description": "Walk to a point.",
                        "parameters": {
                            "type": "OBJECT",
                            "properties": {
                                "x": {"type": "NUMBER"},
                                "y": {"type": "NUMBER"},
                                "speed_percent": {"type": "INTEGER", "description": "share of full speed"},
                            },
                            "required": ["x", "y"],
                        },
                    },
                    {"name": "get_battery", "description": "Read the battery."},
                ]
            }
        ],
        "contents": [
            {"role": "user", "parts": [{"text": "walk ✓"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Going."},
                    {"functionCall": {"name": "walk_to", "args": {"x": 1.5}}},
                    {"functionCall": {"name": "get_battery", "args": {}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "walk_to", "response": {"result": "done"}}},
                    {"functionResponse": {"name": "get_battery", "response": {"error": "no battery"}}},
                ],
            },
            {"role": "user", "parts": [{"text": "and now?"}]},
        ],
    }


def test_gemini_3_gets_a_signature_on_the_first_of_parallel_calls():
    asked = request(user("go"), assistant("Hm.", call("a"), call("b")), result("a"), result("b"))
    parts = encode_request(asked, model="gemini-3-flash")["contents"][1]["parts"]
    assert [sorted(part) for part in parts] == [
        ["text"],
        ["functionCall", "thoughtSignature"],
        ["functionCall"],
    ]


def test_a_conversation_begins_with_the_user():
    contents = encode_request(request(assistant("hello"), assistant(""), user("")), model="gemini-2.5-pro")[
        "contents"
    ]
    assert [(content["role"], content["parts"][0]["text"]) for content in contents] == [
        ("user", "(earlier messages are omitted)"),
        ("model", "hello"),
        ("user", "(no words)"),
    ]


def test_the_model_cannot_leave_its_place_in_the_address():
    assert GeminiWire("google", "tuned/a?b").path() == "/models/tuned%2Fa%3Fb:generateContent"


def test_words_parallel_calls_and_usage_are_decoded():
    body = {
        "candidates": [
            {
                "content": {
                    "parts": [
                        {"text": "secret", "thought": True},
                        {"text": "Gut ✓"},
                        {"functionCall": {"name": "walk_to", "args": {"x": 1}}, "thoughtSignature": "s"},
                        {"functionCall": {"name": "get_battery"}},
                    ]
                },
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 50,
            "candidatesTokenCount": 6,
            "thoughtsTokenCount": 4,
            "cachedContentTokenCount": 30,
        },
    }
    assert decode_response(body, request()) == ModelReply(
        "Gut ✓",
        (ToolCall("call-1", "walk_to", {"x": 1}), ToolCall("call-2", "get_battery", {})),
        Usage(50, 10, 30),
        finish="tool_calls",
    )


def test_a_call_that_the_provider_could_not_read_is_malformed():
    candidate = {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(walk_to(x=1)"}
    reply = decode_response({"candidates": [candidate]}, request())
    assert reply.tool_calls == (
        ToolCall("call-1", "", {}, "the provider could not read the call", "print(walk_to(x=1)"),
    )
    assert (reply.finish, reply.notes) == ("tool_calls", ("malformed_call",))


@pytest.mark.parametrize(
    ("reason", "finish", "notes"),
    [
        ("STOP", "stop", ()),
        ("MAX_TOKENS", "length", ()),
        ("SAFETY", "filtered", ()),
        ("PROHIBITED_CONTENT", "filtered", ()),
        ("OTHER", "stop", ("unknown_finish",)),
        (None, "stop", ()),
    ],
)
def test_the_end_of_a_reply_is_named(reason, finish, notes):
    reply = decode_response({"candidates": [{"finishReason": reason}]}, request())
    assert (reply.text, reply.finish, reply.notes) == ("", finish, notes)


def test_a_blocked_prompt_is_filtered():
    assert decode_response({"promptFeedback": {"blockReason": "SAFETY"}}, request()).finish == "filtered"


@pytest.mark.parametrize(
    "body", [None, [], {}, {"candidates": []}, {"candidates": [1]}, {"promptFeedback": {}}]
)
def test_a_body_without_a_candidate_is_a_provider_error(body):
    with pytest.raises(ProviderError, match="no candidate"):
        decode_response(body, request())
