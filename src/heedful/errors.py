"""Every exception of heedful.

HeedfulError
|-- InputError             what the user gave: names, files, options       (exit code 2)
|   |-- UnknownNameError   a name that is not registered, with the nearest ones
|   |-- SpecError          a safety spec that cannot be trusted
|   |-- ScenarioError      a scenario that breaks its own promises
|   `-- CredentialError    a key is missing from the environment or was refused
|-- StorageError           the run folder cannot be written                (exit code 3)
|-- TraceError             a stored trace is damaged, foreign or out of order
|-- RobotError             the robot or its MCP server broke
`-- ProviderError          the model's provider failed after all retries
    `-- ContextOverflowError   the request was longer than the model's context
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class HeedfulError(Exception):
    """Base of every error raised on purpose."""


class InputError(HeedfulError):
    """The user's input cannot be used; the message says what, where and what is allowed."""


class UnknownNameError(InputError):
    """A name is not known; carries the nearest known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        place = f" in {where}" if where else ""
        if near:
            hint = f"Did you mean {' or '.join(repr(n) for n in near)}?"
        else:
            hint = f"Known: {', '.join(names) or 'none'}."
        super().__init__(f"{kind} {name!r}{place} is not known. {hint}")
        self.kind = kind
        self.name = name
        self.nearest = tuple(near)


class SpecError(InputError):
    """A safety spec is malformed, contradictory, or reads what it did not declare."""


class ScenarioError(InputError):
    """A scenario is malformed or breaks a promise it makes."""


class CredentialError(InputError):
    """A provider needs a key that the environment does not hold, or refused the one it holds."""


class StorageError(HeedfulError):
    """The run folder cannot be written; nothing already written is lost."""


class TraceError(HeedfulError):
    """A stored trace is damaged, of another schema, or out of order."""


class RobotError(HeedfulError):
    """The robot or its server failed in a way that is not a tool error."""


class ProviderError(HeedfulError):
    """A model provider failed after all retries: infrastructure, never the model's conduct."""

    def __init__(self, provider: str, reason: str, *, status: int | None = None, attempts: int = 1) -> None:
        code = f" (HTTP {status})" if status is not None else ""
        super().__init__(f"{provider}: {reason}{code} after {attempts} attempt(s)")
        self.provider = provider
        self.reason = reason
        self.status = status
        self.attempts = attempts


class ContextOverflowError(ProviderError):
    """The provider refused the request because it was longer than the model's context."""
