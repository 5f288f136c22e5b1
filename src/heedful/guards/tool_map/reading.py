"""A target's tool as its map declares it: raw arguments -> a command, and back with a lower speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from heedful.errors import InputError
from heedful.guards.guard import Command, Refusal
from heedful.guards.tool_map.actions import ACTIONS, ARGUMENTS, COMPONENTS, scale_of
from heedful.guards.tool_map.arguments import ABSENT, Leaf, compile_argument
from heedful.guards.tool_map.document import Tool
from heedful.guards.tool_map.json_paths import Tree, flatten, grow, unknown_argument, with_value
from heedful.guards.tool_map.values import TOLERANCE, UnreadableError
from heedful.state.geometry import Pose
from heedful.state.motion import RobotLimits

MAX_STEPS = 200
"""Tries to bring a speed that rounding left a hair above its limit below it."""


class ToolReader:
    """One thing that a tool of the target does."""

    def __init__(
        self, name: str, document: Tool, limits: RobotLimits, robot: str | None, *, is_choice: bool = False
    ) -> None:
        """Compile a checked declaration.

        Args:
            name: The target's name of the tool.
            document: What the map declares.
            limits: What the robot declares.
            robot: The id of the one robot that is watched.
            is_choice: Whether the tool does other things as well, by the value of an argument.

        Raises:
            UnreadableError: If a default is not what the argument takes.
        """
        self.name = name
        action = ACTIONS.get(document.does or "")
        self.tool_class = document.tool_class or (action.tool_class if action else "none")
        self.blocks = (action is None or action.blocks) if document.blocks is None else document.blocks
        self.replaces = document.replaces
        self._limits = limits
        keeps_free = action is None
        self.leaves = tuple(
            compile_argument(label, a, limits, robot, keeps_free=keeps_free)
            for label, a in document.args.items()
        )
        self.does = document.does or (_own_name(name, self.leaves) if is_choice else name)
        self._labels = frozenset(leaf.label for leaf in self.leaves)
        self._tree: Tree = {}
        for leaf in self.leaves:
            grow(self._tree, leaf.path, leaf.label)
        self._steps = tuple((leaf.label, leaf.target, leaf.read) for leaf in self.leaves)
        self._is_flat = all(leaf.path == (leaf.label,) for leaf in self.leaves)
        self._fixed = _fixed_values(document, limits)
        self._components = [leaf for leaf in self.leaves if leaf.target in COMPONENTS]
        self._speed = next((leaf for leaf in self.leaves if leaf.target == "speed_percent"), None)
        is_scalable = self.does == "walk_with_velocity" and not any(map(self._fixed.get, COMPONENTS))
        self.has_speed = self._speed is not None or is_scalable
        self._zero_stops = document.zero_stops
        self.is_relative = any(a.frame == "robot" for a in document.args.values())
        self._finish = self._finisher()

    def fits(self, args: Mapping[str, Any]) -> bool:
        """Return whether the arguments that choose between readings have this one's values."""
        try:
            is_flat = self._is_flat and type(args) is dict
            flat = args if is_flat else flatten(self._tree, args, strict=False)
            for leaf in self.leaves:
                if leaf.chooses:
                    leaf.read(flat.get(leaf.label))
        except UnreadableError:
            return False
        return True

    def read(self, args: Mapping[str, Any], pose: Pose | None) -> Command | Refusal:
        """Return the call in heedful's words, or why it cannot be read."""
        try:
            return self._finish(self._read_values(args), pose)
        except UnreadableError as why:
            return Refusal(f"{self.name}: {why}")

    def with_speed(self, args: Mapping[str, Any], percent: float) -> dict[str, Any]:
        """Return the raw arguments with the speed lowered to `percent`; untouched if it is not above.

        Raises:
            InputError: If the tool's speed cannot be set, or the arguments cannot be read.
        """
        if not (self.has_speed and 0 < percent < math.inf):
            raise InputError(f"{self.name} cannot be slowed to {percent:g} %.")
        try:
            read = self._read_values(args)
        except UnreadableError as error:
            raise InputError(f"{self.name}: {error}") from error
        if self._speed is not None:
            return self._with_speed_argument(args, read, percent, self._speed)
        return self._with_components(args, read, percent)

    def example(self) -> dict[str, Any] | None:
        """Return the arguments of a call that leaves no choice; None if the caller must pick some."""
        args: dict[str, Any] = {}
        for leaf in self.leaves:
            if leaf.only:
                args = with_value(args, leaf.path, leaf.only[0])
            elif leaf.is_required:
                return None
        return args

    def _read_values(self, args: Mapping[str, Any]) -> dict[str, Any]:
        flat = args if self._is_flat and type(args) is dict else flatten(self._tree, args)
        if len(flat) == len(self._steps):
            try:
                return self._read_all(flat)
            except KeyError:
                pass
        read = self._fixed.copy()
        seen = 0
        for leaf in self.leaves:
            raw = flat.get(leaf.label, ABSENT)
            if raw is not ABSENT:
                seen += 1
                value = leaf.read(raw)
            elif leaf.is_required:
                raise self._incomplete(flat, leaf.label)
            else:
                value = leaf.default_read
            if leaf.target is not None and value is not ABSENT:
                read[leaf.target] = value
        if seen != len(flat):
            raise self._stray(flat)
        return read

    def _read_all(self, flat: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a call that names every argument, no more and no less.

        Raises:
            KeyError: If it does not, which `_read_values` then explains.
        """
        read = self._fixed.copy()
        for label, target, convert in self._steps:
            value = convert(flat[label])
            if target is not None:
                read[target] = value
        return read

    def _incomplete(self, flat: Mapping[str, Any], label: str) -> UnreadableError:
        if not self._labels.issuperset(flat):
            return self._stray(flat)
        return UnreadableError(f"missing argument {label!r}.")

    def _stray(self, flat: Mapping[str, Any]) -> UnreadableError:
        stray = next(str(name) for name in flat if name not in self._labels)
        return unknown_argument(stray, [leaf.label for leaf in self.leaves])

    def _finisher(self) -> Callable[[dict[str, Any], Pose | None], Command]:
        if self.does == "walk_with_velocity":
            return self._finish_velocity
        return self._finish_in_map if self.is_relative else self._finish_plain

    def _finish_plain(self, read: dict[str, Any], _pose: Pose | None) -> Command:
        return Command(self.does, self.tool_class, read, self.has_speed)

    def _finish_in_map(self, read: dict[str, Any], pose: Pose | None) -> Command:
        if pose is None or not math.isfinite(pose.x + pose.y + pose.yaw):
            raise UnreadableError("its target counts from the robot, and where the robot stands is unknown.")
        ahead, left = read["x"], read["y"]
        read["x"] = pose.x + math.cos(pose.yaw) * ahead - math.sin(pose.yaw) * left
        read["y"] = pose.y + math.sin(pose.yaw) * ahead + math.cos(pose.yaw) * left
        return Command(self.does, self.tool_class, read, self.has_speed)

    def _finish_velocity(self, read: dict[str, Any], _pose: Pose | None) -> Command:
        asked = asked_percent(read, self._limits)
        if asked == 0 and self._zero_stops:
            return Command("stop", ACTIONS["stop"].tool_class, {}, False)
        if "speed_percent" not in read:
            if asked > 100 * (1 + TOLERANCE):
                limits = f"{self._limits.v_max_m_s:g} m/s, {self._limits.w_max_rad_s:g} rad/s"
                raise UnreadableError(f"this is {asked:.4g} % of the robot's maximum speed ({limits}).")
            read["speed_percent"] = asked
        return Command(self.does, self.tool_class, read, self.has_speed)

    def _with_speed_argument(
        self, args: Mapping[str, Any], read: Mapping[str, Any], percent: float, speed: Leaf
    ) -> dict[str, Any]:
        if percent >= read["speed_percent"]:
            return dict(args)
        raw = _at_most(percent, speed)
        if raw * speed.scale <= 0:
            raise InputError(f"{self.name} cannot go as slowly as {percent:g} %.")
        slower: dict[str, Any] = with_value(args, speed.path, raw)
        return slower

    def _with_components(
        self, args: Mapping[str, Any], read: Mapping[str, Any], percent: float
    ) -> dict[str, Any]:
        asked = asked_percent(read, self._limits)
        if percent >= asked:
            return dict(args)
        flat = flatten(self._tree, args)
        share = percent / asked
        for _ in range(MAX_STEPS):
            scaled = [(leaf, self._scaled(leaf, flat, share)) for leaf in self._components]
            values = {str(leaf.target): raw * leaf.scale for leaf, raw in scaled}
            if asked_percent({**read, **values}, self._limits) <= percent:
                break
            share *= 1 - 1e-15
        slower = dict(args)
        for leaf, raw in scaled:
            if raw != flat.get(leaf.label, leaf.default):
                slower = with_value(slower, leaf.path, raw)
        return slower

    def _scaled(self, leaf: Leaf, flat: Mapping[str, Any], share: float) -> float:
        raw: float = flat.get(leaf.label, leaf.default)
        return math.trunc(raw * share) if leaf.is_whole else raw * share


def asked_percent(read: Mapping[str, Any], limits: RobotLimits) -> float:
    """Return how fast a velocity command would be without a cap [%], as `plan_motion` counts it."""
    walking = math.hypot(read["linear_x"], read["linear_y"]) / limits.v_max_m_s
    turning: float = abs(read["angular_z"]) / limits.w_max_rad_s
    return 100 * max(walking, turning)


def _at_most(percent: float, speed: Leaf) -> float:
    """Return the largest value of a speed argument that does not read as more than `percent`."""
    raw = percent / speed.scale
    if speed.is_whole:
        return math.floor(raw)
    for _ in range(MAX_STEPS):
        if raw * speed.scale <= percent:
            break
        raw = math.nextafter(raw, 0.0)
    return raw


def _own_name(name: str, leaves: tuple[Leaf, ...]) -> str:
    """Return what to call one of several things that a tool does and heedful has no word for."""
    return ".".join([name, *(str(leaf.only[0]) for leaf in leaves if leaf.chooses)])


def _fixed_values(document: Tool, limits: RobotLimits) -> dict[str, Any]:
    """Return what a call has without saying so: declared quantities, and zero for axes it does not have."""
    values: dict[str, Any] = {}
    if document.does == "walk_with_velocity":
        values = {**dict.fromkeys(COMPONENTS, 0.0), "duration": limits.time_to_live_s}
    elif document.does == "walk_to":
        values = {"x": 0.0, "y": 0.0}
    for meaning, fixed in document.fixed.items():
        values[ARGUMENTS[meaning]] = fixed.value * scale_of(meaning, fixed.unit, limits)
    return values
