"""The room that a session is seen in once more: the simulated world itself, or a G1 posed by the record."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from heedful.build import build_plan, build_robot
from heedful.errors import InputError
from heedful.film.recording import Recording
from heedful.film.shot import Shot, take_shot
from heedful.models.reference.scripted import ScriptedModel
from heedful.orchestrator.session import SessionPlan
from heedful.orchestrator.turn import TurnSettings
from heedful.robots.client import DirectClient
from heedful.state.script import PersonScript, TurnScript
from heedful.state.series import Value, constant
from heedful.world.mujoco_g1.assets.store import load_assets
from heedful.world.mujoco_g1.body import Posture
from heedful.world.mujoco_g1.company import Company
from heedful.world.mujoco_g1.fallback import missing_parts
from heedful.world.mujoco_g1.g1_stage import G1Stage
from heedful.world.mujoco_g1.kinematic_stage import KinematicStage
from heedful.world.mujoco_g1.world import SimWorld
from heedful.world.world import Watch, World

STAND_IN = "kinematic"
"""Name of the body without physics."""
PERIOD_S = 0.1
"""Time between two shots: the period at which the sensors sample [s]."""


class Staging(Protocol):
    """A session's plan, in a world with somebody who looks on."""

    plan: SessionPlan
    model: Any
    """The compiled model that shots belong to."""

    def watch(self, take: Callable[[], None]) -> None:
        """Have `take` called at every sample from now on."""
        ...

    def shoot(self, *, is_first: bool) -> Shot:
        """Return what is to be seen now; `is_first` says that a turn begins with it."""
        ...


def stage_recording(recording: Recording) -> Staging:
    """Return the room for a session: as it was simulated, or as the record says.

    Raises:
        InputError: If the simulated G1's files are missing or differ.
    """
    plan = _plan(recording)
    world = plan.robot.world
    if not isinstance(world, SimWorld):
        return _Posed(recording, plan)
    if not is_simulated(recording):
        world = SimWorld(KinematicStage(_people(recording)), recording.cell.seed, *_laws(recording))
        robot = build_robot(world, recording.cell.guard, recording.spec)
        return _Posed(recording, replace(plan, robot=robot, client=DirectClient(robot)))
    return _Simulated(plan, world)


def is_simulated(recording: Recording) -> bool:
    """Return whether a body with mass moved; else the robot moved exactly as told."""
    info = recording.trace.info
    return info.layer == "sim" and info.body.get("body") != STAND_IN


class _Simulated:
    """The simulated world, which shows itself."""

    def __init__(self, plan: SessionPlan, world: SimWorld) -> None:
        if not isinstance(world.stage, G1Stage):
            raise InputError(
                f"This session ran with the simulated G1; missing is {'; '.join(missing_parts())}."
            )
        self.plan = plan
        self._world, self._stage = world, world.stage
        self.model = self._stage.model

    def watch(self, take: Callable[[], None]) -> None:
        """Look on whenever the world has taken a sample."""
        self._world.spectator = take

    def shoot(self, *, is_first: bool) -> Shot:
        """Return what the world shows."""
        del is_first
        return take_shot(self._world.now_s, self._world.pose, self.model, self._stage.data)


class _Posed:
    """A G1 that is put where an ideal robot is, and the script's people beside it."""

    def __init__(self, recording: Recording, plan: SessionPlan) -> None:
        self.plan = plan
        self._stage = G1Stage(load_assets(), _people(recording))
        self._company = Company(self._stage)
        self._heading_rad = 0.0
        """The robot's at the turn's start; people's bearings count from it."""
        self.model = self._stage.model

    def watch(self, take: Callable[[], None]) -> None:
        """Look on whenever the sensors would have taken a sample."""
        world = self.plan.robot.world
        if isinstance(world, SimWorld):
            world.spectator = take
        else:
            world.watch = _Onlooker(world, take, world.watch)

    def shoot(self, *, is_first: bool) -> Shot:
        """Pose the robot, let people follow, return the picture.

        On the text layer the distance is as scripted whatever the robot does: who sits is moved along.
        """
        world = self.plan.robot.world
        posture = Posture.SEATED if world.posture == "seated" else Posture.STANDING
        self._stage.body.place(world.pose, posture)
        if is_first:
            self._heading_rad = world.pose.yaw
            self._company.begin_turn(world.script, world.pose)
        if isinstance(world, SimWorld) or all(_can_walk(person) for person in world.script.people):
            self._company.follow(world.pose, world.now_s)
        else:
            turned_deg = math.degrees(world.pose.yaw - self._heading_rad)
            self._company.begin_turn(_held_at(world.script, world.now_s, turned_deg), world.pose)
        return take_shot(world.now_s, world.pose, self.model, self._stage.data)


class _Onlooker:
    """Looks ten times a second, after whoever watched before."""

    def __init__(self, world: World, take: Callable[[], None], before: Watch | None) -> None:
        self._world, self._take, self._before = world, take, before

    def next_s(self) -> float:
        return round((int(self._world.now_s / PERIOD_S + 1e-6) + 1) * PERIOD_S, 6)

    def look(self) -> None:
        if self._before is not None:
            self._before.look()
        self._take()


def _can_walk(person: PersonScript) -> bool:
    return person.looks.get("human.posture", "standing") == "standing"


def _held_at(script: TurnScript, now_s: float, turned_deg: float) -> TurnScript:
    """Return a turn in which all are where they are now, seen from a robot that turned so far."""
    people = tuple(
        replace(
            person,
            distance=constant(person.distance.at(now_s)),
            bearing_deg=constant(_number(person.bearing_deg.at(now_s)) - turned_deg),
        )
        for person in script.people
    )
    return replace(script, people=people, continues=False)


def _number(value: Value) -> float:
    assert isinstance(value, float), "waypoints are numbers"  # noqa: S101 - impossible
    return value


def _plan(recording: Recording) -> SessionPlan:
    """Return the session's plan, with a model that is never asked."""
    cell, spec = recording.cell, recording.spec
    return build_plan(
        cell,
        recording.scenario,
        spec,
        ScriptedModel(),
        TurnSettings(),
        "direct",
        recording.proximity,
        recording.pose,
    )


def _laws(recording: Recording) -> tuple[Any, Any]:
    return recording.spec.limits, recording.scenario.noise_law()


def _people(recording: Recording) -> int:
    return max((len(turn.script.people) for turn in recording.scenario.turns), default=0)
