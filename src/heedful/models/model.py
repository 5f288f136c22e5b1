"""The one role every language model plays here, scripted or served."""

from __future__ import annotations

from typing import Protocol

from heedful.models.message import ModelReply, ModelRequest


class Model(Protocol):
    """Something that answers a conversation with text and tool calls.

    A model keeps no memory between calls: what it knows is in the request. That is what lets a
    killed session be rebuilt from its trace without calling the model again.
    """

    name: str
    """The name users type, e.g. `openai/gpt-4o-mini`."""

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Return the model's answer to `request`.

        Raises:
            ProviderError: If the provider failed after all retries.
            ContextOverflowError: If the request was longer than the model's context.
        """
        ...

    async def aclose(self) -> None:
        """Release connections; calling it twice is harmless."""
        ...
