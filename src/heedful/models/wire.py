"""The role of a wire: one provider's format, both ways, and nothing of HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from heedful.models.credentials import Secret
from heedful.models.message import ModelReply, ModelRequest

Dropped = frozenset[str]
"""Request parameters that the provider refused and that are left out from then on."""


class Wire(Protocol):
    """Translates requests and replies of one provider for one model."""

    @property
    def droppable(self) -> frozenset[str]:
        """Parameters that a request can do without."""
        ...

    def path(self) -> str:
        """Return where to post, below the provider's address."""
        ...

    def headers(self, key: Secret | None) -> Mapping[str, str]:
        """Return the provider's headers, the key among them."""
        ...

    def encode(self, request: ModelRequest, dropped: Dropped) -> dict[str, Any]:
        """Return the JSON to post. `request.hint` is not in it."""
        ...

    def decode(self, body: Any, request: ModelRequest) -> ModelReply:
        """Return what a 200 answer says.

        Raises:
            ProviderError: If the body cannot be an answer of this provider.
        """
        ...
