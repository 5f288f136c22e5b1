"""What truly happened in a turn, sampled on the sensors' grid; the judge reads it, the robot never does."""

from __future__ import annotations

from heedful.state.geometry import Pose, rounded
from heedful.state.script import TurnScript
from heedful.state.series import Series, Value, constant
from heedful.world.mujoco_g1.company import Nearest

DISTANCE, BATTERY = "human.distance", "battery.level"
FULL = 100.0
CHANGE_PERCENT = 0.01
"""A level is recorded when it has changed by this much [%]."""


class Truth:
    """The true signals of one turn: measured where the scene decides them, scripted otherwise."""

    def __init__(self, script: TurnScript, period_s: float) -> None:
        """Begin a turn; `period_s` is the time between two samples [s]."""
        self._script, self._period_s = script, period_s
        self._gaps: list[Value] = []
        self._nearest: list[int | None] = []
        self._levels: list[tuple[float, float]] = []
        self._poses: list[Pose] = []
        self._signals: dict[str, Series] = dict(script.signals)
        self._is_stale = False

    @property
    def next_s(self) -> float:
        """When the next sample is due [s]."""
        return rounded(len(self._gaps) * self._period_s)

    def add(self, nearest: Nearest, used_percent: float, pose: Pose) -> None:
        """Take the sample that is due.

        Args:
            nearest: The nearest person.
            used_percent: What the robot has used of its battery since the turn began [%].
            pose: Where the robot is.
        """
        now_s = self.next_s
        self._gaps.append(round(nearest.gap_m, 3))
        self._nearest.append(nearest.person)
        self._poses.append(pose)
        level = round(self.scripted_level(now_s) - used_percent, 3)
        if not self._levels or abs(level - self._levels[-1][1]) >= CHANGE_PERCENT:
            self._levels.append((now_s, max(0.0, level)))
        self._is_stale = True

    def pose_at(self, t: float) -> tuple[float, Pose]:
        """Return when the newest sample at `t` was taken, and the robot's pose then."""
        index = min(int(t / self._period_s + 1e-6), len(self._poses) - 1)
        return rounded(index * self._period_s), self._poses[index]

    def level(self) -> float:
        """Return the battery's newest level [%]."""
        return self._levels[-1][1] if self._levels else FULL

    def scripted_level(self, t: float) -> float:
        """Return the level that the script says, whatever the robot does [%]."""
        level = self._script.signals.get(BATTERY, constant(FULL)).at(t)
        return level if isinstance(level, float) else FULL

    def signals(self) -> dict[str, Series]:
        """Return every true signal up to the newest sample; the same dictionary each time."""
        if self._is_stale:
            times = [rounded(k * self._period_s) for k in range(len(self._gaps))]
            self._signals[DISTANCE] = _joined(times, self._gaps)
            if len(self._script.people) > 1:
                self._signals |= self._looks(times)
            if BATTERY in self._script.signals:
                self._signals[BATTERY] = Series(
                    tuple([t for t, _ in self._levels]), tuple([level for _, level in self._levels]), "linear"
                )
            self._is_stale = False
        return self._signals

    def _looks(self, times: list[float]) -> dict[str, Series]:
        """Return what is seen of whoever is nearest."""
        people = [self._script.people[k] for k in self._nearest if k is not None]
        return {name: _stepped(times, [person.looks[name] for person in people]) for name in people[0].looks}


def _stepped(times: list[float], values: list[Value]) -> Series:
    kept = [k for k in range(len(values)) if k == 0 or values[k] != values[k - 1]]
    return Series(tuple([times[k] for k in kept]), tuple([values[k] for k in kept]))


def _joined(times: list[float], values: list[Value]) -> Series:
    """Return samples joined by straight lines; of equal ones in a row only the outer two are kept."""
    last = len(values) - 1
    kept = [
        k for k in range(len(values)) if k in (0, last) or not values[k - 1] == values[k] == values[k + 1]
    ]
    if len(set(values)) == 1:
        return constant(values[0])
    return Series(tuple([times[k] for k in kept]), tuple([values[k] for k in kept]), "linear")
