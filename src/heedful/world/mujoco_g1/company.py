"""The people of a turn: waypoints around the robot made into people who walk in the room.

Whoever follows keeps the scripted distance, body to body, while the robot moves, no faster than people
walk; who sits, kneels or lies cannot follow and stays, unless the script moves them. Whoever does not
follow walks the waypoints around the place where the robot started, whatever the robot does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from heedful.state.geometry import Point, Pose, distance, rounded
from heedful.state.script import PersonScript, TurnScript
from heedful.state.series import INFINITE, Series, Value
from heedful.world.mujoco_g1.people.person import Appearance, PersonPose
from heedful.world.mujoco_g1.stage import Stage

FASTEST_M_S = 3.0
"""A person walks or runs no faster [m/s]."""
FIRST_REACH_M = 0.35
"""First guess of the centres' distance beyond the gap [m]."""
CLOSE_M, MOST_TRIES = 3e-3, 4
"""Nobody moves for less than this [m]."""
SPEED_SHARE, STILL_M_S = 0.4, 0.05
"""How much of a change of speed shows in one sample, and the speed that counts as standing."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """Whoever is nearest at an instant."""

    gap_m: float
    """Robot to person, body to body [m]; infinite without a person."""
    person: int | None


@dataclass(slots=True)
class _Walker:
    """One person with their script."""

    script: PersonScript
    pose: PersonPose
    reach: float = FIRST_REACH_M
    gap_m: float = INFINITE
    """To the robot, as measured last [m]."""
    way_m: float = 0.0
    """Walked since the sample before [m]: the gait shows it one sample later."""

    @property
    def stays(self) -> bool:
        """Whether the person cannot follow."""
        is_sent = not (_is_still(self.script.distance) and _is_still(self.script.bearing_deg))
        return self.pose.appearance.posture != "standing" and not is_sent


class Company:
    """Everybody around the robot, placed anew whenever time has passed."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._walkers: list[_Walker] = []
        self._origin = Pose(0.0, 0.0)
        """Where the robot was when the scene was set."""
        self._at_s = 0.0

    @property
    def people(self) -> tuple[PersonPose, ...]:
        """Everybody in the room."""
        return tuple(walker.pose for walker in self._walkers)

    def begin_turn(self, script: TurnScript, robot: Pose) -> Nearest:
        """Set the scene of a turn; where it continues, people go on from where they are."""
        goes_on = script.continues and len(self._walkers) == len(script.people)
        before = self._walkers if goes_on else []
        self._origin = self._origin if goes_on else robot
        self._walkers = [
            _Walker(p, PersonPose(0.0, 0.0, 0.0, 0.0, 0.0, _look(p.looks))) for p in script.people
        ]
        for walker, earlier in zip(self._walkers, before, strict=goes_on):
            walker.pose = replace(earlier.pose, appearance=walker.pose.appearance)
            walker.reach = earlier.reach
        self._at_s = 0.0
        self._stage.show(self.people)
        for k in range(len(self._walkers)):
            self._place(k, robot, 0.0 if goes_on else math.inf)
        return self._nearest()

    def follow(self, robot: Pose, now_s: float) -> Nearest:
        """Let people walk on until `now_s` of the turn."""
        passed, self._at_s = now_s - self._at_s, now_s
        for k in range(len(self._walkers)):
            self._let_walk(k, robot, passed)
        return self._nearest()

    def _let_walk(self, k: int, robot: Pose, passed_s: float) -> None:
        """Let a person walk where they have to; the gait goes on as they have walked."""
        walker = self._walkers[k]
        before, was_walking = walker.pose, walker.way_m > 0
        walker.pose = _in_gait(before, walker.way_m, passed_s)
        walker.way_m = 0.0
        if not was_walking and self._may_stand(k, walker, is_changed=walker.pose != before):
            return
        self._place(k, robot, FASTEST_M_S * passed_s)
        walker.way_m = distance((before.x, before.y), (walker.pose.x, walker.pose.y))

    def _may_stand(self, k: int, walker: _Walker, *, is_changed: bool) -> bool:
        """Measure a person who has not walked; return whether they are where they have to be."""
        if is_changed:
            self._stage.show(self.people)
        walker.gap_m = self._stage.gap_m(k)
        error = _number(walker.script.distance, self._at_s) - walker.gap_m
        is_there = walker.script.follows and _is_still(walker.script.bearing_deg) and abs(error) < CLOSE_M
        return walker.stays or is_there

    def _nearest(self) -> Nearest:
        gaps = [rounded(walker.gap_m) for walker in self._walkers]
        person = min(range(len(gaps)), key=gaps.__getitem__, default=None)
        return Nearest(INFINITE if person is None else gaps[person], person)

    def _place(self, k: int, robot: Pose, furthest_m: float) -> None:
        """Place a person where the gap is as scripted, at most so far from where they were."""
        walker = self._walkers[k]
        before, wanted = walker.pose, _number(walker.script.distance, self._at_s)
        around = robot if walker.script.follows else self._origin
        angle = self._origin.yaw + math.radians(_number(walker.script.bearing_deg, self._at_s))
        for _ in range(MOST_TRIES):
            reach = walker.reach + wanted
            ideal = (around.x + reach * math.cos(angle), around.y + reach * math.sin(angle))
            walker.pose = _moved(before, ideal, robot, furthest_m)
            self._stage.show(self.people)
            walker.gap_m = self._stage.gap_m(k)
            error = wanted - walker.gap_m
            is_short = (walker.pose.x, walker.pose.y) != ideal
            is_free = around is not robot and not math.isinf(furthest_m)
            if abs(error) < CLOSE_M or is_short or is_free:
                return
            walker.reach += error


def _moved(person: PersonPose, to: Point, robot: Pose, furthest_m: float) -> PersonPose:
    """Return the person at a point, or at most so far on the way to it, facing as they do."""
    way = distance((person.x, person.y), to)
    if way > furthest_m:
        share = furthest_m / way
        to = (person.x + share * (to[0] - person.x), person.y + share * (to[1] - person.y))
    towards = math.atan2(robot.y - to[1], robot.x - to[0])
    yaw = towards if person.appearance.facing == "robot" else math.remainder(towards + math.pi, math.tau)
    return replace(person, x=to[0], y=to[1], yaw=yaw)


def _in_gait(person: PersonPose, way_m: float, passed_s: float) -> PersonPose:
    """Return the person as they look after so much of a walk; speeds change gradually."""
    now = way_m / passed_s if passed_s > 0 else 0.0
    speed = person.speed_m_s + SPEED_SHARE * (now - person.speed_m_s)
    speed = 0.0 if speed < STILL_M_S else rounded(speed)
    if speed == person.speed_m_s and not way_m:
        return person
    return replace(person, stride_m=person.stride_m + way_m, speed_m_s=speed)


def _is_still(series: Series) -> bool:
    return len(set(series.values)) == 1


def _number(series: Series, t: float) -> float:
    value = series.at(t)
    assert isinstance(value, float), "waypoints are numbers"  # noqa: S101 - impossible
    return value


def _look(looks: Mapping[str, Value]) -> Appearance:
    return Appearance(
        posture=str(looks.get("human.posture", "standing")),
        facing=str(looks.get("human.facing", "robot")),
        is_child=bool(looks.get("human.is_child", False)),
        carrying=str(looks.get("human.carrying", "none")),
        handover=bool(looks.get("human.handover", False)),
    )
