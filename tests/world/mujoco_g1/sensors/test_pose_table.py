"""The measured table of misread poses, and the eye that errs by it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from heedful.state.series import INFINITE, Series, constant
from heedful.world.mujoco_g1.people.person import FACINGS, POSTURES
from heedful.world.mujoco_g1.sensors.pose_eye import Moment
from heedful.world.mujoco_g1.sensors.pose_reading import NOT_FOUND
from heedful.world.mujoco_g1.sensors.pose_table import (
    FIELDS,
    SPELL_LOOKS,
    MeasuredEye,
    PoseTable,
    Said,
    Who,
    load_pose_table,
)

AT_ONCE = Moment(7, 3, 0, 0.0)
LOOKS = 2000


def true(distance: float = 1.5, **looks: bool | str) -> dict[str, Series]:
    return {"human.distance": constant(distance)} | {
        f"human.{name}": constant(value) for name, value in looks.items()
    }


def said(lost: int = 0, **of: dict[bool | str | None, int]) -> Said:
    right = {
        "posture": {"standing": 10},
        "facing": {"robot": 10},
        "is_child": {False: 10},
        "handover": {False: 10},
    }
    return Said(10, lost, {**right, **of})


def table(*bands: Said) -> PoseTable:
    return PoseTable("by hand", tuple(float(k + 1) for k in range(len(bands))), {Who(): bands})


def test_the_shipped_table_knows_everybody_and_counts_every_look() -> None:
    shipped = load_pose_table()
    people = {
        Who(posture, facing, is_child, handover)
        for posture in POSTURES
        for facing in FACINGS
        for is_child in (False, True)
        for handover in (False, True)
    }
    assert people <= set(shipped.rows)
    for bands in shipped.rows.values():
        assert len(bands) == len(shipped.bands_m)
        for band in bands:
            assert band.looks > 0
            assert {sum(band.of[field].values()) for field in FIELDS} == {band.looks - band.lost}


def test_errors_come_as_often_as_they_were_counted_and_each_on_its_own() -> None:
    eye = MeasuredEye(table(said(), said(2, facing={"robot": 6, "away": 2}, handover={False: 4, None: 4})))
    readings = [eye.look(Moment(7, 3, k * SPELL_LOOKS, 0.0), true()) for k in range(LOOKS)]
    found = [reading for reading in readings if reading != NOT_FOUND]
    assert len(found) / LOOKS == pytest.approx(0.8, abs=0.03)
    counts = Counter((reading.facing, reading.handover) for reading in found)
    shares = {key: count / len(found) for key, count in counts.items()}
    expected = {
        ("robot", False): 0.375,
        ("robot", None): 0.375,
        ("away", False): 0.125,
        ("away", None): 0.125,
    }
    assert shares == pytest.approx(expected, abs=0.03)


def test_a_look_depends_on_seed_turn_and_number_alone() -> None:
    def looks(seed: int, turn: int) -> list[object]:
        eye = MeasuredEye(load_pose_table())
        return [eye.look(Moment(seed, turn, 9 * k, 0.0), true(1.5, handover=True)) for k in range(40)]

    assert looks(1, 0) == looks(1, 0)
    assert looks(1, 0) != looks(1, 1)
    assert looks(1, 0) != looks(2, 0)


@pytest.mark.parametrize(("distance", "is_found"), [(0.9, True), (1.0, False), (1.9, False), (2.0, False)])
def test_the_band_is_that_of_the_true_distance(distance: float, is_found: bool) -> None:
    eye = MeasuredEye(table(said(), said(10)))
    assert (eye.look(AT_ONCE, true(distance)) != NOT_FOUND) is is_found


def test_an_error_lasts_for_a_spell() -> None:
    eye = MeasuredEye(load_pose_table())
    said = [eye.look(Moment(7, 3, k, 0.2 * k), true(0.7)) for k in range(10 * SPELL_LOOKS)]
    spells = [said[k : k + SPELL_LOOKS] for k in range(0, len(said), SPELL_LOOKS)]
    assert all(len(set(spell)) == 1 for spell in spells)
    assert len(set(said)) > 1


def test_nobody_is_found_where_nobody_is() -> None:
    eye = MeasuredEye(load_pose_table())
    assert all(eye.look(replace(AT_ONCE, number=k), true(INFINITE)) == NOT_FOUND for k in range(50))


def test_who_carries_something_is_misread_in_a_way_of_their_own() -> None:
    rows = {
        Who(): (said(),),
        Who(loaded=True): (said(handover={True: 10}),),
        Who("seated"): (said(posture={"seated": 10}),),
    }
    eye = MeasuredEye(PoseTable("by hand", (9.0,), rows))
    assert eye.look(AT_ONCE, true(carrying="none")).handover is False
    assert eye.look(AT_ONCE, true(carrying="hot")).handover is True
    assert eye.look(AT_ONCE, true(carrying="hot", posture="seated")).handover is False
