"""What the watchdog refuses: floods, loops, re-issued commands, calls out of time; never a stop."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import InputError
from heedful.guards.watchdog import Watchdog, WatchdogSettings

WALK = {"x": 1.0, "y": 0.5, "speed_percent": 100}
FAILED = '{"error": "blocked"}'


def call(
    dog: Watchdog,
    tool: str,
    args: dict[str, Any],
    result: str = "done",
    *,
    failed: bool = False,
    at: float = 0.0,
) -> str | None:
    """Review a call and, as a caller that knows no better would, note what became of it in any case."""
    why = dog.review(tool, args, at, is_protective=tool in ("stop", "sit_down", "emergency_stop"))
    dog.note(tool, args, why or result, failed or why is not None, at)
    return why


def in_turn(**settings: Any) -> Watchdog:
    dog = Watchdog(WatchdogSettings(**settings))
    dog.begin_turn(0.0)
    return dog


def many(dog: Watchdog, count: int, *, at: float = 0.0) -> list[str | None]:
    """Make calls that are no loop."""
    return [call(dog, "get_proximity", {}, f"{k} m", at=at) for k in range(count)]


def test_calls_up_to_the_cap_pass_and_the_next_is_refused():
    dog = in_turn()
    assert many(dog, 20) == [None] * 20
    assert call(dog, "walk_to", WALK) == "Watchdog: the limit of 20 tool calls a turn is reached."


def test_a_turn_begins_afresh():
    dog = in_turn()
    many(dog, 25)
    dog.begin_turn(1.0)
    assert many(dog, 20, at=1.0) == [None] * 20


def test_denied_and_unreadable_calls_count_for_the_cap():
    dog = in_turn()
    for k in range(20):
        dog.note("walk_to", {"x": float(k), "y": "?"}, f"denied {k}", True, 0.0)
    assert "limit of 20" in (call(dog, "get_proximity", {}) or "")


def test_calls_in_flight_count_for_the_cap():
    dog = in_turn()
    found = [dog.review("get_proximity", {}, 0.0, is_protective=False) for _ in range(21)]
    assert found[:20] == [None] * 20
    assert found[20] is not None


def test_call_after_the_turns_time_is_refused():
    dog = in_turn(max_turn_s=120.0)
    assert call(dog, "walk_to", WALK, at=120.0) is None
    assert call(dog, "turn", WALK, at=120.1) == "Watchdog: the turn's time of 120 s is over."


@pytest.mark.parametrize("tool", ["stop", "sit_down", "emergency_stop"])
def test_protective_calls_are_never_refused(tool):
    dog = in_turn()
    many(dog, 30)
    assert [call(dog, tool, {}, FAILED, failed=True, at=float(t)) for t in range(200)] == [None] * 200


def test_fourth_equal_call_with_equal_results_is_refused():
    dog = in_turn()
    assert [call(dog, "wave_hand", {"hand": "left"}) for _ in range(3)] == [None] * 3
    assert call(dog, "wave_hand", {"hand": "left"}) == (
        "Watchdog: wave_hand came 3 times in a row with equal arguments and results. Do something else."
    )


def test_loop_stays_refused_until_something_else_is_done():
    dog = in_turn()
    found = [call(dog, "wave_hand", {"hand": "left"}) for _ in range(6)]
    assert [why is None for why in found] == [True, True, True, False, False, False]
    assert call(dog, "get_proximity", {}) is None
    assert call(dog, "wave_hand", {"hand": "left"}) is None


def test_equal_arguments_in_another_order_and_number_form_are_equal():
    dog = in_turn()
    same = [WALK, {"y": 0.5, "speed_percent": 100.0, "x": 1}, dict(reversed(WALK.items()))]
    assert [call(dog, "walk_to", args) for args in same] == [None] * 3
    assert call(dog, "walk_to", WALK) is not None


def test_polling_whose_results_change_is_no_loop():
    dog = in_turn()
    assert many(dog, 19) == [None] * 19


def test_reading_that_only_grew_older_is_no_change():
    dog = in_turn()
    told = [f'{{"human_distance_m": 2.0, "age_s": {age}}}' for age in (0.01, 0.05, 0.09)]
    assert [call(dog, "get_proximity", {}, text) for text in told] == [None] * 3
    assert call(dog, "get_proximity", {}) is not None


def test_third_equal_pair_is_refused():
    dog = in_turn()
    pair = [("turn", {"angle_deg": 30}), ("turn", {"angle_deg": -30})]
    assert [call(dog, *each) for each in pair * 2] == [None] * 4
    assert "same two calls came 2 times" in (call(dog, *pair[0]) or "")
    assert call(dog, *pair[1]) is None


def test_pairs_with_other_results_are_no_loop():
    dog = in_turn()
    found = []
    for k in range(8):
        found += [call(dog, "get_proximity", {}, f"{k} m"), call(dog, "turn", {"angle_deg": 5})]
    assert found == [None] * 16


def test_slowly_varied_failing_calls_are_refused():
    dog = in_turn()
    tries = [{"x": 1.0 + 0.05 * k, "y": 0.5, "speed_percent": 50} for k in range(8)]
    found = [call(dog, "walk_to", args, f"blocked {k}", failed=True) for k, args in enumerate(tries)]
    assert [why is None for why in found] == [True] * 6 + [False] * 2
    assert "failed 6 times in a row" in (found[6] or "")


@pytest.mark.parametrize("step", [0.12, 0.5])
def test_calls_whose_numbers_differ_by_a_tenth_or_more_are_no_loop(step):
    dog = in_turn()
    tries = [{"x": (1 + step) ** k, "y": 0.5} for k in range(10)]
    assert [call(dog, "walk_to", args, f"{k}", failed=True) for k, args in enumerate(tries)] == [None] * 10


def test_one_success_among_similar_calls_ends_the_count():
    dog = in_turn()
    for k in range(12):
        assert call(dog, "turn", {"angle_deg": 10.0 + 0.1 * k}, f"{k}", failed=k != 5) is None


def test_command_that_was_clamped_and_came_again_three_times_is_refused():
    dog = in_turn()
    found = []
    for k in range(5):
        found.append(call(dog, "walk_to", WALK, f"slowed at {k}"))
        dog.restricted("walk_to", WALK)
        call(dog, "get_proximity", {}, f"{k} m")
    assert [why is None for why in found] == [True] * 4 + [False]
    assert "walk_to was restricted and came again 3 times unchanged" in (found[4] or "")
    assert call(dog, "walk_to", {**WALK, "speed_percent": 30}) is None


def test_refusal_of_its_own_is_no_restriction():
    dog = in_turn()
    for _ in range(10):
        if call(dog, "walk_to", WALK) is not None:
            dog.restricted("walk_to", WALK)
    call(dog, "get_proximity", {})
    assert call(dog, "walk_to", WALK) is None


def test_without_turns_a_quiet_gap_begins_one():
    dog = Watchdog()
    assert many(dog, 20, at=5.0) == [None] * 20
    assert call(dog, "walk_to", WALK, at=14.9) is not None
    assert call(dog, "walk_to", WALK, at=15.0) is None


def test_model_that_never_pauses_is_slowed_but_not_locked_for_ever():
    dog = Watchdog()
    passed = [t for t in range(100) if call(dog, "get_proximity", {}, f"{t} m", at=float(t)) is None]
    assert passed == [*range(20), *range(29, 49), *range(58, 78), *range(87, 100)]


def test_denied_calls_do_not_keep_a_turn_open():
    dog = Watchdog()
    many(dog, 20)
    for t in range(1, 12):
        dog.note("walk_to", WALK, "denied", True, float(t))
    assert call(dog, "get_proximity", {}, at=11.5) is None


def test_where_turns_are_known_a_pause_begins_none():
    dog = in_turn()
    many(dog, 20)
    assert call(dog, "walk_to", WALK, at=60.0) is not None


def test_broken_clock_refuses():
    assert in_turn().review("walk_to", WALK, math.nan, is_protective=False) is not None


def test_results_of_calls_in_flight_are_matched_whatever_their_order():
    dog = in_turn()
    for args in ({"angle_deg": 1}, {"angle_deg": 9}):
        assert dog.review("turn", args, 0.0, is_protective=False) is None
    dog.note("turn", {"angle_deg": 9}, "done", False, 0.1)
    dog.note("turn", {"angle_deg": 1}, "done", False, 0.2)
    assert many(dog, 18) == [None] * 18
    assert call(dog, "walk_to", WALK) is not None


@pytest.mark.parametrize(
    "settings",
    [
        *({"max_calls": 0}, {"equal_calls": 0}, {"equal_pairs": 1000}, {"max_turn_s": math.inf}),
        *({"gap_s": 0.0}, {"max_turn_s": math.nan}, {"similarity": 1.0}, {"reissues": 0}),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings):
    with pytest.raises(InputError, match=f"Watchdog setting {next(iter(settings))} must be"):
        Watchdog(WatchdogSettings(**settings))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
CALLS = st.tuples(
    st.sampled_from(["walk_to", "turn", "get_proximity", "stop", "x" * 5000]),
    st.dictionaries(st.sampled_from(["x", "speed_percent", "hand"]), JSON, max_size=3),
    st.sampled_from(["done", '{"a": 1, "age_s": 2}', "{broken", '{"x":' * 2000]),
    st.booleans(),
    st.floats(0, 5),
)


@given(st.lists(CALLS, max_size=60), st.booleans())
def test_any_calls_are_answered_and_stops_pass(calls, has_turns):
    dog = in_turn() if has_turns else Watchdog()
    at, passed = 0.0, 0
    for tool, args, result, failed, pause in calls:
        at += pause
        why = dog.review(tool, args, at, is_protective=tool == "stop")
        assert tool != "stop" or why is None
        passed += why is None and tool != "stop"
        dog.note(tool, args, result, failed, at)
    assert passed <= 20 or not has_turns


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("rs")), max_size=20))
def test_loops_are_those_that_paper_finds(steps):
    """A call is refused exactly when AAA with one result, or ABAB with one result each, came before it."""
    dog = in_turn(max_calls=256)
    done: list[tuple[str, str]] = []
    for tool, result in steps:
        word, last = "".join(t for t, _ in done), done[-4:]
        triple = word.endswith(tool * 3) and len(set(done[-3:])) == 1
        pairs = len(last) == 4 and last[:2] == last[2:] and last[0][0] == tool != last[1][0]
        assert (call(dog, tool, {}, result) is not None) == (triple or pairs)
        if not (triple or pairs):
            done.append((tool, result))


def test_memory_is_bounded():
    dog = in_turn(max_turn_s=1e9)
    for k in range(3000):
        args = {"x": float(k), "text": "y" * 1000}
        dog.note("walk_to", args, "z" * 1000, True, 0.0)
        dog.review("stop", args, 0.0, is_protective=True)
        dog.restricted("walk_to", args)
    kept = [value for value in vars(dog).values() if hasattr(value, "__len__")]
    assert sum(len(value) for value in kept) < 1000
    assert all(sys.getsizeof(value) < 100_000 for value in kept)
