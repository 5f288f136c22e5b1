"""One tool of a target: what it does, and how a call of it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heedful.guards.guard import Command, Refusal
from heedful.guards.tool_map.reading import ToolReader
from heedful.guards.tool_map.values import shorten
from heedful.spec.command import ToolClass
from heedful.state.geometry import Pose

STRICTEST: tuple[ToolClass, ...] = ("locomotion", "gesture", "posture", "protective", "none")
DEFAULT_DENY = "Only what the tool map declares passes."


@dataclass(frozen=True)
class ToolEntry:
    """One tool of the target, as the map declares it."""

    name: str
    readers: tuple[ToolReader, ...]
    """What it does; several where an argument chooses between them."""
    does: str
    """heedful's action, or the tool's own name where only a class is known or an argument chooses."""
    tool_class: ToolClass
    """The strictest of what it does."""
    blocks: bool
    """Whether every call returns only when what it does is done."""
    replaces: bool
    """Whether a new command of it replaces the motion under way."""

    def reader_for(self, args: Mapping[str, Any]) -> ToolReader | None:
        """Return how a call with these arguments is read; None where no declared choice fits."""
        readers = self.readers
        if len(readers) == 1:
            return readers[0]
        return next((reader for reader in readers if reader.fits(args)), None)

    def read(self, args: Mapping[str, Any], pose: Pose | None) -> Command | Refusal:
        """Return the call in heedful's words, or why it does not pass."""
        if len(self.readers) == 1:
            return self.readers[0].read(args, pose)
        reader = self.reader_for(args)
        return self._refuse_choice() if reader is None else reader.read(args, pose)

    def _refuse_choice(self) -> Refusal:
        declared = "; ".join(_condition(reader) for reader in self.readers)
        return Refusal(f"{self.name}: no declared use of this tool. {DEFAULT_DENY} Declared: {declared}.")


def build_entry(readers: Sequence[ToolReader]) -> ToolEntry:
    """Return the entry of a tool that does what `readers` say, one or the other by its arguments."""
    name = readers[0].name
    motions = [reader for reader in readers if reader.tool_class == "locomotion"]
    return ToolEntry(
        name,
        tuple(readers),
        readers[0].does if len(readers) == 1 else name,
        min((reader.tool_class for reader in readers), key=STRICTEST.index),
        all(reader.blocks for reader in readers),
        bool(motions) and all(reader.replaces for reader in motions),
    )


def _condition(reader: ToolReader) -> str:
    """Return what a call must have to be read so, as a message shows it."""
    parts = [
        f"{leaf.label} = {' or '.join(map(shorten, leaf.only))}" for leaf in reader.leaves if leaf.chooses
    ]
    return " and ".join(parts)
