"""What served models were asked and paid for, call by call, whatever became of the turn.

A turn in flight when a run is killed is run again on resume, and its calls were paid for twice. The
trace holds only the turn that counts; this file holds every answered call. It is outside the hash chain.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from heedful.errors import InputError, StorageError
from heedful.models.ledger import Ledger
from heedful.models.message import ModelReply, ModelRequest, Usage
from heedful.models.model import Model
from heedful.models.names import parse_model_name

LEDGER_FILE = "calls.jsonl"


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
        entry = {"model": self.name, "attempts": reply.attempts, "usage": reply.usage}
        try:
            with self._path.open("ab") as file:
                file.write(orjson.dumps(entry) + b"\n")
        except OSError as error:
            raise StorageError(f"{self._path} cannot be written: {error.strerror}.") from error
        return reply

    async def aclose(self) -> None:
        """Release nothing: the model is shared by other sessions."""


def read_ledger(sessions: Path) -> Ledger:
    """Return the sums over all sessions' ledgers, with their cost; a torn last line is left out."""
    ledger = Ledger()
    for path in sorted(sessions.glob(f"*/{LEDGER_FILE}")):
        for line in path.read_bytes().splitlines():
            try:
                entry = orjson.loads(line)
                name, reply = str(entry["model"]), _reply_of(entry)
                is_free = parse_model_name(name).is_own_machine
            except (ValueError, TypeError, KeyError, InputError):
                continue
            if is_free:
                ledger.declare_local(name)
            ledger.record_reply(name, reply)
    return ledger


def _reply_of(entry: dict[str, Any]) -> ModelReply:
    usage = Usage(**{field: int(amount) for field, amount in entry["usage"].items()})
    return ModelReply("", usage=usage, attempts=int(entry["attempts"]))
