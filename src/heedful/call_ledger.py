"""What served models were asked and paid for, call by call, whatever became of the turn.

A turn in flight when a run is killed is run again on resume, and its calls were paid for twice. The
trace holds only the turn that counts; this file holds every answered call. It is outside the hash chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import orjson

from heedful.errors import StorageError
from heedful.models.message import ModelReply, ModelRequest
from heedful.models.model import Model

LEDGER_FILE = "calls.jsonl"


@dataclass(frozen=True, slots=True)
class PaidCalls:
    """Sums over every answered call of a run."""

    calls: int = 0
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0


class LedgeredModel:
    """A model whose every answer is written down before it is used."""

    def __init__(self, model: Model, folder: Path) -> None:
        """Wrap `model`; the ledger lies in the session's folder."""
        self.name = model.name
        self._model = model
        self._path = folder / LEDGER_FILE

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Return the model's answer.

        Raises:
            StorageError: If the ledger cannot be written.
        """
        reply = await self._model.respond(request)
        usage = reply.usage
        entry = {
            "attempts": reply.attempts,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_input_tokens": usage.cached_input_tokens,
        }
        try:
            with self._path.open("ab") as file:
                file.write(orjson.dumps(entry) + b"\n")
        except OSError as error:
            raise StorageError(f"{self._path} cannot be written: {error.strerror}.") from error
        return reply

    async def aclose(self) -> None:
        """Release nothing: the model is shared by other sessions."""


def read_paid_calls(sessions: Path) -> PaidCalls:
    """Return the sums over all sessions' ledgers; a torn last line is left out."""
    sums = dict.fromkeys(("attempts", "input_tokens", "output_tokens", "cached_input_tokens"), 0)
    calls = 0
    for path in sorted(sessions.glob(f"*/{LEDGER_FILE}")):
        for line in path.read_bytes().splitlines():
            try:
                entry = orjson.loads(line)
                amounts = {name: int(entry[name]) for name in sums}
            except (ValueError, TypeError, KeyError):
                continue
            calls += 1
            sums = {name: sums[name] + amounts[name] for name in sums}
    return PaidCalls(calls, **sums)
