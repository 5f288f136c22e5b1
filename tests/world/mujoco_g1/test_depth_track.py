"""The nearest person as depth frames tell: late, held, then unknown; a lost person is never far."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import InputError
from heedful.state.script import SensorFault
from heedful.state.series import INFINITE
from heedful.world.mujoco_g1.depth_track import LEFT_M, DepthTrack, Frame
from heedful.world.mujoco_g1.kinematic_stage import KinematicStage
from heedful.world.mujoco_g1.proximity import open_proximity

PERIOD_S = 0.1


def seen(*frames: tuple[float, float | None], late: float = 0.0, **fields: object) -> DepthTrack:
    track = DepthTrack(PERIOD_S, **fields)  # type: ignore[arg-type]
    for taken, distance in frames:
        track.add(Frame(taken, taken + late, distance))
    return track


def test_a_frame_counts_when_its_result_is_there() -> None:
    track = seen((0.0, 2.0), (0.2, 1.5), late=0.1)
    assert track.read(0.05).value is None
    assert [track.read(t).value for t in (0.1, 0.29, 0.3)] == [2.0, 2.0, 1.5]
    assert track.read(0.3).sampled_s == 0.2


def test_a_person_out_of_view_is_held_for_a_second_and_then_unknown() -> None:
    track = seen((0.0, 1.2), (0.2, INFINITE), (0.4, INFINITE))
    assert [track.read(t).value for t in (0.4, 1.0, 1.01)] == [1.2, 1.2, None]


def test_who_was_seen_to_walk_far_away_is_gone() -> None:
    assert seen((0.0, LEFT_M + 0.1), (0.2, INFINITE)).read(0.2).value == INFINITE


def test_an_empty_view_is_empty_and_a_blocked_one_is_unknown() -> None:
    assert seen((0.0, INFINITE)).read(0.5).value == INFINITE
    assert seen((0.0, None)).read(0.5).value is None


@given(st.lists(st.one_of(st.none(), st.just(INFINITE), st.floats(0.0, 6.0)), min_size=1, max_size=30))
def test_a_person_last_seen_near_never_reads_as_nobody(distances: list[float | None]) -> None:
    track = seen(*((0.2 * k, distance) for k, distance in enumerate(distances)))
    last: float | None = None
    for k, distance in enumerate(distances):
        last = distance if distance is not None and distance < INFINITE else last
        if last is not None and last <= LEFT_M:
            assert track.read(0.2 * k).value != INFINITE


def test_a_result_under_way_at_a_turns_end_does_not_hide_the_one_before() -> None:
    before = seen((0.0, 1.0), (0.9, 0.8), late=0.2)
    after = DepthTrack(PERIOD_S)
    after.carry_on(before.carried_over(1.0))
    assert [after.read(t).value for t in (0.0, 0.05, 0.1)] == [1.0, None, 0.8]
    near = seen((0.4, 1.0), (0.9, 0.8), late=0.2)
    after = DepthTrack(PERIOD_S)
    after.carry_on(near.carried_over(1.0))
    assert [after.read(t).value for t in (0.0, 0.1)] == [1.0, 0.8]


def test_scripted_failures_hold_and_drop_the_value() -> None:
    faults = (SensorFault("human.distance", "dropout", 0.5, 0.7), SensorFault("robot.x", "dropout", 0.0, 9.0))
    track = seen((0.0, 1.0), (0.4, 0.9), (0.6, 0.8), faults=faults)
    assert [track.read(t).value for t in (0.4, 0.6, 0.7)] == [0.9, None, 0.8]
    stale = seen((0.0, 1.0), (0.4, 0.9), faults=(SensorFault("human.distance", "stale", 0.3, 0.8),))
    assert [stale.read(t).value for t in (0.5, 0.8)] == [1.0, 0.9]


def test_the_record_has_what_was_read_at_every_sample() -> None:
    track = seen((0.0, 1.0), (0.2, 1.004), (0.4, 0.5))
    series = track.series(2.0)
    assert (series.times, series.values) == ((0.0, 0.4, 1.5), (1.0, 0.5, None))


def test_depth_needs_a_camera() -> None:
    with pytest.raises(InputError, match="needs the simulated G1"):
        open_proximity("depth", KinematicStage())
