"""Chat Completions with tools: OpenAI, OpenRouter, Ollama, vLLM, llama.cpp, LM Studio.

`encode_request` and `decode_response` are pure; `OpenAICompatibleWire` binds them to a model. Weak
models behind such servers are read leniently (`lenient.py`), and servers without tool calling are
served by `prompted.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from heedful.errors import ProviderError
from heedful.models.conversation import pair_results, safe_name, sent_arguments
from heedful.models.credentials import Secret
from heedful.models.json_text import dump_json_text
from heedful.models.lenient import read_calls
from heedful.models.message import Finish, Message, ModelReply, ModelRequest, ToolCall, ToolSpec, Usage
from heedful.models.names import ToolsMode
from heedful.models.prompted import demos_note, interpret_reply, prompt_request
from heedful.models.reading import (
    CallIds,
    as_count,
    as_list,
    as_object,
    as_text,
    malformed_note,
    read_call,
    read_finish,
    strip_thinking,
    unknown_finish_note,
)
from heedful.models.wire import Dropped

DROPPABLE = frozenset({"temperature", "seed", "max_tokens", "max_completion_tokens", "response_format"})

_FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "filtered",
}


@dataclass(frozen=True, slots=True)
class OpenAICompatibleWire:
    """Chat Completions for one model."""

    provider: str
    model: str
    tools: ToolsMode = "native"
    demos: bool = False

    @property
    def droppable(self) -> frozenset[str]:
        """Parameters that some models or servers refuse."""
        return DROPPABLE

    def path(self) -> str:
        """Return the endpoint below the base address."""
        return "/chat/completions"

    def headers(self, key: Secret | None) -> Mapping[str, str]:
        """Return the authorization, if there is a key."""
        return {} if key is None else {"authorization": f"Bearer {key.reveal()}"}

    def encode(self, request: ModelRequest, dropped: Dropped) -> dict[str, Any]:
        """Return the JSON to post."""
        if self.tools == "native":
            return encode_request(request, model=self.model, provider=self.provider, dropped=dropped)
        prompted = prompt_request(request, with_demos=self.demos)
        body = encode_request(prompted.request, model=self.model, provider=self.provider, dropped=dropped)
        return body if "response_format" in dropped else {**body, "response_format": prompted.response_format}

    def decode(self, body: Any, request: ModelRequest) -> ModelReply:
        """Return what a 200 answer says."""
        if self.tools == "native":
            return decode_response(body, request, provider=self.provider)
        plain = decode_response(body, replace(request, tools=()), provider=self.provider)
        reply = interpret_reply(plain, request)
        return replace(reply, notes=(*reply.notes, demos_note(request.tools))) if self.demos else reply


def encode_request(
    request: ModelRequest, *, model: str, provider: str = "openai-compatible", dropped: Dropped = frozenset()
) -> dict[str, Any]:
    """Return the Chat Completions request for `request`, without the `dropped` parameters."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_encode_message(message) for message in pair_results(request.messages)],
    }
    if request.tools:
        body["tools"] = [_encode_tool(tool) for tool in request.tools]
    limit = _limit_name(provider, dropped)
    if limit is not None:
        body[limit] = request.max_output_tokens
    for name, value in (("temperature", request.temperature), ("seed", request.seed)):
        if value is not None and name not in dropped:
            body[name] = value
    return body


def decode_response(body: Any, request: ModelRequest, *, provider: str = "openai-compatible") -> ModelReply:
    """Return what a Chat Completions answer to `request` says.

    Raises:
        ProviderError: If the body has no choice with a message.
    """
    choice = _first_choice(body, provider)
    message = as_object(choice.get("message"))
    ids = CallIds(request.messages)
    calls = _read_calls(message, ids)
    text = strip_thinking(as_text(message.get("content")))
    notes = malformed_note(calls)
    if not calls:
        lenient = read_calls(text, request.tools, ids)
        calls, text, notes = lenient.calls, lenient.text, lenient.notes
    refusal = as_text(message.get("refusal"))
    reason = choice.get("finish_reason")
    finish = "filtered" if refusal and not calls else read_finish(reason, calls, _FINISHES)
    notes = (*notes, *unknown_finish_note(reason, _FINISHES))
    return ModelReply(text or refusal, calls, _read_usage(body), finish=finish, notes=notes)


def _limit_name(provider: str, dropped: Dropped) -> str | None:
    names = ("max_completion_tokens", "max_tokens")
    ordered = names if provider == "openai" else names[::-1]
    return next((name for name in ordered if name not in dropped), None)


def _encode_tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}


def _encode_message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    encoded: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        encoded["tool_calls"] = [_encode_call(call) for call in message.tool_calls]
    return encoded


def _encode_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": safe_name(call.name), "arguments": dump_json_text(sent_arguments(call))}
    return {"id": call.id, "type": "function", "function": function}


def _first_choice(body: Any, provider: str) -> Mapping[str, Any]:
    for choice in as_list(as_object(body).get("choices")):
        if isinstance(as_object(choice).get("message"), dict):
            return as_object(choice)
    raise ProviderError(provider, "the answer holds no choice with a message")


def _read_calls(message: Mapping[str, Any], ids: CallIds) -> tuple[ToolCall, ...]:
    raw = [item for item in as_list(message.get("tool_calls")) if isinstance(item, dict)]
    if not raw and isinstance(message.get("function_call"), dict):
        raw = [{"function": message["function_call"]}]
    functions = [(as_object(item.get("function")), item.get("id")) for item in raw]
    return tuple(read_call(one.get("name"), one.get("arguments"), ids.take(own)) for one, own in functions)


def _read_usage(body: Any) -> Usage:
    usage = as_object(as_object(body).get("usage"))
    cached = as_object(usage.get("prompt_tokens_details")).get("cached_tokens")
    return Usage(
        input_tokens=as_count(usage.get("prompt_tokens")),
        output_tokens=as_count(usage.get("completion_tokens")),
        cached_input_tokens=as_count(cached),
    )
