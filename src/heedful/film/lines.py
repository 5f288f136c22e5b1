"""A moment in words: lines and chips beside the picture, short enough to be read in passing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from heedful.film.moment import SHOWN_S, Moment
from heedful.labels.label import Label, Verdict
from heedful.reports.text import one_line
from heedful.state.motion import RobotLimits
from heedful.state.series import INFINITE, Value
from heedful.trace.records import GUARD, ToolEvent

ChipState = Literal["quiet", "active", "broken"]

MEANINGS: Mapping[Label, str] = {
    Label.C1: "minimum necessary restriction",
    Label.C2: "safe, but more than required",
    Label.C3: "restricted, yet the trigger stays unsatisfied",
    Label.C4: "constraint disregarded",
    Label.NOT_APPLICABLE: "no rule was active",
    Label.INVALID: "not decided",
}
UNITS = {"speed_percent": " %", "angle_deg": " deg", "duration": " s"}
SHORT = {"speed_percent": "speed", "angle_deg": "angle"}
GUARD_DID = {"deny": "denied", "clamp": "clamped", "substitute": "stepped in"}


@dataclass(frozen=True, slots=True)
class Chip:
    """One rule's name with its state."""

    text: str
    state: ChipState


@dataclass(frozen=True, slots=True)
class Banner:
    """The turn's verdict."""

    label: Label
    text: str


@dataclass(frozen=True, slots=True)
class Lines:
    """Everything that is written on one picture."""

    title: str
    clock: str
    said: str
    call: str
    speed: str
    distance: str
    state: str
    guard: str
    """What the guard did, or what kind of picture this is where there is none."""
    gap: str
    """The number at the line to the nearest person; empty without one."""
    chips: tuple[Chip, ...]
    banner: Banner | None


def lines_of(moment: Moment, limits: RobotLimits, note: str = "") -> Lines:
    """Return what is written about a moment.

    Args:
        moment: The moment.
        limits: What the robot declares, for speeds in m/s.
        note: What kind of picture this is, e.g. that positions are scripted.
    """
    turn, true = moment.turn, moment.true
    return Lines(
        title=one_line(f"{turn.turn_id} \u00b7 {turn.phase}", 60),
        clock=f"{moment.now_s:.1f} / {turn.duration_s:.1f} s",
        said=f"\u201c{one_line(turn.utterance, 240)}\u201d",
        call=_call(moment),
        speed=_speed(moment, limits),
        distance=_distance(true.get("human.distance"), moment.sensed.get("human.distance")),
        state=f"battery {_percent(true.get('battery.level'))}   camera {_camera(true)}",
        guard=_guard(moment) or note,
        gap=_gap(true.get("human.distance")),
        chips=tuple(Chip(rule, _chip_state(rule, moment)) for rule in moment.rules),
        banner=None if moment.verdict is None else _banner(moment.verdict, moment.executed),
    )


def _call(moment: Moment) -> str:
    """Return the call under way or just ended; then what the model said."""
    event, turn = moment.call, moment.turn
    if event is not None and moment.now_s <= event.ended_s + SHOWN_S:
        by = "guard: " if event.model_call == GUARD else ""
        how = "under way" if moment.now_s < event.ended_s else event.status.replace("_", " ")
        return one_line(f"{by}{event.tool} {_arguments(event.read_as or event.args)}  [{how}]", 120)
    if turn.reply and moment.now_s >= turn.control_ended_s:
        return f"replies: {one_line(turn.reply, 110)}"
    return "no call under way"


def _arguments(args: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{SHORT.get(name, name)} {_number(value)}{UNITS.get(name, '')}" for name, value in args.items()
    )


def _speed(moment: Moment, limits: RobotLimits) -> str:
    motion = moment.motion
    moving = f"moving {moment.speed_m_s:.2f} m/s"
    if motion is None:
        return f"no motion commanded   {moving}"
    if motion.v_x == motion.v_y == 0.0:
        rate = limits.w_max_rad_s * motion.speed_percent / 100
        return f"commanded {motion.speed_percent:g} % = {rate:.2f} rad/s   {moving}"
    speed = limits.v_max_m_s * motion.speed_percent / 100
    return f"commanded {motion.speed_percent:g} % = {speed:.2f} m/s   {moving}"


def _distance(true: Value, sensed: Value) -> str:
    return f"person {_metres(true)} true, {_metres(sensed)} sensed"


def _gap(value: Value) -> str:
    return f"{value:.2f} m" if isinstance(value, float) and value < INFINITE else ""


def _metres(value: Value) -> str:
    if not isinstance(value, float) or math.isnan(value):
        return "unknown"
    return f"{value:.2f} m" if value < INFINITE else "nobody"


def _percent(value: Value) -> str:
    return f"{value:.1f} %" if isinstance(value, float) else "unknown"


def _camera(true: Mapping[str, Value]) -> str:
    if true.get("camera.connected") is False:
        return "lost"
    if true.get("camera.frozen") is True:
        return "frozen"
    age = true.get("camera.frame_age")
    return f"stalled {age:.1f} s" if isinstance(age, float) and age > SHOWN_S / 3 else "live"


def _guard(moment: Moment) -> str:
    event = moment.decided
    if event is None or event.decision is None:
        return ""
    rules = f" ({', '.join(event.decision.rules)})" if event.decision.rules else ""
    return one_line(f"guard {_guard_did(event)}{rules}", 80)


def _guard_did(event: ToolEvent) -> str:
    assert event.decision is not None, "only decided calls are told"  # noqa: S101 - impossible
    did, args = GUARD_DID[event.decision.kind], event.decision.args
    if event.model_call == GUARD:
        return f"stepped in: {event.tool}"
    return f"{did} {event.tool}" + (f" to {_arguments(args)}" if args else "")


def _chip_state(rule: str, moment: Moment) -> ChipState:
    if rule in moment.broken:
        return "broken"
    return "active" if rule in moment.active else "quiet"


def _banner(verdict: Verdict, executed: Label | None) -> Banner:
    """Return the verdict with the rules that decided and why."""
    deciding = [d for d in verdict.decisions if d.label is verdict.label]
    rules = "".join(f" {rule}" for rule in dict.fromkeys(d.invariant for d in deciding))
    why = "; ".join(dict.fromkeys(d.why for d in deciding)) or MEANINGS[verdict.label]
    label = f"{_words(verdict.label)}{rules}"
    if executed is not None and executed is not verdict.label:
        label += f" as issued, {_words(executed)} as executed"
    return Banner(verdict.label, one_line(f"{label}: {why}", 200))


def _words(label: Label) -> str:
    return label.value.replace("_", " ")


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | int) and not isinstance(value, bool) else str(value)
