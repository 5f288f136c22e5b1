"""Guards by name: `off`, `on`, or `on@SIGNAL=MARGIN` with declared margins."""

from __future__ import annotations

import re
from collections.abc import Iterable

from heedful.errors import InputError, UnknownNameError
from heedful.guards.settings import GuardSettings, Margin
from heedful.guards.spec_guard import SpecGuard
from heedful.spec.safety_spec import SafetySpec

GUARDS = ("off", "on")
SEPARATOR = "&"
_NUMBER = r"\d+(?:\.\d+)?"
_MARGIN = re.compile(rf"([a-z][a-z0-9_.]*)=({_NUMBER})(?:\+({_NUMBER})/s)?", re.ASCII)


def build_guard(name: str, spec: SafetySpec) -> SpecGuard | None:
    """Return the guard of that name for `spec`; None for `off`.

    Raises:
        UnknownNameError: If no guard has that name.
        InputError: If its margins cannot be read or do not fit the spec.
    """
    kind, _, margins = name.partition("@")
    if kind not in GUARDS or (kind == "off" and margins):
        raise UnknownNameError("Guard", name, (*GUARDS, "on@human.distance=0.1+1.6/s"))
    if kind == "off":
        return None
    return SpecGuard(spec, GuardSettings(parse_margins(margins.split(SEPARATOR) if margins else ())))


def parse_margins(texts: Iterable[str]) -> dict[str, Margin]:
    """Return margins as users write them: `human.distance=0.1` or `human.distance=0.1+1.6/s`.

    Raises:
        InputError: With what is wrong and how to write it.
    """
    margins: dict[str, Margin] = {}
    for text in texts:
        match = _MARGIN.fullmatch(text)
        if match is None:
            raise InputError(f"Margin {text!r} cannot be read. Write SIGNAL=BASE or SIGNAL=BASE+RATE/s.")
        name, base, rate = match.groups()
        if name in margins:
            raise InputError(f"The margin of {name!r} is given twice.")
        margins[name] = Margin(float(base), float(rate or 0.0))
    return margins
