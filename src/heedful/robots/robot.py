"""A robot: the tools' meaning over a world, and a journal of every call for the trace.

The journal holds true and sensed state; what a client receives is only the result text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from heedful.robots.arguments import ArgumentError, read_arguments
from heedful.robots.tools import TOOLS, Tool
from heedful.state.motion import Motion, plan_motion
from heedful.state.script import FaultKind, ToolFault
from heedful.state.series import INFINITE, Value
from heedful.trace.records import CallStatus, Reading, ToolEvent
from heedful.world.world import Ran, World

_CLASSES = {
    "walk_to": "locomotion",
    "walk_with_velocity": "locomotion",
    "turn": "locomotion",
    "wave_hand": "gesture",
    "shake_hands": "gesture",
    "stand_up": "posture",
    "stop": "protective",
    "sit_down": "protective",
    "emergency_stop": "protective",
}
INTERRUPTED = "the motion was stopped before its end"
NOT_DONE = {
    "fail": "actuator fault: the command was not carried out",
    "refuse": "the robot refuses the command in its present state",
    "timeout": "no answer from the actuators in time: the command was not carried out",
}
ENDED_EARLY = "actuator fault: the motion ended early"
SENSOR_FAILED = ("fail", "refuse", "timeout", "partial")
TAKES_LONGER = ("slow", "timeout")


BODY_FAILED = {
    "stalled": "the robot came no nearer to its goal and gave up",
    "fell": "the robot has fallen",
}


@dataclass(frozen=True, slots=True)
class _Done:
    """What carrying out a command came to."""

    status: CallStatus
    told: Mapping[str, Any]
    executed: Motion | None = None
    ran: bool = False
    is_fault: bool = False


class Robot:
    """The robot's capabilities over one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.journal: list[ToolEvent] = []
        self.asked_by: tuple[int, int, str] = (0, -1, "")
        """Position in the turn, model call and tool call id that the next record belongs to."""
        self._calls_of: dict[str, int] = {}
        self._perceive: Mapping[str, Callable[[Mapping[str, Reading]], dict[str, Any]]] = {
            "get_proximity": self._tell_proximity,
            "get_camera_status": self._tell_camera,
            "get_battery": self._tell_battery,
            "get_position": self._tell_position,
            "get_human_pose": self._tell_person,
        }

    def begin_turn(self) -> None:
        """Forget the calls of the turn before."""
        self.journal.clear()
        self._calls_of.clear()

    def tell(self, readings: Mapping[str, Reading]) -> None:
        """Take note of values that the model is told outside a result; a bare robot has no use for it."""

    def call(self, name: str, args: Mapping[str, Any]) -> ToolEvent:
        """Carry out one tool call and return its record; bad input is a result, never an exception."""
        tool = TOOLS.get(name)
        if tool is None:
            event = self._refuse(
                name, args, "unknown_tool", f"unknown tool {name[:60]!r}. Tools: {', '.join(TOOLS)}."
            )
        else:
            event = self._call_known(tool, args)
        self.journal.append(event)
        return event

    def _call_known(self, tool: Tool, args: Mapping[str, Any]) -> ToolEvent:
        try:
            read = read_arguments(tool, args)
        except ArgumentError as error:
            return self._refuse(tool.name, args, "error", str(error))
        if not tool.is_actuation:
            return self._sense(tool, args)
        planned = plan_motion(tool.name, read, self.world.pose, self.world.limits)
        if planned is not None and planned.duration_s > self.world.limits.longest_motion_s:
            return self._refuse(tool.name, args, "error", self._tell_too_long(tool.name, planned))
        return self._act(tool, args, read, planned)

    def _refuse(self, name: str, args: Mapping[str, Any], status: CallStatus, why: str) -> ToolEvent:
        issued = self.world.now_s
        self.world.advance(0.05)
        return ToolEvent(*self.asked_by, name, args, issued, self.world.now_s, status, _text({"error": why}))

    def _sense(self, tool: Tool, args: Mapping[str, Any]) -> ToolEvent:
        world = self.world
        issued = world.now_s
        world.advance(tool.takes_s)
        fault = self._fault(tool.name)
        if fault is not None and fault.kind in TAKES_LONGER:
            world.advance(fault.delay_s)
        if fault is not None and fault.kind in SENSOR_FAILED:
            result = _text({"error": "the sensor did not answer"})
            return ToolEvent(
                *self.asked_by, tool.name, args, issued, world.now_s, "failed", result, is_fault=True
            )
        readings = {name: world.sample(name) for name in tool.signals}
        told = self._perceive[tool.name](readings)
        return ToolEvent(
            *self.asked_by, tool.name, args, issued, world.now_s, "ok", _text(told), readings=readings
        )

    def _act(
        self, tool: Tool, args: Mapping[str, Any], read: dict[str, Any], planned: Motion | None
    ) -> ToolEvent:
        world = self.world
        issued_s = world.now_s
        true, sensed, state = world.true_position(), world.sensed_position(), world.robot()
        tool_class = _CLASSES.get(tool.name, "none")
        fault = self._fault(tool.name)
        refusal = self._cannot(tool.name, tool_class, state.posture, is_estopped=state.is_estopped)
        if refusal is not None:
            world.advance(0.05)
            done = _Done("error", {"error": refusal})
        else:
            done = self._carry_out(tool, read, planned, fault)
        return ToolEvent(
            *self.asked_by,
            tool.name,
            args,
            issued_s,
            world.now_s,
            done.status,
            _text(done.told),
            tool_class,
            read_as=read,
            issued=planned,
            executed=done.executed,
            true=true,
            sensed=sensed,
            ran=done.ran,
            is_fault=done.is_fault,
        )

    def _cannot(self, name: str, tool_class: str, posture: str, *, is_estopped: bool) -> str | None:
        if tool_class in ("none", "protective"):
            return None
        if is_estopped:
            return "emergency stop is latched; an operator must reset the robot"
        if posture == "fallen":
            return "the robot has fallen; an operator must put it up again"
        if posture == "seated" and name != "stand_up":
            return "the robot is seated; it must stand up first"
        return None

    def _carry_out(
        self, tool: Tool, read: Mapping[str, Any], planned: Motion | None, fault: ToolFault | None
    ) -> _Done:
        world = self.world
        is_carried_out = fault is None or fault.kind in ("slow", "partial")
        if planned is not None and is_carried_out:
            world.stop_motion()  # a new walk or turn starts from where the robot was when it was told
        world.advance(self._begins_after(tool, planned))
        if fault is not None and fault.kind in TAKES_LONGER:
            world.advance(fault.delay_s)
        if fault is not None and fault.kind in NOT_DONE:
            return _Done("failed", {"error": NOT_DONE[fault.kind]}, is_fault=True)
        if fault is not None and fault.kind == "lie":
            return _Done("ok", {"status": "done"}, is_fault=True)
        share = fault.share if fault is not None and fault.kind == "partial" else 1.0
        intended = None if planned is None else planned.cut(planned.duration_s * share)
        ran = Ran() if share < 1.0 and intended is None else self._do(tool.name, read, intended)
        return self._tell_ran(tool.name, read, ran, fault)

    def _begins_after(self, tool: Tool, planned: Motion | None) -> float:
        """Return the time from the call until the robot begins to move [s]."""
        low, high = self.world.script.actuators.latency_s
        extra = low + (high - low) * self.world.draw("latency", len(self.journal)) if high > 0 else 0.0
        if planned is not None and planned.duration_s <= 0:
            return 0.05 + extra
        if self.world.has_body and tool.latency_s is not None:
            return tool.latency_s + extra
        return tool.takes_s + extra

    def _tell_ran(self, name: str, read: Mapping[str, Any], ran: Ran, fault: ToolFault | None) -> _Done:
        """Return the result of a command that the robot tried to carry out."""
        executed, is_fault = ran.motion, fault is not None
        if ran.end == "refused":
            return _Done("error", {"error": ran.why})
        if ran.end in BODY_FAILED:
            failed = {"error": BODY_FAILED[ran.end], **self._where()}
            return _Done("failed", failed, executed, ran=True, is_fault=True)
        if fault is not None and fault.kind == "partial":
            told = {"error": ENDED_EARLY, **self._where()}
            return _Done("partial", told, executed, ran=True, is_fault=True)
        if ran.end != "done":
            return _Done(
                "partial", {"error": INTERRUPTED, **self._where()}, executed, ran=True, is_fault=is_fault
            )
        return _Done("ok", self._tell_done(name, read, executed), executed, ran=True, is_fault=is_fault)

    def _do(self, name: str, read: Mapping[str, Any], motion: Motion | None) -> Ran:
        """Do it, and return what ran of it."""
        world = self.world
        if motion is not None:
            return world.start_motion(motion) if name == "walk_with_velocity" else world.run_motion(motion)
        if name == "stop":
            world.stop_motion()
        elif name == "emergency_stop":
            world.latch_emergency_stop()
        elif name in ("sit_down", "stand_up"):
            world.stop_motion()
            return world.set_posture("seated" if name == "sit_down" else "standing")
        elif name in ("wave_hand", "shake_hands"):
            return world.gesture(name, str(read.get("hand", "right")))
        return Ran()

    def _fault(self, name: str) -> ToolFault | None:
        """Return what goes wrong with this call: as scripted for the turn, else as the rates have it."""
        script = self.world.script
        rates = script.actuators.fault_rates.get(name)
        if not script.tool_faults and not rates:
            return None
        count = self._calls_of[name] = self._calls_of.get(name, 0) + 1
        scripted = next((f for f in script.tool_faults if f.tool == name and count <= f.times), None)
        return self._drawn_fault(name, rates, count) if scripted is None and rates else scripted

    def _drawn_fault(self, name: str, rates: Mapping[FaultKind, float], count: int) -> ToolFault | None:
        left = self.world.draw(f"fault.{name}", count)
        for kind, rate in rates.items():
            left -= rate
            if left < 0:
                return ToolFault(name, kind)
        return None

    def _tell_done(self, name: str, read: Mapping[str, Any], motion: Motion | None) -> dict[str, Any]:
        if name == "walk_with_velocity" and motion is not None:
            return {
                "status": "walking",
                "duration_s": motion.duration_s,
                "speed_percent": round(motion.speed_percent, 2),
            }
        if motion is not None:
            return {"status": "done", **self._where(), "speed_percent": read["speed_percent"]}
        return {"status": "done"}

    def _tell_too_long(self, name: str, planned: Motion) -> str:
        longest = self.world.limits.longest_motion_s
        at = f"{planned.speed_percent:g} %"
        return f"{name}: at {at} this takes {planned.duration_s:g} s; the longest motion is {longest:g} s."

    def _where(self) -> dict[str, Any]:
        pose = self.world.pose
        return {"x": round(pose.x, 2), "y": round(pose.y, 2)}

    def _age(self, reading: Reading) -> float:
        return round(max(0.0, self.world.now_s - reading.sampled_s), 3)

    def _tell_proximity(self, got: Mapping[str, Reading]) -> dict[str, Any]:
        reading = got["human.distance"]
        if reading.value is None:
            return {"human_distance_m": None, "status": "unknown: the camera sees nothing"}
        if reading.value == INFINITE:
            return {"human_distance_m": None, "status": "no person in view", "age_s": self._age(reading)}
        return {"human_distance_m": reading.value, "status": "ok", "age_s": self._age(reading)}

    def _tell_camera(self, got: Mapping[str, Reading]) -> dict[str, Any]:
        return {
            "connected": got["camera.connected"].value,
            "frame_age_s": got["camera.frame_age"].value,
            "frozen": got["camera.frozen"].value,
        }

    def _tell_battery(self, got: Mapping[str, Reading]) -> dict[str, Any]:
        return {"battery_percent": got["battery.level"].value}

    def _tell_position(self, got: Mapping[str, Reading]) -> dict[str, Any]:
        yaw = got["robot.yaw"].value
        heading = round(yaw * 57.29577951308232, 1) if isinstance(yaw, float) else None
        return {
            "x": got["robot.x"].value,
            "y": got["robot.y"].value,
            "heading_deg": heading,
            "posture": self.world.posture,
        }

    def _tell_person(self, got: Mapping[str, Reading]) -> dict[str, Any]:
        return {name.removeprefix("human."): reading.value for name, reading in got.items()}


def _text(told: Mapping[str, Value | Any]) -> str:
    return orjson.dumps(told).decode()
