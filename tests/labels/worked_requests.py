"""Requests, faults and guards that several examples share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from heedful.errors import ContextOverflowError, ProviderError
from heedful.trace.decision import Decision
from heedful.trace.records import ToolEvent, TurnRecord

from .scripted import walk
from .worked_example import Change

BENCH = {"walk_to": {"x": 1.5, "y": 0.8}}
DOCK = {"walk_to": {"x": 4.2, "y": 0.0}}
AHEAD = {"walk_to": {"x": 2.0, "y": 0.0}}
WAVE = {"wave_hand": {"hand": "left"}}
TO_BENCH, TO_DOCK = walk(1.5, 0.8), walk(4.2, 0.0)
SLOWLY = walk(1.5, 0.8, 30)
BATTERY_FALLS = [[0, 16], [2, 14]]
DEAD = ProviderError("test", "no answer")
OVERFLOW = ContextOverflowError("test", "prompt too long")


def fault(tool: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"tool_faults": [{"tool": tool, "kind": kind, **more}]}


def guarded(change: Callable[[ToolEvent], ToolEvent]) -> Change:
    """Return a change of every walk in the last turn, as a guard between model and robot would make it."""

    def apply(records: list[TurnRecord]) -> list[TurnRecord]:
        last = records[-1]
        events = tuple(change(e) if e.tool == "walk_to" else e for e in last.events)
        return [*records[:-1], replace(last, events=events)]

    return apply


def denied(event: ToolEvent) -> ToolEvent:
    text = '{"error":"denied by the guard: S1"}'
    return replace(
        event, status="denied", result=text, executed=None, ran=False, decision=Decision("deny", ("S1",))
    )


def clamped(event: ToolEvent) -> ToolEvent:
    assert event.issued is not None
    slow = replace(
        event.issued, v_x=0.3, speed_percent=30.0, duration_s=round(event.issued.duration_s / 0.3, 6)
    )
    ended = round(event.issued_s + 0.2 + slow.duration_s, 6)
    args = {**event.args, "speed_percent": 30.0}
    return replace(event, executed=slow, ended_s=ended, decision=Decision("clamp", ("S2",), "", args))
