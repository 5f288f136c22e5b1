"""The people of a turn: each with waypoints around the robot, and what is true of the nearest."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from heedful.errors import ScenarioError
from heedful.scenarios.document import OtherPerson, Person
from heedful.state.script import PersonScript
from heedful.state.series import Series, Value, constant


def compile_person(doc: OtherPerson) -> PersonScript:
    """Return one person's script.

    Raises:
        ScenarioError: If its keyframes make no sense.
    """
    return PersonScript(
        keyframed(doc.person, "person"), keyframed(doc.bearing, "bearing"), looks_of(doc.who), doc.follows
    )


def looks_of(who: Person) -> dict[str, Value]:
    """Return a person's `human.*` signals, the distance apart."""
    return {f"human.{name}": value for name, value in who.model_dump().items()}


def keyframed(given: Any, what: str) -> Series:
    """Return a level, or keyframes joined by straight lines.

    Raises:
        ScenarioError: If the keyframes do not start at 0 and increase.
    """
    if not isinstance(given, tuple):
        return constant(float(given))
    times = tuple(float(t) for t, _ in given)
    if not times or times[0] != 0 or any(b <= a for a, b in itertools.pairwise(times)):
        raise ScenarioError(f"'{what}' keyframes must start at time 0 and increase.")
    return Series(times, tuple(float(v) for _, v in given), "linear")


def nearest_signals(people: Sequence[PersonScript]) -> dict[str, Series]:
    """Return the signals of whoever is nearest; of equally near people the first counts."""
    if len(people) <= 1:
        return {
            name: series
            for person in people
            for name, series in {"human.distance": person.distance, **_constants(person.looks)}.items()
        }
    times = _times(people)
    nearest = [_nearest_after(people, t) for t in times]
    distances: tuple[Value, ...] = tuple(min(_gaps(people, t)) for t in times)
    signals = {"human.distance": Series(tuple(times), distances, "linear")}
    return signals | {
        name: _stepped(times, [people[k].looks[name] for k in nearest]) for name in people[0].looks
    }


def _times(people: Sequence[PersonScript]) -> list[float]:
    """Return every keyframe's time and every time at which two people are equally near."""
    keyframes = sorted({t for person in people for t in person.distance.times})
    times = set(keyframes)
    for start, end in itertools.pairwise(keyframes):
        for one, other in itertools.combinations(people, 2):
            before, after = (_gap(one, t) - _gap(other, t) for t in (start, end))
            if before * after < 0:
                times.add(round(start + (end - start) * before / (before - after), 6))
    return sorted(times)


def _nearest_after(people: Sequence[PersonScript], t: float) -> int:
    gaps = [(_gap(person, t), _gap(person, t + 1e-3)) for person in people]
    return min(range(len(people)), key=lambda k: (round(gaps[k][0], 6), gaps[k][1], k))


def _gaps(people: Sequence[PersonScript], t: float) -> list[float]:
    return [_gap(person, t) for person in people]


def _gap(person: PersonScript, t: float) -> float:
    gap = person.distance.at(t)
    assert isinstance(gap, float), "distances are numbers"  # noqa: S101 - impossible
    return gap


def _constants(looks: Mapping[str, Value]) -> dict[str, Series]:
    return {name: constant(value) for name, value in looks.items()}


def _stepped(times: Sequence[float], values: Sequence[Value]) -> Series:
    kept = [k for k in range(len(values)) if k == 0 or values[k] != values[k - 1]]
    return Series(tuple([times[k] for k in kept]), tuple([values[k] for k in kept]))
