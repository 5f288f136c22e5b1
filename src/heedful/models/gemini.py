"""Google's Gemini API: `generateContent` with function calling.

`encode_request` and `decode_response` are pure; `GeminiWire` binds them to a model. Gemini knows no
call ids, so they are made up here and calls are matched by order. Gemini 3 wants the thought
signature of each past call back; this package keeps none, and sends the value that Google documents
for calls without one, so such a model reads its calls but not the thoughts behind them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from heedful.errors import ProviderError
from heedful.models.conversation import pair_results, safe_name, sent_arguments
from heedful.models.credentials import Secret
from heedful.models.message import Finish, Message, ModelReply, ModelRequest, ToolCall, ToolSpec, Usage
from heedful.models.reading import (
    RAW_LIMIT,
    CallIds,
    as_count,
    as_list,
    as_object,
    malformed_note,
    read_call,
    read_finish,
    unknown_finish_note,
)
from heedful.models.schemas import to_gemini_schema
from heedful.models.wire import Dropped

DROPPABLE = frozenset({"temperature", "seed"})

_NO_SIGNATURE = "skip_thought_signature_validator"
"""Source: ai.google.dev/gemini-api/docs/thought-signatures, on calls that Gemini did not make."""

_UNSIGNED = ("gemini-1", "gemini-2", "gemma")

_EMPTY = "(no words)"
_OMITTED = "(earlier messages are omitted)"

_FINISHES: Mapping[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "MALFORMED_FUNCTION_CALL": "stop",
    "UNEXPECTED_TOOL_CALL": "stop",
    **dict.fromkeys(
        ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"), "filtered"
    ),
}

Part = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GeminiWire:
    """The Gemini API for one model."""

    provider: str
    model: str

    @property
    def droppable(self) -> frozenset[str]:
        """Parameters that some models refuse."""
        return DROPPABLE

    def path(self) -> str:
        """Return the endpoint below the base address."""
        return f"/models/{quote(self.model, safe='')}:generateContent"

    def headers(self, key: Secret | None) -> Mapping[str, str]:
        """Return the key, as a header and never in the address, which gets logged."""
        return {} if key is None else {"x-goog-api-key": key.reveal()}

    def encode(self, request: ModelRequest, dropped: Dropped) -> dict[str, Any]:
        """Return the JSON to post."""
        return encode_request(request, model=self.model, dropped=dropped)

    def decode(self, body: Any, request: ModelRequest) -> ModelReply:
        """Return what a 200 answer says."""
        return decode_response(body, request, provider=self.provider)


def encode_request(request: ModelRequest, *, model: str, dropped: Dropped = frozenset()) -> dict[str, Any]:
    """Return the `generateContent` request for `request`, without the `dropped` parameters.

    Leading system messages become `systemInstruction`; later ones are told by the user. The model's
    name is part of the address, and decides here only whether past calls need a signature.
    """
    messages = list(request.messages)
    system: list[Part] = []
    while messages and messages[0].role == "system":
        system.append(_text_part(messages.pop(0).content))
    config: dict[str, Any] = {"maxOutputTokens": request.max_output_tokens}
    for name, value in (("temperature", request.temperature), ("seed", request.seed)):
        if value is not None and name not in dropped:
            config[name] = value
    contents = _contents(pair_results(messages))
    if not model.startswith(_UNSIGNED):
        contents = [_signed(content) for content in contents]
    body: dict[str, Any] = {"contents": contents, "generationConfig": config}
    if system:
        body["systemInstruction"] = {"parts": system}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_encode_tool(tool) for tool in request.tools]}]
    return body


def decode_response(body: Any, request: ModelRequest, *, provider: str = "google") -> ModelReply:
    """Return what a `generateContent` answer to `request` says.

    Raises:
        ProviderError: If the body has neither a candidate nor the reason why the prompt was blocked.
    """
    answer = as_object(body)
    usage = _read_usage(answer.get("usageMetadata"))
    candidate = next((one for one in as_list(answer.get("candidates")) if isinstance(one, dict)), None)
    if candidate is None:
        if as_object(answer.get("promptFeedback")).get("blockReason"):
            return ModelReply("", usage=usage, finish="filtered")
        raise ProviderError(provider, "the answer holds no candidate")
    parts = [
        part for part in as_list(as_object(candidate.get("content")).get("parts")) if isinstance(part, dict)
    ]
    calls = _read_calls(parts, candidate, CallIds(request.messages))
    words = [part.get("text") for part in parts if part.get("thought") is not True]
    text = "".join(word for word in words if isinstance(word, str))
    reason = candidate.get("finishReason")
    notes = (*malformed_note(calls), *unknown_finish_note(reason, _FINISHES))
    return ModelReply(text, calls, usage, finish=read_finish(reason, calls, _FINISHES), notes=notes)


def _contents(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the contents; the results of one message's calls share one content, apart from words."""
    contents: list[dict[str, Any]] = []
    answering = False
    for message in messages:
        role = "model" if message.role == "assistant" else "user"
        parts = _encode_parts(message)
        if not contents and role == "model":
            contents.append({"role": "user", "parts": [_text_part(_OMITTED)]})
        if message.role == "tool" and answering:
            contents[-1]["parts"] += parts
        elif parts:
            contents.append({"role": role, "parts": parts})
        answering = message.role == "tool"
    return contents


def _encode_parts(message: Message) -> list[Part]:
    if message.role == "tool":
        result = {"error" if message.is_error else "result": message.content}
        return [{"functionResponse": {"name": safe_name(message.tool_name or ""), "response": result}}]
    if message.role == "assistant":
        said = [_text_part(message.content)] if message.content.strip() else []
        return said + [_encode_call(call) for call in message.tool_calls]
    words = f"System: {message.content}" if message.role == "system" else message.content
    return [_text_part(words)]


def _text_part(text: str) -> Part:
    return {"text": text if text.strip() else _EMPTY}


def _encode_call(call: ToolCall) -> Part:
    return {"functionCall": {"name": safe_name(call.name), "args": dict(sent_arguments(call))}}


def _signed(content: dict[str, Any]) -> dict[str, Any]:
    """Return `content` with a signature on its first call; parallel calls share one."""
    first = next((index for index, part in enumerate(content["parts"]) if "functionCall" in part), None)
    if first is None:
        return content
    parts = list(content["parts"])
    parts[first] = {**parts[first], "thoughtSignature": _NO_SIGNATURE}
    return {**content, "parts": parts}


def _encode_tool(tool: ToolSpec) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": tool.name, "description": tool.description}
    parameters = to_gemini_schema(tool.input_schema)
    return declaration if parameters is None else {**declaration, "parameters": parameters}


def _read_calls(parts: Sequence[Part], candidate: Mapping[str, Any], ids: CallIds) -> tuple[ToolCall, ...]:
    asked = [as_object(part["functionCall"]) for part in parts if isinstance(part.get("functionCall"), dict)]
    calls = tuple(read_call(one.get("name"), one.get("args"), ids.take(one.get("id"))) for one in asked)
    if calls or candidate.get("finishReason") != "MALFORMED_FUNCTION_CALL":
        return calls
    told = candidate.get("finishMessage")
    raw = told[:RAW_LIMIT] if isinstance(told, str) else None
    return (ToolCall(ids.take(), "", {}, "the provider could not read the call", raw),)


def _read_usage(value: Any) -> Usage:
    """Return the tokens; thoughts are billed as output, and Gemini counts them apart."""
    usage = as_object(value)
    written = as_count(usage.get("candidatesTokenCount")) + as_count(usage.get("thoughtsTokenCount"))
    return Usage(
        input_tokens=as_count(usage.get("promptTokenCount")),
        output_tokens=written,
        cached_input_tokens=as_count(usage.get("cachedContentTokenCount")),
    )
