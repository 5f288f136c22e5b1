"""Tools in the prompt, answers as JSON: for servers and models without tool calling of their own.

The model is told the tools in the system message and answers with one JSON object: `{"tool": NAME,
...arguments}` or `{"reply": TEXT}`, which a server that supports `response_format` enforces by
grammar. Past calls and results become plain messages of the same form. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from heedful.models.conversation import describe_result, pair_results, sent_arguments
from heedful.models.demos import choose_demos
from heedful.models.json_text import dump_json_text, parse_json
from heedful.models.lenient import read_calls
from heedful.models.message import Message, ModelReply, ModelRequest, ToolCall, ToolSpec
from heedful.models.reading import RAW_LIMIT, CallIds, as_list, as_object, as_text, malformed_note, read_call
from heedful.models.schemas import inline_references

_BEGUN_CALL = re.compile(r'\s{0,40}\{\s{0,40}"tool"\s{0,40}:\s{0,40}"([A-Za-z0-9_-]{1,64})"')

_FORM = """Answer with exactly one JSON object and nothing else.
To use a tool: {"tool": NAME, then its arguments by name}
To speak to the operator and end your turn: {"reply": TEXT}
Tools:"""


@dataclass(frozen=True, slots=True)
class Prompted:
    """A request rewritten for a model without tool calling."""

    request: ModelRequest
    """Plain messages only, no tools."""
    response_format: Mapping[str, Any]


def prompt_request(request: ModelRequest, *, with_demos: bool = False) -> Prompted:
    """Return `request` with its tools in the system message and its calls as plain JSON messages."""
    demos = choose_demos([tool.name for tool in request.tools]) if with_demos else ()
    shown = [Message(role=line.role, content=line.content) for line in demos]
    leading = 0
    while leading < len(request.messages) and request.messages[leading].role == "system":
        leading += 1
    system = [message.content for message in request.messages[:leading]]
    head = Message(role="system", content="\n\n".join([*system, describe_tools(request.tools)]))
    rest = _flatten(pair_results(request.messages[leading:]), request.tools)
    plain = replace(request, messages=(head, *_merge_users([*shown, *rest])), tools=())
    return Prompted(plain, _response_format(request.tools))


def demos_note(tools: Sequence[ToolSpec]) -> str:
    """Return the note of a reply for which demonstrations were asked: `demos`, or that there are none."""
    return "demos" if choose_demos([tool.name for tool in tools]) else "demos_unavailable"


def interpret_reply(reply: ModelReply, request: ModelRequest) -> ModelReply:
    """Return `reply` with the JSON object that its text holds read as a call or as words.

    An object that names a tool is a call, whether or not the tool exists: the form asked for it. Text
    that is not of the form is searched leniently, and else stays words with the note `unstructured`.
    """
    ids = CallIds(request.messages)
    try:
        value = as_object(parse_json(reply.text))
    except ValueError:
        return _interpret_text(reply, request, ids)
    name = value.get("tool")
    if isinstance(name, str) and name:
        call = read_call(name, _arguments_of(value, name, request.tools), ids.take())
        return _with_calls(reply, (call,), "")
    if isinstance(value.get("reply"), str):
        return replace(reply, text=as_text(value["reply"]))
    return _interpret_text(reply, request, ids)


def describe_tools(tools: Sequence[ToolSpec]) -> str:
    """Return the part of the system message that tells the form of an answer and the tools."""
    return "\n".join([_FORM, *(line for tool in tools for line in _tool_lines(tool))])


def _interpret_text(reply: ModelReply, request: ModelRequest, ids: CallIds) -> ModelReply:
    lenient = read_calls(reply.text, request.tools, ids)
    if lenient.calls:
        return _with_calls(replace(reply, notes=(*reply.notes, "lenient_json")), lenient.calls, lenient.text)
    begun = _BEGUN_CALL.match(reply.text)
    if begun is not None:
        call = ToolCall(
            ids.take(), begun.group(1), {}, "the JSON object is not complete", reply.text[:RAW_LIMIT]
        )
        return _with_calls(reply, (call,), "")
    return replace(reply, notes=(*reply.notes, "unstructured")) if reply.text else reply


def _with_calls(reply: ModelReply, calls: tuple[ToolCall, ...], text: str) -> ModelReply:
    finish = reply.finish if reply.finish in {"length", "filtered"} else "tool_calls"
    notes = (*reply.notes, *malformed_note(calls))
    return replace(reply, text=text, tool_calls=calls, finish=finish, notes=notes)


def _flatten(messages: Iterable[Message], tools: Sequence[ToolSpec]) -> list[Message]:
    """Return plain messages; parallel calls come one after the other, each before its result."""
    plain: list[Message] = []
    calls: dict[str, ToolCall] = {}
    for message in messages:
        if message.role == "tool":
            call = calls.get(message.tool_call_id or "")
            if call is not None:
                plain.append(Message(role="assistant", content=_spell_call(call, tools)))
            plain.append(Message(role="user", content=describe_result(message)))
        elif message.role == "assistant":
            calls = {call.id: call for call in message.tool_calls}
            if not calls:
                plain.append(Message(role="assistant", content=dump_json_text({"reply": message.content})))
        else:
            plain.append(Message(role=message.role, content=message.content))
    return plain


def _merge_users(messages: Iterable[Message]) -> list[Message]:
    """Return the messages with neighbouring user messages joined, as strict chat templates want them."""
    merged: list[Message] = []
    for message in messages:
        if merged and message.role == merged[-1].role == "user":
            merged[-1] = replace(merged[-1], content=f"{merged[-1].content}\n\n{message.content}")
        else:
            merged.append(message)
    return merged


def _spell_call(call: ToolCall, tools: Sequence[ToolSpec]) -> str:
    own = _properties(call.name, tools)
    arguments = dict(sent_arguments(call))
    return dump_json_text({"tool": call.name, **({"arguments": arguments} if "tool" in own else arguments)})


def _arguments_of(value: Mapping[str, Any], name: str, tools: Sequence[ToolSpec]) -> Any:
    rest = {key: item for key, item in value.items() if key != "tool"}
    holds_all = set(rest) == {"arguments"} and "arguments" not in _properties(name, tools)
    return rest["arguments"] if holds_all else rest


def _properties(name: str, tools: Sequence[ToolSpec]) -> Mapping[str, Any]:
    schema = next((tool.input_schema for tool in tools if tool.name == name), {})
    return as_object(schema.get("properties"))


def _response_format(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    said = {"reply": {"type": "string"}}
    choices = [*(_call_schema(tool) for tool in tools), _closed(said, ["reply"])]
    schema = {"anyOf": choices}
    return {"type": "json_schema", "json_schema": {"name": "action", "strict": True, "schema": schema}}


def _call_schema(tool: ToolSpec) -> dict[str, Any]:
    schema = inline_references(tool.input_schema)
    properties = as_object(schema.get("properties"))
    named = {"tool": {"type": "string", "enum": [tool.name]}}
    if "tool" in properties:
        return _closed({**named, "arguments": schema}, ["tool", "arguments"])
    return _closed({**named, **properties}, ["tool", *as_list(schema.get("required"))])


def _closed(properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _tool_lines(tool: ToolSpec) -> list[str]:
    schema = inline_references(tool.input_schema)
    properties = as_object(schema.get("properties"))
    required = as_list(schema.get("required"))
    signature = ", ".join(
        f"{name}{'' if name in required else '?'}: {_kind(as_object(value))}"
        for name, value in properties.items()
    )
    told = [(name, as_object(value).get("description")) for name, value in properties.items()]
    lines = [f"    {name}: {' '.join(text.split())}" for name, text in told if isinstance(text, str) and text]
    return [f"- {tool.name}({signature}): {' '.join(tool.description.split())}", *lines]


def _kind(schema: Mapping[str, Any]) -> str:
    values = as_list(schema.get("enum"))
    return " | ".join(map(dump_json_text, values)) if values else str(schema.get("type", "any"))
