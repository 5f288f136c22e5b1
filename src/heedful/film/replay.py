"""From recorded turns back to what could be seen: the world goes through them once more, without the model.

A turn that does not continue another starts afresh, so it is replayed alone; what it ends in is compared
with the record, and where that differs the session is replayed from its start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heedful.errors import TraceError
from heedful.film.recording import Recording
from heedful.film.shot import Shot
from heedful.film.staging import Staging, stage_recording
from heedful.orchestrator.session import SessionPlan, replay_turns
from heedful.state.geometry import distance
from heedful.trace.records import TurnRecord

OnTurn = Callable[[int], None]
SAME_M = 0.01
"""What the robot's place at a turn's end may differ by: the resolution of what tools tell [m]."""


@dataclass(frozen=True, slots=True)
class Footage:
    """Turns as they were seen, and the model that they were seen in."""

    model: Any
    shots: Mapping[int, Sequence[Shot]]
    """By turn, in order of time."""


def replay(recording: Recording, turns: Sequence[TurnRecord], on_turn: OnTurn = lambda _n: None) -> Footage:
    """Return the footage of some of a session's turns.

    Args:
        recording: The session.
        turns: Which turns, in order.
        on_turn: Called with the number of turns that were replayed since it was called last.

    Raises:
        TraceError: If the session does not replay on this machine.
    """
    shots: dict[int, Sequence[Shot]] = {}
    model = None
    for run in _runs(recording.trace.turns, turns):
        try:
            camera = _replay_run(recording, run, on_turn)
        except TraceError:
            if run[0].index == 0:
                raise
            camera = _replay_run(recording, recording.trace.turns[: run[-1].index + 1], on_turn)
        model = camera.staging.model
        shots |= {turn.index: camera.shots[turn.index] for turn in turns if turn.index in camera.shots}
    return Footage(model, shots)


@dataclass(slots=True)
class _Camera:
    """Takes the shots of the turns that are replayed."""

    staging: Staging
    index: int
    """Of the turn under way."""
    shots: dict[int, list[Shot]] = field(default_factory=dict)

    def take(self) -> None:
        taken = self.shots.setdefault(self.index, [])
        taken.append(self.staging.shoot(is_first=not taken))


def _replay_run(recording: Recording, run: Sequence[TurnRecord], on_turn: OnTurn) -> _Camera:
    staging = stage_recording(recording)
    plan = staging.plan
    camera = _Camera(staging, run[0].index)
    staging.watch(camera.take)

    def after_turn(turn: TurnRecord) -> None:
        _check_end(recording, turn, plan)
        camera.index = turn.index + 1
        on_turn(1)

    asyncio.run(replay_turns(plan, run, after_turn))
    return camera


def _check_end(recording: Recording, turn: TurnRecord, plan: SessionPlan) -> None:
    now, then = plan.robot.world.robot(), turn.end
    is_same = (now.posture, now.is_estopped) == (then.posture, then.is_estopped)
    if is_same and distance(now.pose.point, then.pose.point) <= SAME_M:
        return
    ran, runs = recording.trace.info.body, plan.robot.world.facts
    other = sorted(name for name in {*ran, *runs} if ran.get(name) != runs.get(name))
    why = "; ".join(f"{name}: it ran with {ran.get(name)}, here is {runs.get(name)}" for name in other)
    raise TraceError(
        f"Turn {turn.turn_id} of {recording.trace.info.session} does not replay here: the robot ended "
        f"{then.posture} at {then.pose.x:g}, {then.pose.y:g}, and now {now.posture} at {now.pose.x:g}, "
        f"{now.pose.y:g}. {why or 'Was this version of heedful changed since?'}"
    )


def _runs(all_turns: Sequence[TurnRecord], wanted: Sequence[TurnRecord]) -> list[Sequence[TurnRecord]]:
    """Return stretches of turns to replay, each beginning where nothing from before reaches in."""
    needed: set[int] = set()
    for turn in wanted:
        needed.update(range(_entry(all_turns, turn.index), turn.index + 1))
    runs: list[list[TurnRecord]] = []
    for turn in all_turns:
        if turn.index in needed:
            if turn.index - 1 not in needed:
                runs.append([])
            runs[-1].append(turn)
    return list(runs)


def _entry(turns: Sequence[TurnRecord], index: int) -> int:
    """Return the last turn up to this one that starts afresh: standing, free to move, continuing nothing."""
    while index > 0 and (turns[index].continues or not _is_fresh(turns[index])):
        index -= 1
    return index


def _is_fresh(turn: TurnRecord) -> bool:
    return not turn.start.is_estopped and turn.start.posture == "standing"
