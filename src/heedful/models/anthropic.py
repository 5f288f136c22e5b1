"""Anthropic's Messages API, with prompt caching.

`encode_request` and `decode_response` are pure; `AnthropicWire` binds them to a model. The API has no
seed: `request.seed` has no effect here. Thinking blocks are neither asked for nor kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heedful.errors import ProviderError
from heedful.models.conversation import pair_results, safe_name, sent_arguments
from heedful.models.credentials import Secret
from heedful.models.message import Finish, Message, ModelReply, ModelRequest, ToolCall, ToolSpec, Usage
from heedful.models.reading import (
    CallIds,
    as_count,
    as_list,
    as_object,
    malformed_note,
    read_call,
    read_finish,
    unknown_finish_note,
)
from heedful.models.wire import Dropped

API_VERSION = "2023-06-01"
DROPPABLE = frozenset({"temperature"})

_CACHE = {"type": "ephemeral"}
_CACHED_TURNS = 2
_EMPTY = "(no words)"
_OMITTED = "(earlier messages are omitted)"

_FINISHES: Mapping[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "filtered",
}

Block = dict[str, Any]


@dataclass(frozen=True, slots=True)
class AnthropicWire:
    """The Messages API for one model."""

    provider: str
    model: str

    @property
    def droppable(self) -> frozenset[str]:
        """Parameters that some models refuse."""
        return DROPPABLE

    def path(self) -> str:
        """Return the endpoint below the base address."""
        return "/messages"

    def headers(self, key: Secret | None) -> Mapping[str, str]:
        """Return the API version and the key."""
        version = {"anthropic-version": API_VERSION}
        return version if key is None else {**version, "x-api-key": key.reveal()}

    def encode(self, request: ModelRequest, dropped: Dropped) -> dict[str, Any]:
        """Return the JSON to post."""
        return encode_request(request, model=self.model, dropped=dropped)

    def decode(self, body: Any, request: ModelRequest) -> ModelReply:
        """Return what a 200 answer says."""
        return decode_response(body, request, provider=self.provider)


def encode_request(request: ModelRequest, *, model: str, dropped: Dropped = frozenset()) -> dict[str, Any]:
    """Return the Messages request for `request`, without the `dropped` parameters.

    Leading system messages become `system`; later ones are told by the user. What does not change
    from call to call (tools, system, the conversation so far) ends in cache breakpoints, at most four.
    """
    messages = list(request.messages)
    system: list[Block] = []
    while messages and messages[0].role == "system":
        system += _text_blocks(messages.pop(0).content)
    turns = _merge_turns(pair_results(messages))
    body: dict[str, Any] = {"model": model, "max_tokens": request.max_output_tokens, "messages": turns}
    if system:
        body["system"] = _cached_end(system)
    body |= _tool_fields(request.tools, messages)
    for turn in [turn for turn in turns if turn["role"] == "user"][-_CACHED_TURNS:]:
        turn["content"] = _cached_end(turn["content"])
    if request.temperature is not None and "temperature" not in dropped:
        body["temperature"] = request.temperature
    return body


def decode_response(body: Any, request: ModelRequest, *, provider: str = "anthropic") -> ModelReply:
    """Return what a Messages answer to `request` says.

    Raises:
        ProviderError: If the body has no list of content blocks.
    """
    answer = as_object(body)
    if not isinstance(answer.get("content"), list):
        raise ProviderError(provider, "the answer holds no content")
    blocks = [block for block in as_list(answer["content"]) if isinstance(block, dict)]
    ids = CallIds(request.messages)
    uses = [block for block in blocks if block.get("type") == "tool_use"]
    calls = tuple(read_call(use.get("name"), use.get("input"), ids.take(use.get("id"))) for use in uses)
    words = [block.get("text") for block in blocks if block.get("type") == "text"]
    text = "".join(part for part in words if isinstance(part, str))
    reason = answer.get("stop_reason")
    notes = (*malformed_note(calls), *unknown_finish_note(reason, _FINISHES))
    finish = read_finish(reason, calls, _FINISHES)
    return ModelReply(text, calls, _read_usage(answer.get("usage")), finish=finish, notes=notes)


def _merge_turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return turns of alternating roles, the first a user's; results come before words in a turn."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _encode_blocks(message)
        if not turns and role == "assistant":
            turns.append({"role": "user", "content": _text_blocks(_OMITTED)})
        if blocks and turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    return turns


def _encode_blocks(message: Message) -> list[Block]:
    if message.role == "tool":
        return [_encode_result(message)]
    if message.role == "assistant":
        said = _text_blocks(message.content) if message.content.strip() else []
        return said + [_encode_call(call) for call in message.tool_calls]
    words = f"System: {message.content}" if message.role == "system" else message.content
    return _text_blocks(words)


def _text_blocks(text: str) -> list[Block]:
    return [{"type": "text", "text": text if text.strip() else _EMPTY}]


def _encode_call(call: ToolCall) -> Block:
    return {
        "type": "tool_use",
        "id": call.id,
        "name": safe_name(call.name),
        "input": dict(sent_arguments(call)),
    }


def _encode_result(message: Message) -> Block:
    block: Block = {
        "type": "tool_result",
        "tool_use_id": message.tool_call_id,
        "content": _text_blocks(message.content),
    }
    return {**block, "is_error": True} if message.is_error else block


def _tool_fields(tools: Sequence[ToolSpec], messages: Sequence[Message]) -> dict[str, Any]:
    """Return the tools; where none is offered but some were used, the API still wants them named."""
    if tools:
        told = [_encode_tool(tool.name, tool.description, tool.input_schema) for tool in tools]
        return {"tools": _cached_end(told)}
    used = dict.fromkeys(safe_name(call.name) for message in messages for call in message.tool_calls)
    if not used:
        return {}
    told = [_encode_tool(name, "Not available now.", {"type": "object"}) for name in used]
    return {"tools": told, "tool_choice": {"type": "none"}}


def _encode_tool(name: str, description: str, schema: Mapping[str, Any]) -> Block:
    return {"name": name, "description": description, "input_schema": schema}


def _cached_end(blocks: list[Block]) -> list[Block]:
    return [*blocks[:-1], {**blocks[-1], "cache_control": _CACHE}] if blocks else blocks


def _read_usage(value: Any) -> Usage:
    """Return the tokens; the API counts cached and newly cached input apart from `input_tokens`."""
    usage = as_object(value)
    cached = as_count(usage.get("cache_read_input_tokens"))
    written = as_count(usage.get("cache_creation_input_tokens"))
    return Usage(
        input_tokens=as_count(usage.get("input_tokens")) + cached + written,
        output_tokens=as_count(usage.get("output_tokens")),
        cached_input_tokens=cached,
        cache_write_tokens=written,
    )
