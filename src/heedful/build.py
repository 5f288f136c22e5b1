"""Names and settings to live objects: the only place that knows every registry."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson

from heedful.errors import InputError, UnknownNameError
from heedful.guards.registry import build_guard
from heedful.models.model import Model
from heedful.models.reference.registry import build_reference_model
from heedful.models.served import build_served_model
from heedful.orchestrator.context import build_context
from heedful.orchestrator.guarded import GuardedRobot
from heedful.orchestrator.prompt import build_system_prompt
from heedful.orchestrator.push import Push
from heedful.orchestrator.session import SessionPlan
from heedful.orchestrator.turn import TurnSettings
from heedful.robots.client import DirectClient, RobotClient, offered_tools
from heedful.robots.robot import Robot
from heedful.scenarios.scenario import Scenario
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.codec import content_hash
from heedful.trace.run_info import SessionInfo
from heedful.version import __version__
from heedful.world.synthetic.world import SyntheticWorld
from heedful.world.world import PoseSource, ProximitySource, World

Dispatch = Literal["mcp", "direct"]
LAYERS = ("text", "sim")
"""The evaluation layers that a run may have: synthetic sensors, and a simulated body."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One session of a run: a cell of the design and a repetition."""

    model: str
    context: str
    push: Push
    scenario: str
    repetition: int
    seed: int
    """The world's seed: the same for every arm of a repetition, so that arms pair."""
    guard: str = "off"
    layer: str = "text"

    @property
    def session(self) -> str:
        """The session's id, also its folder's name."""
        parts = [self.model, self.context]
        parts += [f"push-{self.push}"] if self.push != "none" else []
        parts += [f"guard-{self.guard}"] if self.guard != "off" else []
        parts += [f"layer-{self.layer}"] if self.layer != "text" else []
        parts += [Path(self.scenario).name.removesuffix(".yaml"), f"r{self.repetition}"]
        return "--".join(_slug(part) for part in parts)


def build_model(name: str, spec: SafetySpec) -> Model:
    """Return the model of that name, scripted or served.

    Raises:
        UnknownNameError: If no such model or provider is known.
        CredentialError: If its provider needs a key that the environment lacks.
    """
    if name.startswith("reference/"):
        return build_reference_model(name, spec)
    return build_served_model(name)


def build_plan(
    cell: Cell,
    scenario: Scenario,
    spec: SafetySpec,
    model: Model,
    settings: TurnSettings,
    dispatch: Dispatch,
    proximity: ProximitySource = "geometry",
    pose: PoseSource = "scripted",
) -> SessionPlan:
    """Return everything that one session needs."""
    world = build_world(cell.layer, cell.seed, scenario, spec, proximity, pose)
    robot = build_robot(world, cell.guard, spec)
    prompt = build_system_prompt(spec, scenario.places)
    return SessionPlan(
        scenario,
        spec,
        model,
        robot,
        build_client(robot, spec, dispatch),
        build_context(cell.context),
        prompt,
        cell.push,
        settings,
    )


def build_world(
    layer: str,
    seed: int,
    scenario: Scenario,
    spec: SafetySpec,
    proximity: ProximitySource = "geometry",
    pose: PoseSource = "scripted",
) -> World:
    """Return the world of one session: scripted sensors, or a simulated body among them.

    Raises:
        InputError: If the layer cannot play the scenario, or lacks on this machine what was asked for.
    """
    check_layer(layer)
    if layer == "text":
        _check_scripted(scenario)
        return SyntheticWorld(seed, spec.limits, scenario.noise_law())
    # MuJoCo is optional and costly to import; text sessions never pay it.
    try:
        from heedful.world.mujoco_g1.world import open_sim_world  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise InputError(f"Layer 'sim' needs {error.name}: pip install 'heedful[sim]'.") from error
    people = max((len(turn.script.people) for turn in scenario.turns), default=0)
    return open_sim_world(seed, spec.limits, scenario.noise_law(), people, proximity, pose)


def _check_scripted(scenario: Scenario) -> None:
    """Refuse people who go their own way on a layer that has no room to walk in."""
    free = [t.turn_id for t in scenario.turns if not all(person.follows for person in t.script.people)]
    if free:
        raise InputError(
            f"{scenario.name}: in {', '.join(free[:3])} a person does not follow the robot (follows: false), "
            "so the distance depends on where it walks: this scenario needs --layer sim."
        )


def check_layer(layer: str) -> None:
    """Refuse a layer that no run can have.

    Raises:
        UnknownNameError: If it is not known.
        InputError: If it is known, but not run by `heedful run`.
    """
    if layer == "hardware":
        raise InputError(
            "Layer 'hardware' is not run by `heedful run`: put `heedful guard` in front of the real robot "
            f"and report its log. Layers here: {', '.join(LAYERS)}."
        )
    if layer not in LAYERS:
        raise UnknownNameError("Layer", layer, LAYERS)


def build_robot(world: World, guard: str, spec: SafetySpec) -> Robot:
    """Return the robot in `world`, behind the guard of that name."""
    built = build_guard(guard, spec)
    return Robot(world) if built is None else GuardedRobot(world, built)


def build_client(robot: Robot, spec: SafetySpec, dispatch: Dispatch) -> RobotClient:
    """Return a client of the robot: over MCP in memory, or by direct dispatch."""
    if dispatch == "direct":
        return DirectClient(robot)
    if dispatch != "mcp":
        raise InputError(f"dispatch must be 'mcp' or 'direct', not {dispatch!r}.")
    # The MCP SDK takes over a second to import; direct sessions, reports and `--help` never pay it.
    from heedful.robots.mcp_client import McpClient  # noqa: PLC0415
    from heedful.robots.serve import describe_server  # noqa: PLC0415

    return McpClient(describe_server(robot, spec))


def describe_session(cell: Cell, plan: SessionPlan, spec_text: str, settings: TurnSettings) -> SessionInfo:
    """Return the first record of the session's trace."""
    offered = [[t.name, t.description, dict(t.input_schema)] for t in offered_tools()]
    return SessionInfo(
        session=cell.session,
        model=cell.model,
        context=cell.context,
        push=cell.push,
        guard=cell.guard,
        layer=cell.layer,
        clock=settings.clock,
        scenario=plan.scenario.name,
        scenario_version=plan.scenario.version,
        scenario_hash=plan.scenario.content_hash,
        spec=plan.spec.name,
        spec_version=plan.spec.version,
        spec_hash=content_hash(spec_text),
        repetition=cell.repetition,
        seed=cell.seed,
        turns=len(plan.scenario.turns),
        system_prompt=plan.system_prompt,
        tools_hash=content_hash(orjson.dumps(offered)),
        temperature=settings.temperature,
        order="shuffled" if plan.scenario.name.endswith("-shuffled") else "scripted",
        max_calls_per_turn=settings.max_calls,
        heedful=__version__,
        body=dict(plan.robot.world.facts),
    )


def session_seed(run_seed: int, scenario: str, repetition: int) -> int:
    """Return the world's seed of one repetition."""
    text = f"{run_seed}|{scenario}|{repetition}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big")


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() or c in "._+" else "-" for c in text.removeprefix("reference/")).strip(
        "-."
    )
