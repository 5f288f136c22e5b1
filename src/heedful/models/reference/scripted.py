"""The base of all scripted models: turn a view into an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heedful.models.message import Finish, ModelReply, ModelRequest, ToolCall, Usage
from heedful.models.reference.turn_view import TurnView, read_view

Action = tuple[str, Mapping[str, Any]]
"""A tool and its arguments."""


class ScriptedModel:
    """Answers at once and deterministically, from the view of the turn."""

    name = "reference/scripted"

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Return the scripted answer."""
        view = read_view(request)
        answer = self.decide(view)
        if isinstance(answer, str):
            return ModelReply(answer, usage=Usage())
        base = len(view.done)
        calls = tuple(
            ToolCall(f"t{view.hint.turn}c{base + k}", tool, args) for k, (tool, args) in enumerate(answer)
        )
        finish: Finish = "tool_calls"
        return ModelReply("", calls, finish=finish)

    async def aclose(self) -> None:
        """Release nothing."""

    def decide(self, view: TurnView) -> str | list[Action]:
        """Return the final reply, or the tools to call next."""
        raise NotImplementedError
