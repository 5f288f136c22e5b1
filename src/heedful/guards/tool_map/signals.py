"""The spec's signals out of a target's results; whatever is not plainly there is unknown.

Nothing here raises on a result, however malformed. A reading's time is when the value was taken as far
as that can be known, and never later than when the guard asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heedful.guards.tool_map.document import Signal, When
from heedful.guards.tool_map.freshness import Freshness
from heedful.guards.tool_map.results import NOTHING, Content, Locator, finite_number
from heedful.guards.tool_map.units import base_unit, conversion
from heedful.guards.tool_map.values import is_same
from heedful.state.series import INFINITE, Value
from heedful.trace.records import Reading


@dataclass(frozen=True)
class Poll:
    """Something the guard asks the target for, again and again."""

    tool: str | None
    resource: str | None
    args: Mapping[str, Any]
    period_s: float
    signals: tuple[str, ...] = ()
    """Names of the signals that its result gives."""


class SignalSource:
    """One signal, compiled; it remembers stamps and pictures to tell when nothing new comes."""

    def __init__(self, name: str, document: Signal) -> None:
        self.name = name
        self.document = document
        self.kind = document.kind
        self.unit = _unit_of(document)
        self._at = Locator(document.path)
        self._age = None if document.age is None else Locator(document.age)
        self._stamp = None if document.stamp is None else Locator(document.stamp)
        self._null = None if document.null_when is None else _Condition(document.null_when)
        self._infinite = None if document.infinite_when is None else _Condition(document.infinite_when)
        self._scale = conversion(document.unit, self.unit) if document.unit else 1.0
        self._freshness = Freshness()

    def forget(self) -> None:
        """Take the next result as the first, after the target was started anew."""
        self._freshness = Freshness()

    def read(self, content: Content, asked_s: float, now_s: float) -> Reading:
        """Return what a result says of the signal.

        Args:
            content: The result.
            asked_s: When the guard asked for it [s], on the clock that readings are on.
            now_s: When it arrived [s].
        """
        if content.is_error:
            return Reading(None, asked_s)
        doc = self.document
        if doc.reads in ("age", "unchanged"):
            return Reading(self._from_changes(content, asked_s, now_s), asked_s)
        sampled_s = self._sampled_s(content, asked_s, now_s)
        if sampled_s is None or (self._null is not None and self._null.holds(content)):
            return Reading(None, asked_s)
        if self._infinite is not None and self._infinite.holds(content):
            return Reading(INFINITE, sampled_s)
        return Reading(self._value(content), sampled_s)

    def _sampled_s(self, content: Content, asked_s: float, now_s: float) -> float | None:
        if self._age is not None:
            age = finite_number(self._age.find(content), conversion(self.document.age_unit, "s"))
            return None if age is None or age < 0 else asked_s - age
        if self._stamp is None:
            return asked_s
        stamp = self._stamp_of(self._stamp.find(content))
        return None if stamp is None else self._freshness.sampled_s(stamp, asked_s, now_s)

    def _from_changes(self, content: Content, asked_s: float, now_s: float) -> Value:
        """Return how long nothing new has come [s], or whether that is too long; None before any change."""
        token = self._token(content)
        if token is None:
            return None
        age_s = self._freshness.unchanged_s(token, asked_s, now_s)
        limit_s = self.document.frozen_after_s
        if limit_s is not None and age_s >= limit_s:
            return True
        if self._stamp is not None and isinstance(token, float):
            age_s = max(age_s, now_s - self._freshness.sampled_s(token, asked_s, now_s))
        if not self._freshness.has_changed:
            return None
        return age_s if limit_s is None else False

    def _token(self, content: Content) -> float | str | None:
        if self._stamp is not None:
            return self._stamp_of(self._stamp.find(content))
        if not self.document.path:
            return content.image
        found = self._at.find(content)
        return found if isinstance(found, str) else finite_number(found, 1.0)

    def _stamp_of(self, found: Any) -> float | None:
        """Return the result's own time of the value [s], on the target's clock."""
        if isinstance(found, Mapping):
            seconds = finite_number(_first(found, "sec", "secs"), 1.0)
            rest = finite_number(_first(found, "nanosec", "nsecs", "nsec"), 1e-9)
            return None if seconds is None or rest is None else seconds + rest
        return finite_number(found, conversion(self.document.stamp_unit, "s"))

    def _value(self, content: Content) -> Value:
        doc = self.document
        if doc.reads == "present":
            return self._is_present(content)
        found = self._at.find(content)
        if doc.reads == "heading":
            return heading(found)
        if doc.type == "boolean":
            return self._boolean(found)
        if doc.type == "text":
            word = found if isinstance(found, str) else None
            return word if doc.words is None or word is None else doc.words.get(word)
        number = finite_number(found, self._scale)
        return number if number is None or abs(number) < INFINITE else None

    def _is_present(self, content: Content) -> bool:
        if not self.document.path:
            return content.image is not None
        found = self._at.find(content)
        return found is not NOTHING and found is not None

    def _boolean(self, found: Any) -> bool | None:
        doc = self.document
        if doc.true_when is None and doc.false_when is None:
            return found if isinstance(found, bool) else None
        if any(is_same(found, value) for value in doc.true_when or ()):
            return True
        return False if any(is_same(found, value) for value in doc.false_when or ()) else None


class _Condition:
    """Something that a result may say."""

    def __init__(self, document: When) -> None:
        self._at = Locator(document.path)
        self._equals = document.equals

    def holds(self, content: Content) -> bool:
        found = self._at.find(content)
        if not isinstance(self._equals, tuple):
            return is_same(found, self._equals)
        if not self._equals:
            return isinstance(found, list) and not found
        return any(is_same(found, value) for value in self._equals)


def heading(quaternion: Any) -> float | None:
    """Return the heading of an object {x, y, z, w} [rad], counter-clockwise; None unless it is a rotation."""
    if not isinstance(quaternion, Mapping):
        return None
    x, y, z, w = (finite_number(quaternion.get(axis), 1.0) for axis in "xyzw")
    if x is None or y is None or z is None or w is None:
        return None
    if not math.isclose(math.hypot(x, y, z, w), 1.0, abs_tol=0.01):
        return None
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def _first(found: Mapping[str, Any], *names: str) -> Any:
    return next((found[name] for name in names if name in found), NOTHING)


def _unit_of(document: Signal) -> str:
    if document.reads == "age":
        return "s"
    if document.reads == "heading":
        return "rad"
    return base_unit(document.unit) if document.unit else ""
