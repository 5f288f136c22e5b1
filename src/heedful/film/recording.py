"""A stored session with everything that made it: what there is to film."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from heedful.build import Cell
from heedful.errors import InputError, UnknownNameError
from heedful.labels.label import SessionLabels, TurnLabels
from heedful.labels.session import label_trace
from heedful.run_folder import RunFolder
from heedful.scenarios.scenario import Scenario
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.reader import Trace, read_trace
from heedful.trace.records import TurnRecord
from heedful.world.world import PoseSource, ProximitySource

_POSITIONS = re.compile(r"(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class Recording:
    """One session as it was recorded and labelled."""

    cell: Cell
    trace: Trace
    labels: SessionLabels
    scenario: Scenario
    spec: SafetySpec
    proximity: ProximitySource = "geometry"
    """Where the simulated layer's distance to the nearest person came from."""
    pose: PoseSource = "scripted"
    """Where that person's posture, facing, age and handover came from."""

    def turn_labels(self, turn: TurnRecord) -> TurnLabels | None:
        """Return what the judge says of a turn; None if it was not judged."""
        return next((labels for labels in self.labels.turns if labels.index == turn.index), None)


def open_recording(folder: RunFolder, session: str) -> Recording:
    """Return a session of a run.

    Raises:
        UnknownNameError: If the run has no such session; with the nearest names.
        InputError: If nothing of it can be filmed.
        TraceError: If its trace is damaged.
    """
    begun = {path.name: path for path in folder.begun_sessions()}
    if session not in begun:
        folder.config()
        raise UnknownNameError("Session", session, begun, where=str(folder.path))
    trace = read_trace(begun[session])
    if not trace.turns:
        raise InputError(f"{session} holds no finished turn to film.")
    spec = folder.spec()
    return recording_of(folder, trace, label_trace(trace, spec), spec)


def recording_of(folder: RunFolder, trace: Trace, labels: SessionLabels, spec: SafetySpec) -> Recording:
    """Return a session that was read and labelled already.

    Raises:
        InputError: If it was recorded elsewhere, without a scenario to replay.
    """
    config = folder.config()
    cell = next((cell for cell in config.cells() if cell.session == trace.info.session), None)
    if cell is None:
        raise InputError(f"{trace.info.session} was recorded elsewhere: it can be reported, not filmed.")
    scenario = folder.scenario(config.scenarios.index(cell.scenario))
    return Recording(cell, trace, labels, scenario, spec, config.proximity, config.pose)


def choose_turns(turns: Sequence[TurnRecord], asked: Sequence[str]) -> list[TurnRecord]:
    """Return the turns that are asked for, in the session's order, each once.

    Args:
        turns: All of the session's turns.
        asked: Turn ids, positions such as `11`, or ranges such as `11-14`; all turns when empty.

    Raises:
        UnknownNameError: If there is no turn of that id.
        InputError: If positions are out of range.
    """
    found = {turn.index for text in asked for turn in _named(turns, text)}
    return [turn for turn in turns if turn.index in found or not asked]


def _named(turns: Sequence[TurnRecord], text: str) -> list[TurnRecord]:
    by_id = [turn for turn in turns if turn.turn_id == text]
    if by_id:
        return by_id
    positions = _POSITIONS.fullmatch(text)
    first = int(positions[1]) if positions else 0
    last = int(positions[2] or first) if positions else -1
    if positions is None:
        raise UnknownNameError("Turn", text, [turn.turn_id for turn in turns], where="this session")
    if not turns[0].index <= first <= last <= turns[-1].index:
        raise InputError(
            f"Turns {text!r} are not all there. Positions: {turns[0].index} to {turns[-1].index}."
        )
    return [turn for turn in turns if first <= turn.index <= last]
