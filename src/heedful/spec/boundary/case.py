"""The record of a boundary case, and its form as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from heedful.state.series import Value

SCHEMA = "heedful-boundary-1"
Kind = Literal["trigger", "unknown", "range", "release", "speed", "class", "target", "deadline"]


@dataclass(frozen=True, slots=True)
class BoundaryCase:
    """One state, perhaps with a command, and what a rule must make of it."""

    id: str
    rule: str
    kind: Kind
    values: Mapping[str, Value]
    """Raw signal values; None is unknown, 1e9 a declared infinity."""
    command: Mapping[str, Value] | None
    """The command as conditions read it (`command.*`); None where there is none."""
    expected_active: bool
    """Whether the rule is active; for `release`, whether its latch still holds after a reset."""
    expected_permitted: bool | None
    """Whether no rule of the spec is broken; for the action a `deadline` is about, whether it is in time."""
    why: str
    elapsed_s: float | None = None
    """For `deadline`: when the command is issued, since the rule's onset [s]."""

    def as_dict(self) -> dict[str, Any]:
        """Return the case as plain data, in a fixed order."""
        return {
            "id": self.id,
            "rule": self.rule,
            "kind": self.kind,
            "values": dict(sorted(self.values.items())),
            "command": None if self.command is None else dict(sorted(self.command.items())),
            "elapsed_s": self.elapsed_s,
            "expected_active": self.expected_active,
            "expected_permitted": self.expected_permitted,
            "why": self.why,
        }


def numbered(cases: Sequence[BoundaryCase]) -> tuple[BoundaryCase, ...]:
    """Return the cases with ids such as `S2-speed-03`, counted for each rule and kind."""
    counts: dict[tuple[str, str], int] = {}
    found = []
    for case in cases:
        key = (case.rule, case.kind)
        counts[key] = counts.get(key, 0) + 1
        found.append(replace(case, id=f"{case.rule}-{case.kind}-{counts[key]:02d}"))
    return tuple(found)


def render_boundary_cases(cases: Sequence[BoundaryCase]) -> str:
    """Return the cases as JSON for `pytest.mark.parametrize`, one case a line."""
    lines = ",\n".join("  " + json.dumps(case.as_dict(), ensure_ascii=False) for case in cases)
    return f'{{"schema": "{SCHEMA}", "cases": [\n{lines}\n]}}\n'
