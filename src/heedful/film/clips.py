"""Clips for a run's report: the first violation of each kind on the simulated layer, filmed and kept.

A clip lies in the run's folder under a name that holds the hash of what it shows, so that it is drawn once
and every later report holds the same bytes.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from heedful.errors import HeedfulError
from heedful.film.needs import missing_for
from heedful.film.recording import Recording, recording_of
from heedful.labels.label import SEVERITY, Label
from heedful.reports.arms import Session
from heedful.reports.clips import NO_CLIPS, Clip, ClipReel
from heedful.reports.violations import Violation, violations_of
from heedful.results import RunResult
from heedful.run_folder import RunFolder
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.codec import GENESIS, encode_line
from heedful.trace.reader import Trace
from heedful.trace.records import TurnRecord
from heedful.version import __version__

FOLDER = "clips"
WIDTH, HEIGHT, FPS = 320, 240, 5
BEFORE_S, SHOWN_S = 0.6, 3.0
"""How much a clip shows before the call that broke the rule, and altogether, the verdict apart [s]."""
MOST_CLIPS = 6


@dataclass(frozen=True, slots=True)
class _Scene:
    """A violation to be filmed."""

    session: Session
    violation: Violation

    @property
    def turn(self) -> TurnRecord:
        return self.session[0].turns[self.violation.turn.index]

    @property
    def place(self) -> tuple[str, int]:
        """Session and turn."""
        return self.violation.info.session, self.turn.index

    @property
    def name(self) -> str:
        """The clip's file: what is shown, and a hash over everything that it depends on."""
        parts = (encode_line(self.turn, GENESIS), __version__.encode(), f"{WIDTH}x{HEIGHT}@{FPS}".encode())
        digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]
        decision = self.violation.decision
        rule = self.violation.rule.replace(" ", "-")
        return f"{self.violation.info.session}-{self.turn.turn_id}-{rule}-{decision.label}-{digest}.webp"


def with_clips(result: RunResult, most: int) -> RunResult:
    """Return a run's results with clips of its violations, at most so many."""
    return replace(result, reel=film_violations(result.folder, result.kept, result.spec, most))


def film_violations(folder: RunFolder, sessions: Sequence[Session], spec: SafetySpec, most: int) -> ClipReel:
    """Return clips of a run's violations; what cannot be filmed here is said in the note.

    Args:
        folder: The run.
        sessions: Its sessions with their labels by the run's own spec; only the simulated ones are filmed.
        spec: That spec.
        most: At most so many clips; 0 makes none.
    """
    scenes = _choose(sessions, most)
    if not scenes:
        return NO_CLIPS
    problems = _film_absent(folder, [s for s in scenes if not _path(folder, s).exists()], spec)
    shown = [scene for scene in scenes if _path(folder, scene).exists()]
    return ClipReel(_read(folder, shown), " ".join(dict.fromkeys(problems)))


def _film_absent(folder: RunFolder, scenes: Sequence[_Scene], spec: SafetySpec) -> list[str]:
    """Film what was not filmed before; return what was in the way."""
    missing = missing_for(".webp") if scenes else ()
    if missing:
        return [f"For clips of violations, install what is missing and report again. {'; '.join(missing)}."]
    if scenes:
        print(f"heedful: filming {len(scenes)} violations for the report", file=sys.stderr)
    return [problem for scene in scenes if (problem := _film(folder, scene, spec))]


def _choose(sessions: Iterable[Session], most: int) -> list[_Scene]:
    """Return a violation of each rule and label: its first one in a turn that no other clip shows.

    A rule's worse label goes first, and no rule is shown twice before every rule was shown. Sessions
    without a guard go first: there the robot did what it was told.
    """
    found: dict[tuple[str, Label], list[_Scene]] = {}
    for session in sorted(sessions, key=lambda session: session[0].info.guard != "off"):
        for violation in violations_of(session) if _is_simulated(session[0]) else ():
            key = (violation.rule, violation.decision.label)
            found.setdefault(key, []).append(_Scene(session, violation))
    by_rule = sorted(found, key=lambda key: (key[0], -SEVERITY[key[1]]))
    rank = {key: sum(other[0] == key[0] for other in by_rule[:k]) for k, key in enumerate(by_rule)}
    chosen: list[_Scene] = []
    for key in sorted(by_rule, key=lambda key: (rank[key], key[0]))[: max(most, 0)]:
        shown = {scene.place for scene in chosen}
        chosen.append(next((s for s in found[key] if s.place not in shown), found[key][0]))
    return chosen


def _is_simulated(trace: Trace) -> bool:
    return trace.info.layer == "sim" and trace.info.body.get("body") != "kinematic"


def _film(folder: RunFolder, scene: _Scene, spec: SafetySpec) -> str:
    """Film one violation into its file; return what was in the way, or nothing."""
    trace, labels = scene.session
    try:
        recording: Recording = recording_of(folder, trace, labels, spec)
        studio = import_module("heedful.film.shoot")
        event = scene.violation.decision.event
        issued_s = 0.0 if event is None else scene.turn.events[event].issued_s
        start_s = max(0.0, issued_s - BEFORE_S)
        studio.shoot_span(
            recording,
            scene.turn,
            studio.Span(start_s, start_s + SHOWN_S),
            _path(folder, scene),
            studio.Format(WIDTH, HEIGHT, FPS),
        )
    except HeedfulError as error:
        return f"No clip of turn {scene.turn.turn_id}: {error}"
    return ""


def _read(folder: RunFolder, scenes: Sequence[_Scene]) -> tuple[Clip, ...]:
    return tuple(
        Clip(
            scene.violation.info.session,
            scene.turn.turn_id,
            scene.violation.rule,
            scene.violation.decision.label.value,
            scene.violation.decision.why,
            "image/webp",
            _path(folder, scene).read_bytes(),
        )
        for scene in scenes
    )


def _path(folder: RunFolder, scene: _Scene) -> Path:
    return folder.path / FOLDER / scene.name
