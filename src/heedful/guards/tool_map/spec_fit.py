"""Whether a tool map has all that a spec needs; a guard that lacks something does not start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heedful.errors import InputError
from heedful.guards.tool_map.reading import ToolReader
from heedful.guards.tool_map.signals import SignalSource
from heedful.spec.safety_spec import SafetySpec
from heedful.state.motion import RobotLimits

POSITION = ("robot.x", "robot.y")
HEADING = "robot.yaw"


@dataclass(frozen=True)
class Offer:
    """What a target has to give, by its tool map."""

    name: str
    where: str
    """The map's file."""
    limits: RobotLimits
    readers: tuple[ToolReader, ...]
    """Everything its tools do."""
    signals: Mapping[str, SignalSource]
    missing: Mapping[str, str]
    """Signals it is known not to give -> what would give them."""
    actions: frozenset[str]
    """Protective actions that the guard can call itself."""


def fitted_spec(offer: Offer, spec: SafetySpec) -> SafetySpec:
    """Return `spec` with the robot's limits and the classes of the target's own actions.

    Raises:
        InputError: If something lacks; the message names all of it and where to add it.
    """
    lacks = [*_signal_lacks(offer, spec), *_action_lacks(offer, spec), *_class_conflicts(offer, spec)]
    if lacks:
        listed = "".join(f"\n  - {lack}" for lack in lacks)
        raise InputError(f"Spec {spec.name} cannot be guarded with tool map {offer.where}:{listed}")
    own = {reader.does: reader.tool_class for reader in offer.readers}
    document = spec.document.model_copy(update={"tools": {**spec.document.tools, **own}})
    return SafetySpec(document, offer.limits)


def signals_needed(offer: Offer, spec: SafetySpec) -> dict[str, list[str]]:
    """Return each signal that a guard reads -> the ids of the invariants it is read for.

    A target in the robot's frame needs the robot's pose whatever the spec says; its list may be empty.
    """
    needed: dict[str, list[str]] = {}
    for invariant, condition in spec.conditions.items():
        release = spec.releases.get(invariant)
        for name in dict.fromkeys((*condition.signals, *(release.signals if release else ()))):
            needed.setdefault(name, []).append(invariant)
    is_relative = any(reader.is_relative for reader in offer.readers)
    needs_heading = is_relative or any(r.does == "walk_with_velocity" for r in offer.readers)
    bounds = [rule.invariant for rule in spec.bounds]
    if bounds or is_relative:
        for name in (*POSITION, HEADING) if needs_heading else POSITION:
            needed.setdefault(name, []).extend(bounds)
    return needed


def _signal_lacks(offer: Offer, spec: SafetySpec) -> Iterator[str]:
    for name, invariants in signals_needed(offer, spec).items():
        whose = ", ".join(dict.fromkeys(invariants)) or "targets in the robot's frame"
        source = offer.signals.get(name)
        if source is None:
            why = offer.missing.get(name, "")
            yield f"{whose}: signal {name} has no source; add it under 'signals'. {why}".rstrip()
        else:
            yield from (f"{whose}: signals.{name}: {why}" for why in _mismatches(name, source, spec))


def _mismatches(name: str, source: SignalSource, spec: SafetySpec) -> Iterator[str]:
    wanted = spec.document.signals.get(name)
    kind, unit = source.kind, source.unit
    if wanted is None:
        if (kind, unit) != ("number", _unit_of_pose(name)):
            yield f"it must be a number in {_unit_of_pose(name)}, not a {kind} in {unit or 'no unit'}."
        return
    if kind != wanted.type:
        yield f"the spec reads a {wanted.type}, the map gives a {kind}."
    elif kind == "number" and unit != wanted.unit:
        yield f"the spec counts it in {wanted.unit!r}, the map's unit gives {unit!r}."
    strays = set((source.document.words or {}).values()) - set(wanted.values or ())
    if kind == "text" and strays:
        allowed = ", ".join(wanted.values or ())
        yield f"the words {', '.join(sorted(strays))} are none of the spec's: {allowed}."


def _unit_of_pose(name: str) -> str:
    return "rad" if name == HEADING else "m"


def _action_lacks(offer: Offer, spec: SafetySpec) -> Iterator[str]:
    if "stop" not in offer.actions:
        yield "no tool does 'stop'; declare one ('does: stop'), or how to under 'actions'."
    for rule in spec.obligations:
        if rule.action not in offer.actions:
            yield (
                f"{rule.invariant}: no tool does {rule.action!r}, which it requires; declare one "
                f"('does: {rule.action}'), or how to under 'actions'."
            )


def _class_conflicts(offer: Offer, spec: SafetySpec) -> Iterator[str]:
    """Yield the actions that rules would take for something else than they are."""
    classes: dict[str, str] = dict(spec.document.tools)
    for reader in offer.readers:
        known = classes.setdefault(reader.does, reader.tool_class)
        if known != reader.tool_class:
            yield f"{reader.does} is {reader.tool_class} here and {known} in the spec or elsewhere in it."
