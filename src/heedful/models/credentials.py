"""Provider keys: read from the environment, held out of sight, cut out of what comes back.

A key leaves this module in two ways only: `Secret.reveal`, called where request headers are built,
and `redact`, which removes it from an answer before anything reads the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from heedful.errors import CredentialError

_SHORTEST_REDACTED = 6
REDACTED = b"[redacted]"


class Secret:
    """A key that does not show in reprs, messages or pickles."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the key itself; for request headers only."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(...)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret is not pickled; build the model again where it is needed")


def find_key(
    provider: str, variables: Sequence[str], environ: Mapping[str, str], *, required: bool
) -> Secret | None:
    """Return the key in the first of `variables` that is set, or None where none is needed.

    Raises:
        CredentialError: If a needed key is absent, or holds what no HTTP header can carry.
    """
    for variable in variables:
        value = environ.get(variable, "").strip()
        if value:
            if not (value.isascii() and value.isprintable() and " " not in value):
                raise CredentialError(f"The key in {variable} holds spaces or characters that no key has.")
            return Secret(value)
    if required:
        raise CredentialError(f"{provider} needs a key. Set {' or '.join(variables)} in the environment.")
    return None


def redact(data: bytes, secret: Secret | None) -> bytes:
    """Return `data` without the key; a key too short to be one is left alone."""
    if secret is None or len(secret.reveal()) < _SHORTEST_REDACTED:
        return data
    return data.replace(secret.reveal().encode(), REDACTED)
