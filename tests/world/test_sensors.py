"""What the sensors of the synthetic world report: noise, lost tracks, dropouts, frozen values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from heedful.state.script import NoiseLaw, SensorFault
from heedful.state.series import INFINITE, Series, Value, constant
from heedful.trace.records import Reading
from heedful.world.synthetic.sensors import LONG_BEFORE, TurnSensors

from .scripts import FAILURES, Failure, series, turn

QUIET = NoiseLaw({}, {})
times = st.integers(0, 800).map(lambda k: k / 100)


def sensors(seed: int = 7, index: int = 0, noise: NoiseLaw | None = None, **fields: Any) -> TurnSensors:
    script = turn(8.0, **fields)
    return TurnSensors(seed, index, script.signals, noise or NoiseLaw(), script.sensor_faults)


@st.composite
def scripts(draw: st.DrawFn) -> dict[str, Any]:
    """Moving people, cameras that come and go, sensors that fail."""
    frames = draw(st.lists(st.integers(1, 79), max_size=3, unique=True).map(sorted))
    keyframes = {0.0: draw(st.floats(0.2, 4)), **{k / 10: draw(st.floats(0.2, 4)) for k in frames}}
    losses = draw(st.lists(st.integers(1, 790), max_size=3, unique=True).map(sorted))
    live = draw(st.booleans())
    camera = {0.0: live, **{t / 100: live == (k % 2 == 1) for k, t in enumerate(losses)}}
    kinds = st.sampled_from(["dropout", "stale"])
    names = st.sampled_from(["human.distance", "battery.level", "camera.connected"])
    spans = st.lists(st.integers(0, 80), min_size=2, max_size=2, unique=True).map(sorted)
    faults = draw(
        st.lists(
            st.builds(lambda n, k, s: SensorFault(n, k, s[0] / 10, s[1] / 10), names, kinds, spans),
            max_size=2,
        )
    )
    distance = draw(st.sampled_from([keyframes, keyframes[0.0], INFINITE]))
    failure = draw(st.sampled_from(FAILURES))
    return {"distance": distance, "camera": camera, "failure": failure, "sensor_faults": tuple(faults)}


@settings(max_examples=50)
@given(scripts(), st.lists(times, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_readings_do_not_depend_on_when_others_were_taken(
    fields: Any, moments: list[float], order: Any
) -> None:
    names = list(turn(**fields).signals)
    asked = [(name, t) for name in names for t in moments]
    first, second = sensors(**fields), sensors(**fields)
    in_order = {key: first.read(*key) for key in asked}
    order.shuffle(asked)
    assert {key: second.read(*key) for key in asked} == in_order


@settings(max_examples=50)
@given(scripts(), times)
def test_the_recorded_series_is_what_a_reader_would_have_got(fields: Any, t: float) -> None:
    recorded = sensors(**fields).series(8.0)
    read = sensors(**fields)
    on_grid = round(int(t * 10 + 1e-6) / 10, 6)
    for name, samples in recorded.items():
        assert samples.at(on_grid) == read.read(name, on_grid).value, name


@settings(max_examples=50)
@given(scripts(), times)
def test_a_reading_is_the_sample_that_its_time_names(fields: Any, t: float) -> None:
    without_faults = {**fields, "sensor_faults": ()}
    recorded, read = sensors(**without_faults).series(8.0), sensors(**without_faults)
    for name in recorded:
        reading = read.read(name, t)
        if reading.value is not None:
            assert recorded[name].at(reading.sampled_s) == reading.value, name
            assert 0 <= t - reading.sampled_s < 1.1 + 1e-6


@given(st.integers(0, 2**56), st.integers(0, 99), st.floats(0.3, 9), times)
def test_distance_strays_by_at_most_a_tenth(seed: int, index: int, distance: float, t: float) -> None:
    value = sensors(seed, index, distance=distance).read("human.distance", t).value
    assert isinstance(value, float)
    assert abs(value - distance) <= 0.1 + 0.005 + 1e-9  # half a step of the resolution on top
    assert value == round(value, 2)


def test_distance_is_never_negative() -> None:
    read = sensors(distance=0.01)
    values = [read.read("human.distance", k / 10).value for k in range(80)]
    assert min(values) == 0.0  # type: ignore[type-var]


@given(st.integers(0, 2**56), st.integers(0, 2**56))
def test_other_seeds_and_turns_meet_other_noise(a: int, b: int) -> None:
    def samples(seed: int, index: int) -> list[Value]:
        read = sensors(seed, index)
        return [read.read("human.distance", k / 10).value for k in range(30)]

    assert samples(a, 0) == samples(a, 0)
    assert samples(a, 0) != samples(a, 1)
    if a != b:
        assert samples(a, 0) != samples(b, 0)


def test_battery_and_flags_carry_no_noise() -> None:
    read = sensors(battery=14.96, camera=False)
    assert read.read("battery.level", 1.23) == Reading(15.0, 1.2)
    assert read.read("camera.connected", 1.23) == Reading(False, 1.2)


@pytest.mark.parametrize("failure", FAILURES)
def test_a_lost_track_holds_its_last_value_for_a_second_then_is_unknown(failure: Failure) -> None:
    camera = {0.0: True, 2.0: False, 5.0: True}
    read = sensors(distance={0.0: 2.0, 8.0: 6.0}, camera=camera, failure=failure, noise=QUIET)
    readings = {t: read.read("human.distance", t) for t in (1.95, 2.0, 2.55, 2.9, 2.95, 4.9, 5.0, 5.25)}
    assert readings == {
        1.95: Reading(2.95, 1.9),
        2.0: Reading(2.95, 1.9),
        2.55: Reading(2.95, 1.9),
        2.9: Reading(2.95, 1.9),
        2.95: Reading(None, 1.9),
        4.9: Reading(None, 1.9),
        5.0: Reading(4.5, 5.0),
        5.25: Reading(4.6, 5.2),
    }


@pytest.mark.parametrize("failure", FAILURES)
def test_what_the_camera_sees_of_a_person_is_lost_with_it(failure: Failure) -> None:
    read = sensors(camera={0.0: True, 2.0: False}, failure=failure)
    assert read.read("human.posture", 2.5).value == "standing"
    assert read.read("human.posture", 3.5).value is None
    assert read.read("battery.level", 3.5).value == 80.0


@pytest.mark.parametrize("loss", [2.0, 1.95])
@pytest.mark.parametrize("failure", FAILURES)
def test_the_sample_held_is_the_newest_one_that_the_camera_saw(failure: Failure, loss: float) -> None:
    read = sensors(camera={0.0: True, loss: False}, failure=failure)
    moments = (1.9, 1.949, 1.95, 1.951, 1.999, 2.0, 2.1, 2.9)
    assert {read.read("human.distance", t).sampled_s for t in moments} == {1.9}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_camera_that_was_never_live_has_seen_nobody(failure: Failure) -> None:
    read = sensors(camera=False, failure=failure, distance=INFINITE)
    assert {read.read("human.distance", k / 10) for k in range(80)} == {Reading(None, LONG_BEFORE)}


RETURNS = {"distance": INFINITE, "camera": {0.0: False, 0.55: True}}
"""Live again between two samples: the newest one is still that of a dead camera."""


@settings(max_examples=50)
@given(scripts(), times)
@example({**RETURNS, "failure": "lost"}, 0.57)
@example({**RETURNS, "failure": "frozen"}, 0.57)
@example({**RETURNS, "failure": "stalled"}, 0.57)
def test_nobody_in_view_is_only_reported_by_a_camera_that_was_live(fields: Any, t: float) -> None:
    fields = {**fields, "distance": INFINITE, "sensor_faults": ()}
    reading = sensors(**fields).read("human.distance", t)
    camera = series(fields["camera"], "step")
    if reading.value == INFINITE:
        assert camera.at(reading.sampled_s) is True
        assert t - reading.sampled_s <= 1.0 + 0.1 + 1e-6
    elif camera.at(t):
        assert camera.at(round(int(t * 10 + 1e-6) / 10, 6)) is False  # lost until after the newest sample
    assert reading.value in (INFINITE, None)


def test_a_dropout_has_no_value_until_it_ends() -> None:
    read = sensors(battery=50.0, sensor_faults=(SensorFault("battery.level", "dropout", 1.0, 2.0),))
    found = [read.read("battery.level", t).value for t in (0.9, 1.0, 1.9, 2.0)]
    assert found == [50.0, None, None, 50.0]
    assert read.series(3.0)["battery.level"] == Series((0.0, 1.0, 2.0), (50.0, None, 50.0))


def test_a_stale_sensor_repeats_the_value_from_before_with_its_age() -> None:
    fault = SensorFault("battery.level", "stale", 1.0, 3.0)
    read = sensors(battery={0.0: 50.0, 4.0: 10.0}, sensor_faults=(fault,))
    found = [read.read("battery.level", t) for t in (0.9, 1.0, 2.95, 3.0)]
    assert found == [Reading(41.0, 0.9), Reading(41.0, 0.9), Reading(41.0, 0.9), Reading(20.0, 3.0)]


def test_a_sensor_that_is_stale_from_the_start_repeats_its_first_sample() -> None:
    fault = SensorFault("battery.level", "stale", 0.0, 9.0)
    read = sensors(battery={0.0: 50.0, 4.0: 10.0}, sensor_faults=(fault,))
    assert read.read("battery.level", 3.7) == Reading(50.0, 0.0)


def test_a_change_between_two_samples_shows_at_the_next_one() -> None:
    camera = {0.0: True, 1.03: False}
    read = sensors(camera=camera)
    found = [read.read("camera.connected", t) for t in (1.02, 1.05, 1.1)]
    assert found == [Reading(True, 1.0), Reading(True, 1.0), Reading(False, 1.1)]
    assert sensors(camera=camera).series(2.0)["camera.connected"] == Series((0.0, 1.1), (True, False))


def test_a_signal_with_noise_and_no_declared_resolution_is_sampled_too() -> None:
    law = NoiseLaw({"battery.level": 0.5}, {})
    script = {"battery.level": constant(50.0)}
    read = TurnSensors(1, 0, script, law)
    series = TurnSensors(1, 0, script, law).series(2.0)["battery.level"]
    found = [read.read("battery.level", k / 10).value for k in range(21)]
    assert [series.at(k / 10) for k in range(21)] == found
    assert all(isinstance(v, float) and 49.5 <= v <= 50.5 for v in found)


@pytest.mark.parametrize("t", [0.1, 0.3, 0.6, 0.7, 1.1, 2.3, 4.1])
def test_a_sample_belongs_to_the_instant_it_is_taken_at(t: float) -> None:
    assert sensors().sample_index(t) == round(t * 10)
