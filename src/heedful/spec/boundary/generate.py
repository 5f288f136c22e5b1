"""All boundary cases of a spec, rule by rule."""

from __future__ import annotations

from heedful.spec.boundary.case import BoundaryCase, numbered
from heedful.spec.boundary.commands import command_cases
from heedful.spec.boundary.sides import find_harmless_command, find_sides
from heedful.spec.boundary.states import States
from heedful.spec.boundary.targets import target_cases
from heedful.spec.boundary.triggers import release_cases, trigger_cases, unknown_cases
from heedful.spec.safety_spec import SafetySpec


def boundary_cases(spec: SafetySpec) -> tuple[BoundaryCase, ...]:
    """Return the boundary cases of every rule, always in the same order.

    A rule whose condition cannot be worked out on paper (a function, a loop, a division) has none.
    """
    sides = find_sides(spec)
    states = States(spec, find_harmless_command(spec, sides))
    found: list[BoundaryCase] = []
    for rule in spec.document.invariants:
        if states.is_exact(rule.id):
            found += trigger_cases(spec, states, rule.id)
            found += unknown_cases(spec, states, rule.id)
            found += release_cases(spec, states, rule.id)
            found += command_cases(spec, states, rule)
            found += target_cases(spec, states, rule, sides)
    return numbered(found)
