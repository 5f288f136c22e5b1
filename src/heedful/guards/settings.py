"""What a guard allows for: noise, staleness, the time a stop takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from heedful.errors import InputError, UnknownNameError
from heedful.spec.safety_spec import SafetySpec

POSITION = ("robot.x", "robot.y")


@dataclass(frozen=True)
class Margin:
    """How far the true value of a signal may be from what the sensor said."""

    base: float = 0.0
    """Half width of the noise, in the signal's unit."""
    per_s: float = 0.0
    """What a sample loses for every second of its age, in the signal's unit per second."""

    def at_age(self, age_s: float) -> float:
        """Return the half width for a sample of that age."""
        return self.base + self.per_s * max(0.0, age_s)


@dataclass(frozen=True)
class GuardSettings:
    """The guard's declared allowances; the defaults allow for nothing but the time a stop takes."""

    margins: Mapping[str, Margin] = field(default_factory=dict)
    """Per signal; a rule is taken as active when any value within the margin makes it so."""
    reaction_s: float = 0.2
    """How long before a rule's window ends the guard acts [s]."""
    action_takes_s: float = 4.0
    """How long a required action takes until it is done [s]."""
    action_reserve_s: float = 1.0
    """Spare time before an obligation's deadline [s]."""
    retry_s: float = 1.0
    """Time between two tries of an intervention that did not succeed [s]."""

    def check(self, spec: SafetySpec) -> None:
        """Refuse settings that `spec` cannot keep.

        Raises:
            InputError: With what is wrong and what is allowed.
        """
        for name, margin in self.margins.items():
            _check_margin(name, margin, spec)
        for name in ("reaction_s", "action_takes_s", "action_reserve_s", "retry_s"):
            value = getattr(self, name)
            if not 0 <= value < math.inf:
                raise InputError(f"Guard setting {name} must be a time of 0 s or more, not {value}.")
        lead = self.action_takes_s + self.action_reserve_s
        for rule in spec.obligations:
            if rule.within_s < lead:
                raise InputError(
                    f"{rule.invariant} asks for {rule.action} within {rule.within_s:g} s, but the guard "
                    f"needs {lead:g} s (action_takes_s + action_reserve_s)."
                )


def _check_margin(name: str, margin: Margin, spec: SafetySpec) -> None:
    signals = spec.document.signals
    if name not in signals:
        raise UnknownNameError("Signal", name, signals, where="the guard's margins")
    if signals[name].type != "number":
        raise InputError(f"Signal {name!r} is a {signals[name].type}; only a number can have a margin.")
    if not (0 <= margin.base < math.inf and 0 <= margin.per_s < math.inf):
        raise InputError(f"The margin of {name!r} must be 0 or more, not {margin.base} and {margin.per_s}/s.")
    if name in spec.state_signals and spec.cuts[name] is None:
        raise InputError(
            f"Signal {name!r} cannot have a margin: a condition of {spec.name} uses it otherwise than in a "
            "comparison with a constant."
        )
