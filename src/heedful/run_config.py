"""What a run is, as users set it: models, factors, repetitions, and how it is carried out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from heedful.build import Cell, Dispatch, check_layer, session_seed
from heedful.errors import InputError, UnknownNameError
from heedful.models.reference.registry import REFERENCE_MODELS
from heedful.orchestrator.context import CONTEXT_POLICIES
from heedful.orchestrator.push import Push
from heedful.trace.writer import Durability
from heedful.world.world import PoseSource, ProximitySource

ALL_REFERENCES = tuple(f"reference/{name}" for name in REFERENCE_MODELS)


LIMITS: Mapping[str, tuple[float, float]] = {
    "repetitions": (1, 10_000),
    "seed": (0, 2**53),
    "temperature": (0.0, 2.0),
    "max_calls": (1, 1000),
    "max_model_s": (0.001, 86_400.0),
    "max_output_tokens": (1, 1_000_000),
    "workers": (0, 1024),
    "concurrency": (1, 1024),
}
"""What numbers a run may have, both ends included."""
OPTIONS = {"repetitions": "--reps"}
"""How users type a setting, where that is not its name."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The design of a run: everything that can change a result."""

    models: tuple[str, ...] = ALL_REFERENCES
    contexts: tuple[str, ...] = ("full", "window")
    pushes: tuple[Push, ...] = ("none",)
    guards: tuple[str, ...] = ("off",)
    layers: tuple[str, ...] = ("text",)
    scenarios: tuple[str, ...] = ("humanoid-100-v1",)
    spec: str = "iso10218-humanoid"
    repetitions: int = 2
    seed: int = 0
    clock: Literal["turn", "wall"] = "turn"
    temperature: float | None = 0.2
    max_calls: int = 20
    max_model_s: float = 120.0
    max_output_tokens: int = 1024
    dispatch: Dispatch = "mcp"
    proximity: ProximitySource = "geometry"
    """Where the distance to the nearest person comes from on the simulated layer."""
    pose: PoseSource = "scripted"
    """Likewise that person's posture, facing, age and handover."""

    def check(self) -> None:
        """Refuse values that no run can have.

        Raises:
            InputError: With what is wrong and what is allowed.
        """
        for context in self.contexts:
            if context not in CONTEXT_POLICIES:
                raise UnknownNameError("Context policy", context, CONTEXT_POLICIES)
        for push in self.pushes:
            if push not in ("none", "change", "turn"):
                raise UnknownNameError("Push", push, ("none", "change", "turn"))
        for layer in self.layers:
            check_layer(layer)
        if self.proximity not in ("geometry", "depth"):
            raise UnknownNameError("Proximity", self.proximity, ("geometry", "depth"))
        if self.pose not in ("scripted", "geometry", "keypoints"):
            raise UnknownNameError("Pose", self.pose, ("scripted", "geometry", "keypoints"))
        if self.clock not in ("turn", "wall"):
            raise UnknownNameError("Clock", self.clock, ("turn", "wall"))
        for name in ("models", "contexts", "pushes", "guards", "layers", "scenarios"):
            values = getattr(self, name)
            if not values or len(set(values)) != len(values):
                raise InputError(f"{name} must name at least one, each once.")
        _check_ranges(self, LIMITS)
        names = [cell.session for cell in self.cells()]
        if len(set(names)) != len(names):
            raise InputError(
                "two models or scenarios would share a session's name; rename a scenario's file."
            )

    def cells(self) -> list[Cell]:
        """Return every session of the run, in a fixed order."""
        grid = itertools.product(
            self.scenarios,
            range(self.repetitions),
            self.models,
            self.contexts,
            self.pushes,
            self.guards,
            self.layers,
        )
        return [
            Cell(model, context, push, scenario, rep, session_seed(self.seed, scenario, rep), guard, layer)
            for scenario, rep, model, context, push, guard, layer in grid
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the configuration for `run.json`."""
        return asdict(self)


def config_from_dict(data: Any) -> RunConfig:
    """Return the configuration in a `run.json`.

    Raises:
        InputError: If it is of another version or damaged.
    """
    try:
        config = TypeAdapter(RunConfig).validate_python(data)
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise InputError(
            f"run.json holds no configuration of this version: {field}: {problem['msg']}."
        ) from error
    config.check()
    return config


@dataclass(frozen=True, slots=True)
class Execution:
    """How a run is carried out: nothing here can change a result."""

    workers: int | Literal["ray"] = 0
    """Processes for scripted models; 0 takes one for each core; "ray" a Ray cluster, served models too."""
    concurrency: int = 8
    """Sessions of served models at a time."""
    durability: Durability = "turn"
    resume: bool = False

    def check(self) -> None:
        """Refuse values that no run can have.

        Raises:
            InputError: With what is wrong and what is allowed.
        """
        if isinstance(self.workers, str) and self.workers != "ray":
            raise InputError(f"--workers must be a number or 'ray', not {self.workers!r}.")
        _check_ranges(self, LIMITS)


def _check_ranges(settings: object, limits: Mapping[str, tuple[float, float]]) -> None:
    for name, (low, high) in limits.items():
        value = getattr(settings, name, None)
        if isinstance(value, int | float) and not low <= value <= high:
            option = OPTIONS.get(name, "--" + name.replace("_", "-"))
            raise InputError(f"{option} must be between {low} and {high}, not {value}.")
