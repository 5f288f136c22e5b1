"""Whether a spec means what its numbers say: names, boundary cases and, with z3 installed, its logic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec

from heedful.errors import SpecError
from heedful.spec.boundary import BoundaryCase, boundary_cases
from heedful.spec.check import check_spec as settle_claims
from heedful.spec.names import names_findings
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose
from heedful.state.motion import plan_motion
from heedful.state.series import Value

SHOWN = 20


def check_spec(spec: SafetySpec) -> None:
    """Check that the compiled spec and the paper agree, and that no rule undoes another.

    Loading has already checked fields, types, units and conditions. Every generated boundary case is put
    to the compiled spec. Claims about rules and pairs of rules are settled only where z3 is installed.

    Args:
        spec: The compiled spec.

    Raises:
        SpecError: With every broken promise, at most 20 of them.
    """
    problems = [*_stray_names(spec), *_wrong_cases(spec), *_errors_of_logic(spec)]
    if problems:
        raise SpecError("\n".join(f"{spec.name}: {problem}" for problem in problems[:SHOWN]))


def answer_case(spec: SafetySpec, case: BoundaryCase) -> tuple[bool, bool | None]:
    """Return what the compiled spec makes of a case, in the order (active, permitted).

    Args:
        spec: The compiled spec.
        case: One generated case.

    Returns:
        Whether the case's rule is active (for `release`, whether its latch holds), and whether the command is
        permitted; None where the case has nothing to say of that.
    """
    values = {name: spec.screen(name, value) for name, value in case.values.items()}
    if case.kind == "release":
        return not spec.can_release(case.rule, values), None
    active = spec.conditions[case.rule].holds(values, case.command)
    if case.command is None or case.expected_permitted is None:
        return active, None
    if case.kind == "deadline":
        return active, _is_in_time(spec, case, case.command)
    leaves = _leaves(spec, case, case.command)
    return (leaves if case.kind == "target" else active), not _broken(spec, case.command, values, leaves)


def _is_in_time(spec: SafetySpec, case: BoundaryCase, command: Mapping[str, Value]) -> bool:
    required = spec.by_key[case.rule]
    is_late = (case.elapsed_s or 0.0) > required.within_s
    if command["command.tool"] == required.action:
        return not is_late
    after = {rule.key for rule in spec.rules if rule.latched and rule.invariant == case.rule}
    return not spec.broken(*_tool_and_speed(command), after if is_late else set(), leaves_region=False)


def _leaves(spec: SafetySpec, case: BoundaryCase, command: Mapping[str, Value]) -> bool:
    if case.kind != "target":
        return command["command.leaves_workspace"] is True
    tool, speed = _tool_and_speed(command)
    args = {"x": command["command.target_x"], "y": command["command.target_y"], "speed_percent": speed}
    start = Pose(_number(case.values["robot.x"]), _number(case.values["robot.y"]))
    return spec.leaves_region(plan_motion(tool, args, start, spec.limits))


def _broken(
    spec: SafetySpec, command: Mapping[str, Value], values: Mapping[str, Value], leaves: bool
) -> bool:
    by_command = {i for i, c in spec.conditions.items() if c.reads_command and c.holds(values, command)}
    active = spec.active(values) | by_command
    return bool(spec.broken(*_tool_and_speed(command), active, leaves_region=leaves))


def _tool_and_speed(command: Mapping[str, Value]) -> tuple[str, float]:
    return str(command["command.tool"]), _number(command["command.speed_percent"])


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _stray_names(spec: SafetySpec) -> Iterator[str]:
    for finding in names_findings(spec):
        if finding.severity == "error":
            yield f"{finding.claim}: {finding.detail}"


def _wrong_cases(spec: SafetySpec) -> Iterator[str]:
    cases = boundary_cases(spec)
    for name in spec.conditions:
        if not any(case.rule == name for case in cases):
            yield f"{name}: its condition cannot be worked out on paper, so no boundary case checks it"
    for case in cases:
        active, permitted = answer_case(spec, case)
        if active != case.expected_active:
            yield f"{case.id}: {case.why}, but the rule is {'active' if active else 'not active'}"
        elif permitted != case.expected_permitted:
            yield f"{case.id}: {case.why}, but the command is {'permitted' if permitted else 'forbidden'}"


def _errors_of_logic(spec: SafetySpec) -> Iterator[str]:
    if find_spec("z3") is None:
        return
    for finding in settle_claims(spec).errors:
        if finding.kind != "names":
            yield f"not so: {finding.claim}. {finding.detail}".rstrip()
