"""What a scenario promises of its world: the battery's way down, camera losses, room to the border.

The second half of the checks that `profile.py` runs; see `promises.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from heedful.scenarios.promises import View
from heedful.scenarios.scenario import Turn
from heedful.scenarios.turn_profile import requested_motions, thresholds, true_values
from heedful.spec.command import MOTION_CLASSES
from heedful.spec.conditions import Condition
from heedful.spec.rule import Rule
from heedful.spec.syntax import Constant, walk
from heedful.state.series import Value

CAMERA_STATES = ("camera.connected", "camera.frozen")


def check_obligations(view: View) -> Iterator[str]:
    """One onset at a turn's start with time for its deadline, later turns, a reset; nothing in between."""
    for rule in (r for r in view.spec.rules if r.kind == "require"):
        held = [k for k, p in enumerate(view.profiles) if rule.key in p.ever]
        if not held and not view.promises.later_turns[1]:
            continue
        if not held or held != list(range(held[0], held[-1] + 1)) or held[0] == 0:
            yield f"{rule.key} is not active in one piece of the session that begins after its first turn"
            continue
        yield from _onset(view, rule, held[0])
        low, high = view.promises.later_turns
        if not low <= len(held) - 1 <= high:
            yield f"{rule.key}: {len(held) - 1} turns after the onset's, promised {low} to {high}"
        resets = [k for k, turn in enumerate(view.scenario.turns) if turn.script.resets]
        if resets != [held[-1] + 1]:
            yield f"{rule.key}: a reset stands elsewhere than right after its last turn"
        yield from _levels(view, rule, held[0], held[-1] + 1)


def check_room(view: View) -> Iterator[str]:
    """Requested motions stay well inside the region, or leave it by far."""
    region, promises = view.spec.region, view.promises
    for turn in view.scenario.turns:
        for motion in requested_motions(turn, view.spec):
            if motion is None or motion.displacement_m == 0 or not region.contains(motion.start.point):
                continue
            path = motion.path(view.spec.limits.stopping_distance_m(motion.speed_percent))
            if not region.contains_path(path):
                farthest = max(region.distance_outside(p) for p in motion.path())
                if farthest < promises.outside_margin_m:
                    yield f"{turn.turn_id}: leaves the region by {farthest:.2f} m only"
            elif min(region.margin_inside(p) for p in path) < promises.inside_margin_m:
                yield f"{turn.turn_id}: comes nearer to the border than {promises.inside_margin_m:g} m"


def check_camera(view: View) -> Iterator[str]:
    """A long loss that ends without a word, a frozen and a stalled picture, a loss in mid-turn."""
    if not view.promises.blind_turns:
        return
    turns = view.scenario.turns
    longest = max(_blind_runs(view), default=0)
    if longest < view.promises.blind_turns:
        yield f"the camera is lost for {longest} turns in a row, promised {view.promises.blind_turns}"
    if not any(turn.script.signals["camera.frozen"].at(0.0) for turn in turns):
        yield "no turn starts with a frozen picture"
    if not any(_is_stalled(turn) for turn in turns):
        yield "no turn starts with a stalled camera"
    if not any(_is_lost_midway(turn) for turn in turns):
        yield "no camera is lost in mid-turn"


def _onset(view: View, rule: Rule, k: int) -> Iterator[str]:
    turn, promises = view.scenario.turns[k], view.promises
    if rule.key not in view.profiles[k].throughout:
        yield f"{turn.turn_id}: {rule.key} does not begin at the turn's start"
    if turn.script.duration_s < rule.within_s + promises.deadline_slack_s:
        yield f"{turn.turn_id}: the deadline of {rule.key} leaves no time to judge it"
    if not any(view.spec.tool_class(step.tool) in MOTION_CLASSES for step in turn.request.steps):
        yield f"{turn.turn_id}: the onset of {rule.key} asks for no motion"


def _levels(view: View, rule: Rule, onset: int, reset: int) -> Iterator[str]:
    """The number that the obligation watches: falling, clear of its threshold before, of release after."""
    release = view.spec.releases[rule.invariant]
    for name in release.signals:
        low = max(thresholds(view.spec).get(name, (0.0,)))
        high = max(_constants(release), default=low)
        levels = [_number(true_values(view.spec, turn, (0.0,))[0][name]) for turn in view.scenario.turns]
        for k, turn in enumerate(view.scenario.turns):
            if k and k != reset and levels[k] > levels[k - 1] + 1e-9:
                yield f"{turn.turn_id}: {name} rises without a reset"
            if k < onset and levels[k] < low + view.promises.before_onset_margin:
                yield f"{turn.turn_id}: {name} is too near {low:g} before the onset"
            if k >= reset and levels[k] < high + (view.promises.after_reset_margin if k == reset else 1e-6):
                yield f"{turn.turn_id}: {name} is {levels[k]:g} after the reset, too near {high:g}"


def _constants(condition: Condition) -> list[float]:
    values = [node.value for node in walk(condition.tree) if isinstance(node, Constant)]
    return [v for v in values if isinstance(v, float)]


def _number(value: Value) -> float:
    return value if isinstance(value, float) else float("nan")


def _blind_runs(view: View) -> Iterator[int]:
    """Yield the lengths of runs of turns without a camera that end with a seeing turn asking for motion."""
    run = 0
    for turn, profile in view.pairs():
        if not turn.script.signals["camera.connected"].at(0.0):
            run += 1
        else:
            asks = any(view.spec.tool_class(s.tool) in MOTION_CLASSES for s in turn.request.steps)
            if run and asks and not profile.ever:
                yield run
            run = 0


def _is_stalled(turn: Turn) -> bool:
    signals = turn.script.signals
    age = signals["camera.frame_age"].at(0.0)
    return bool(signals["camera.connected"].at(0.0)) and isinstance(age, float) and age > 1.0


def _is_lost_midway(turn: Turn) -> bool:
    connected = turn.script.signals["camera.connected"]
    return bool(connected.at(0.0)) and not all(connected.values)
