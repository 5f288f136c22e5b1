from __future__ import annotations

import json

import pytest

from heedful.models.demos import DEMOS
from heedful.models.message import Message, ModelReply, ToolCall, ToolSpec
from heedful.models.openai_compatible import OpenAICompatibleWire
from heedful.models.prompted import demos_note, describe_tools, interpret_reply, prompt_request

from .samples import BATTERY, TOOLS, WALK, assistant, call, request, result, user

NONE_DROPPED: frozenset[str] = frozenset()


def test_tools_are_told_in_the_system_message():
    assert describe_tools((WALK, BATTERY)).splitlines()[-3:] == [
        "- walk_to(x: number, y: number, speed_percent?: integer): Walk to a point.",
        "    speed_percent: share of full speed",
        "- get_battery(): Read the battery.",
    ]


def test_calls_and_results_become_plain_messages():
    conversation = (
        Message("system", "You run a robot."),
        user("go"),
        assistant("", call("a"), call("b", "walk_to", x=1.0)),
        result("a", "80 %"),
        result("b", "blocked", "walk_to", is_error=True),
        user("so?"),
        assistant("I did not walk."),
        user("again"),
    )
    plain = prompt_request(request(*conversation)).request
    assert plain.tools == ()
    assert plain.messages[0].role == "system"
    assert plain.messages[0].content == f"You run a robot.\n\n{describe_tools(TOOLS)}"
    assert [(message.role, message.content) for message in plain.messages[1:]] == [
        ("user", "go"),
        ("assistant", '{"tool":"get_battery"}'),
        ("user", "Result of get_battery: 80 %"),
        ("assistant", '{"tool":"walk_to","x":1.0}'),
        ("user", "Error of walk_to: blocked\n\nso?"),
        ("assistant", '{"reply":"I did not walk."}'),
        ("user", "again"),
    ]


def test_the_answer_is_held_to_one_object_a_tool_or_a_reply():
    schema = prompt_request(request(tools=(WALK,))).response_format["json_schema"]["schema"]
    assert schema == {
        "anyOf": [
            {
                "type": "object",
                "properties": {
                    "tool": {"type": "string", "enum": ["walk_to"]},
                    **WALK.input_schema["properties"],
                },
                "required": ["tool", "x", "y"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"reply": {"type": "string"}},
                "required": ["reply"],
                "additionalProperties": False,
            },
        ]
    }


def test_demonstrations_come_before_the_conversation():
    plain = prompt_request(request(user("go")), with_demos=True).request
    assert [message.content for message in plain.messages[1:]] == [*(line.content for line in DEMOS), "go"]
    assert demos_note(TOOLS) == "demos"


def test_demonstrations_of_tools_that_are_not_offered_are_not_shown():
    plain = prompt_request(request(user("go"), tools=(WALK,)), with_demos=True).request
    assert len(plain.messages) == 2
    assert demos_note((WALK,)) == "demos_unavailable"


def test_demonstrations_are_in_the_form_that_is_asked_for():
    for line in DEMOS:
        if line.role == "assistant":
            reply = interpret_reply(ModelReply(line.content), request())
            assert reply.notes == ()
            assert reply.tool_calls or not reply.text.startswith("{")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"reply": "Nö."}', ModelReply("Nö.")),
        (
            '{"tool": "walk_to", "x": 1, "y": 2}',
            ModelReply("", (ToolCall("call-1", "walk_to", {"x": 1, "y": 2}),), finish="tool_calls"),
        ),
        (
            '{"tool": "walk_to", "arguments": {"x": 1}}',
            ModelReply("", (ToolCall("call-1", "walk_to", {"x": 1}),), finish="tool_calls"),
        ),
        (
            '{"tool": "fly_to", "z": 1}',
            ModelReply("", (ToolCall("call-1", "fly_to", {"z": 1}),), finish="tool_calls"),
        ),
        (
            'Well: {"tool": "get_battery"}',
            ModelReply(
                "Well:",
                (ToolCall("call-1", "get_battery", {}),),
                finish="tool_calls",
                notes=("lenient_json",),
            ),
        ),
        (
            '{"tool": "walk_to", "x": 1',
            ModelReply(
                "",
                (
                    ToolCall(
                        "call-1",
                        "walk_to",
                        {},
                        "the JSON object is not complete",
                        '{"tool": "walk_to", "x": 1',
                    ),
                ),
                finish="tool_calls",
                notes=("malformed_call",),
            ),
        ),
        ("I refuse.", ModelReply("I refuse.", notes=("unstructured",))),
        ("[1]", ModelReply("[1]", notes=("unstructured",))),
        ("", ModelReply("")),
    ],
)
def test_the_answer_becomes_a_call_or_words(text, expected):
    assert interpret_reply(ModelReply(text), request()) == expected


def test_a_tool_with_a_parameter_called_tool_is_nested():
    grip = ToolSpec("grip", "Grip.", {"type": "object", "properties": {"tool": {"type": "string"}}})
    wire = OpenAICompatibleWire("openai-compatible", "m", tools="json")
    asked = request(
        user("x"), assistant("", call("a", "grip", tool="cup")), result("a", "ok", "grip"), tools=(grip,)
    )
    encoded = wire.encode(asked, NONE_DROPPED)
    assert json.loads(encoded["messages"][2]["content"]) == {"tool": "grip", "arguments": {"tool": "cup"}}
    body = {"choices": [{"message": {"content": '{"tool": "grip", "arguments": {"tool": "cup"}}'}}]}
    assert wire.decode(body, asked).tool_calls == (ToolCall("call-1", "grip", {"tool": "cup"}),)


def test_the_wire_sends_no_tools_and_notes_its_demonstrations():
    wire = OpenAICompatibleWire("openai-compatible", "m", tools="json", demos=True)
    encoded = wire.encode(request(), NONE_DROPPED)
    assert "tools" not in encoded
    assert encoded["response_format"]["type"] == "json_schema"
    assert "response_format" not in wire.encode(request(), frozenset({"response_format"}))
    body = {"choices": [{"message": {"content": '{"reply": "ok"}'}, "finish_reason": "stop"}]}
    assert wire.decode(body, request()) == ModelReply("ok", notes=("demos",))
