"""The base of all scripted models: turn a view into an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heedful.models.message import ModelReply, ModelRequest, ToolCall, Usage
from heedful.models.reference.turn_view import TurnReader, TurnView

Action = tuple[str, Mapping[str, Any]]
"""A tool and its arguments."""
NO_USAGE = Usage()


class ScriptedModel:
    """Answers at once and deterministically, from the view of the turn."""

    name = "reference/scripted"

    def __init__(self) -> None:
        self._reader = TurnReader()

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Return the scripted answer."""
        view = self._reader.read(request)
        answer = self.decide(view)
        if isinstance(answer, str):
            return ModelReply(answer, usage=NO_USAGE)
        base = len(view.done)
        calls = [ToolCall(f"t{view.hint.turn}c{base + k}", *action) for k, action in enumerate(answer)]
        return ModelReply("", tuple(calls), NO_USAGE, finish="tool_calls")

    async def aclose(self) -> None:
        """Release nothing."""

    def decide(self, view: TurnView) -> str | list[Action]:
        """Return the final reply, or the tools to call next."""
        raise NotImplementedError
