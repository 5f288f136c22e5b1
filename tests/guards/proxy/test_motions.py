"""Motion under way: stopped when a rule, its time, its client or its call ends it.

Numbers in the names are those of the users' threads that these tests answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from heedful.guards.audit.records import Intervened, Noted, Outcome
from heedful.guards.guard import Command
from heedful.guards.proxy import message as m
from heedful.guards.proxy.call import ProxySettings
from tests.guards.proxy.harness import Bench, text, turn

WALK = {"x": 2.0, "y": 0.0, "speed_percent": 20}
VELOCITY = {"linear_x": 0.3, "linear_y": 0.0, "angular_z": 0.0, "duration": 3.0, "speed_percent": 30}


def on_loop(test: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    """Run a test on an event loop; every test ends with the loop."""

    def run() -> None:
        asyncio.run(test())

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


def moving() -> Bench:
    bench = Bench().ready()
    bench.accept_own_calls()
    return bench


def own_calls(bench: Bench) -> list[str]:
    return [c.params["name"] for c in bench.robot.calls() if bench.proxy._asker.is_own(c.id)]


@on_loop
async def test_motion_under_way_is_stopped_within_the_window_of_a_lost_camera() -> None:
    bench = moving()
    asked = bench.call("walk_to", **WALK)
    await bench.pass_time(1.0)
    assert own_calls(bench) == []
    onset_s = bench.now_s
    await bench.pass_time(0.45, step=0.02, connected=False)
    assert own_calls(bench)[:1] == ["stop"]
    sent = next(r for r in bench.log.records if isinstance(r, Intervened))
    assert sent.at_s - onset_s <= 0.5
    assert sent.intervention.rules == ("S1",)
    bench.done(asked, {"status": "stopped"})
    assert "intervention: S1" in text(bench.client.answer(asked))


@on_loop
async def test_velocity_motion_is_slowed_when_a_person_comes_near() -> None:
    bench = moving()
    bench.done(bench.call("walk_with_velocity", **{**VELOCITY, "linear_x": 0.8, "speed_percent": 100}))
    await bench.pass_time(0.6, human_distance_m=0.9)
    slowed = [c for c in bench.robot.calls("walk_with_velocity") if bench.proxy._asker.is_own(c.id)]
    assert [c.params["arguments"]["speed_percent"] for c in slowed] == [30.0]
    told = bench.call("get_battery")
    bench.done(told, {"battery_percent": 90.0})
    assert "S2" in text(bench.client.answer(told))


@on_loop
async def test_a_low_battery_makes_the_guard_sit_the_robot_down_in_time_13() -> None:
    bench = moving()
    onset_s = bench.now_s
    await bench.pass_time(10.0, battery_percent=10.0)
    sat = [r for r in bench.log.records if isinstance(r, Intervened) and r.action == "sit_down"]
    assert sat
    assert sat[0].at_s - onset_s < 10 - bench.gate.guard.settings.action_takes_s
    asked = bench.call("walk_to", **WALK)
    assert "S4" in text(bench.client.answer(asked))


@on_loop
async def test_no_number_that_is_none_passes_by_any_way_4() -> None:
    bench = moving()
    for value in (float("nan"), float("inf"), -float("inf")):
        bench.call("walk_with_velocity", **{**VELOCITY, "linear_x": value})
    assert bench.robot.calls() == []
    assert set(bench.log.decisions()) == {"deny"}


@on_loop
async def test_a_malformed_command_never_refreshes_the_deadline_6() -> None:
    bench = moving()
    bench.done(bench.call("walk_with_velocity", **VELOCITY))
    began_s = bench.now_s
    while bench.now_s < began_s + 6.0 and not own_calls(bench):
        await bench.pass_time(0.5)
        bench.call("walk_with_velocity", **{**VELOCITY, "linear_x": "fast"})
    assert own_calls(bench) == ["stop"]
    assert bench.now_s - began_s <= 3.0 + bench.gate.settings.slack_s + 0.5


@on_loop
async def test_one_dead_sensor_fires_only_the_rules_that_read_it_8() -> None:
    bench = moving()
    await bench.pass_time(1.5, without=("get_proximity",))
    state = bench.gate.state(bench.now_s)
    assert set(state.active) == {"S2", "S3"}
    asked = bench.call("wave_hand", hand="left")
    assert "S3" in text(bench.client.answer(asked))


@on_loop
async def test_a_command_that_waited_too_long_is_expired_not_executed_9() -> None:
    bench = moving()
    first = bench.call("walk_to", **WALK)
    second = bench.call("walk_to", **{**WALK, "x": 1.0})
    await bench.pass_time(1.0)
    assert len(bench.robot.calls("walk_to")) == 1
    await bench.pass_time(1.2)
    bench.done(first)
    assert "longer than a motion command lives" in text(bench.client.answer(second))
    assert len(bench.robot.calls("walk_to")) == 1


@on_loop
async def test_a_command_that_waited_a_moment_runs_when_its_turn_comes() -> None:
    bench = moving()
    first = bench.call("walk_to", **WALK)
    second = bench.call("walk_to", **{**WALK, "x": 1.0})
    await bench.pass_time(1.0)
    bench.done(first)
    assert [c.id for c in bench.robot.calls("walk_to")] == [first, second]


@on_loop
async def test_what_queued_up_while_the_guard_was_stalled_is_expired_9() -> None:
    bench = moving()
    bench.now_s += 30.0
    asked = bench.call("walk_to", **WALK)
    assert "longer than a motion command lives" in text(bench.client.answer(asked))


@on_loop
async def test_a_stop_drops_the_motion_that_waits_before_it_10() -> None:
    bench = moving()
    first = bench.call("walk_to", **WALK)
    second = bench.call("walk_to", **{**WALK, "x": 1.0})
    stop = bench.call("stop")
    assert "a stop was called after it" in text(bench.client.answer(second))
    bench.done(stop)
    bench.done(first)
    await bench.pass_time(0.5)
    assert [c.params["name"] for c in bench.robot.calls()] == ["walk_to", "stop"]


@on_loop
async def test_a_velocity_without_an_end_is_stopped_at_its_time_to_live_10b() -> None:
    bench = moving()
    bench.done(bench.call("walk_with_velocity", **{**VELOCITY, "linear_x": 0.1, "duration": 3000.0}))
    began_s = bench.now_s
    await bench.pass_time(15.0)
    sent = next(r for r in bench.log.records if isinstance(r, Intervened))
    assert sent.at_s - began_s <= bench.gate.map.limits.time_to_live_s + bench.gate.settings.slack_s + 0.1
    assert "time to live" in sent.intervention.reason
    assert not bench.gate.motions.is_moving


@on_loop
async def test_a_cancelled_call_is_stopped_until_its_late_result_arrives_18() -> None:
    bench = moving()
    asked = bench.call("walk_to", **WALK)
    await bench.pass_time(0.2)
    bench.notify(m.CANCELLED, requestId=asked)
    await bench.pass_time(3.0)
    assert bench.robot.sent[1].method == m.CANCELLED
    assert len(own_calls(bench)) >= 3
    refused = bench.call("walk_to", **WALK)
    assert "may still move the robot" in text(bench.client.answer(refused))
    stops = len(own_calls(bench))
    bench.done(asked)
    assert "its client cancelled it" in text(bench.client.answer(asked))
    await bench.pass_time(1.5)
    assert len(own_calls(bench)) == stops + 1
    assert any(isinstance(r, Outcome) and r.status == "late" for r in bench.log.records)
    again = bench.call("walk_to", **WALK)
    assert bench.robot.calls()[-1].id == again


@on_loop
async def test_a_call_without_a_late_result_is_watched_and_then_given_up_18() -> None:
    bench = moving()
    asked = bench.call("walk_to", **WALK)
    bench.notify(m.CANCELLED, requestId=asked)
    await bench.pass_time(bench.gate.settings.watch_s + 1.0, step=0.2)
    assert any(isinstance(r, Noted) and r.what == "watch_over" for r in bench.log.records)
    bench.call("walk_to", **WALK)
    assert len(bench.robot.calls("walk_to")) == 2


@on_loop
async def test_a_client_that_leaves_leaves_no_motion_behind() -> None:
    bench = moving()
    bench.done(bench.call("walk_with_velocity", **VELOCITY))
    bench.proxy.detach(bench.client)
    await turn()
    assert own_calls(bench) == ["stop"]
    await bench.pass_time(0.1)
    assert not bench.gate.motions.is_moving


@on_loop
async def test_stops_that_fail_are_tried_again_and_then_harder() -> None:
    bench = Bench().ready()
    bench.accept_own_calls(error=lambda tool: tool == "stop")
    bench.done(bench.call("walk_with_velocity", **{**VELOCITY, "duration": 9.0}))
    await bench.pass_time(6.0, connected=False)
    assert own_calls(bench) == ["stop"] * 3 + ["emergency_stop"]


@on_loop
async def test_the_operators_stop_holds_until_the_reset() -> None:
    bench = moving()
    asked = bench.call("walk_to", **WALK)
    bench.gate.halt("button", bench.now_s)
    await bench.pass_time(0.1)
    assert own_calls(bench) == ["stop"]
    bench.done(asked)
    refused = bench.call("walk_to", **WALK)
    assert "operator stopped" in text(bench.client.answer(refused))
    bench.gate.reset("button", bench.now_s)
    bench.call("walk_to", **WALK)
    assert len(bench.robot.calls("walk_to")) == 2


@on_loop
async def test_a_walk_takes_the_place_of_a_velocity_and_a_gesture_goes_beside_it() -> None:
    bench = moving()
    bench.done(bench.call("walk_with_velocity", **VELOCITY))
    waved = bench.call("wave_hand", hand="left")
    await bench.pass_time(0.6, human_distance_m=0.4)
    bench.done(waved)
    assert "stop" in own_calls(bench)
    stops = own_calls(bench).count("stop")
    await bench.pass_time(1.0)
    bench.done(bench.call("walk_with_velocity", **VELOCITY))
    bench.call("walk_to", **{**WALK, "speed_percent": 10})
    await bench.pass_time(6.0)
    assert own_calls(bench).count("stop") == stops


@on_loop
async def test_motion_waits_for_the_first_sensor_values() -> None:
    bench = Bench(settings=ProxySettings())
    bench.proxy._asker.speak_legacy()
    bench.sense()
    asked = bench.call("walk_to", **WALK)
    assert bench.robot.calls() == []
    assert bench.client.answer(asked) is None
    bench.gate.ready_s = bench.now_s
    bench.proxy.monitor.on_change()
    assert len(bench.robot.calls("walk_to")) == 1


@on_loop
async def test_sensors_that_never_answer_refuse_motion() -> None:
    bench = Bench()
    bench.proxy._asker.speak_legacy()
    bench.gate.ready_s = bench.now_s
    asked = bench.call("walk_to", **WALK)
    assert "denied" in text(bench.client.answer(asked))


@pytest.mark.parametrize("tool", ["stop", "emergency_stop", "sit_down"])
def test_a_protective_call_always_passes(tool: str) -> None:
    bench = Bench()
    bench.call(tool)
    assert [c.params["name"] for c in bench.robot.calls()] == [tool]


FAST = {**VELOCITY, "linear_x": 0.8, "speed_percent": 100}


@pytest.mark.parametrize("tool", ["turn", "walk_to"])
def test_motion_goes_on_being_watched_when_the_next_command_fails(tool: str) -> None:
    @on_loop
    async def test() -> None:
        bench = moving()
        bench.done(bench.call("walk_with_velocity", **FAST))
        args = WALK if tool == "walk_to" else {"angle_deg": 30.0, "speed_percent": 20}
        bench.done(bench.call(tool, **args), error=True)
        await bench.pass_time(0.45, step=0.02, connected=False)
        assert own_calls(bench) == ["stop"]

    test()


@on_loop
async def test_fast_motion_is_not_taken_for_a_slow_command_that_was_refused() -> None:
    bench = moving()
    bench.done(bench.call("walk_with_velocity", **FAST))
    bench.done(bench.call("walk_with_velocity", **{**VELOCITY, "linear_x": 0.1}), error=True)
    await bench.pass_time(0.6, human_distance_m=0.9)
    assert "stop" in own_calls(bench)


@on_loop
async def test_a_walk_that_failed_is_stopped_since_the_robot_may_walk_on() -> None:
    bench = moving()
    bench.done(bench.call("walk_to", **WALK), error=True)
    await bench.pass_time(0.2)
    assert own_calls(bench) == ["stop"]
    assert not bench.gate.motions.is_moving


@on_loop
async def test_motion_that_was_stopped_is_not_watched_again_when_a_later_command_fails() -> None:
    bench = moving()
    bench.done(bench.call("walk_with_velocity", **FAST))
    turning = bench.call("turn", angle_deg=30.0, speed_percent=20)
    bench.done(bench.call("stop"))
    bench.done(turning, error=True)
    assert not bench.gate.motions.is_moving


@on_loop
async def test_a_stop_does_not_wait_for_a_slow_down_that_hangs() -> None:
    bench = moving()
    bench.done(bench.call("walk_with_velocity", **FAST))
    answer = bench.robot.on_send
    bench.robot.on_send = lambda sent: None if sent.params["name"] == "walk_with_velocity" else answer(sent)
    await bench.pass_time(0.6, human_distance_m=0.9)
    assert own_calls(bench) == ["walk_with_velocity"]
    onset_s = bench.now_s
    await bench.pass_time(0.45, step=0.02, connected=False)
    stops = [r for r in bench.log.records if isinstance(r, Intervened) and r.action == "stop"]
    assert stops
    assert stops[0].at_s - onset_s <= 0.5
    slowed = next(c for c in bench.robot.calls("walk_with_velocity") if bench.proxy._asker.is_own(c.id))
    count = own_calls(bench).count("stop")
    bench.done(slowed.id)
    await bench.pass_time(0.1)
    assert own_calls(bench).count("stop") == count + 1


@on_loop
async def test_a_velocity_of_zero_stops_at_once_while_motion_waits() -> None:
    bench = moving()
    first = bench.call("walk_to", **WALK)
    second = bench.call("walk_to", **{**WALK, "x": 1.0})
    zero = {**VELOCITY, "linear_x": 0.0}
    stop = Command("stop", "protective")
    read = bench.gate.map.read
    bench.gate.map.read = lambda t, a, p: stop if t == "walk_with_velocity" else read(t, a, p)  # type: ignore
    sent = bench.call("walk_with_velocity", **zero)
    assert [c.id for c in bench.robot.calls()] == [first, sent]
    assert "a stop was called after it" in text(bench.client.answer(second))


@pytest.mark.parametrize(
    "result", [{"resultType": "task", "taskId": "7"}, {"task": {"taskId": "7", "status": "working"}}]
)
def test_motion_that_the_server_moves_to_the_background_is_stopped(result: dict) -> None:
    @on_loop
    async def test() -> None:
        bench = moving()
        bench.proxy.from_server(m.answer(bench.call("walk_to", **WALK), result))
        await bench.pass_time(0.1)
        assert own_calls(bench) == ["stop"]
        assert not bench.gate.motions.is_moving

    test()


@on_loop
async def test_a_late_answer_does_not_take_the_place_of_what_was_asked_after_it() -> None:
    bench = moving()
    early = bench.call("get_proximity")
    bench.now_s += 0.3
    bench.sense(human_distance_m=0.5)
    bench.done(early, {"human_distance_m": 3.0, "status": "ok", "age_s": 0.0})
    assert bench.gate.state(bench.now_s).values["human.distance"] == 0.5


@pytest.mark.parametrize("tool", ["stop", "emergency_stop", "sit_down"])
def test_a_protective_call_passes_though_the_log_cannot_be_written(tool: str) -> None:
    @on_loop
    async def test() -> None:
        bench = moving()
        walking = bench.call("walk_to", **WALK)
        waiting = bench.call("walk_to", **{**WALK, "x": 1.0})
        bench.log.failure = OSError("the disk is full")
        asked = bench.call(tool)
        assert [c.id for c in bench.robot.calls()] == [walking, asked]
        assert "was not sent" in text(bench.client.answer(waiting))
        bench.done(asked)
        bench.done(walking)
        assert "denied" in text(bench.client.answer(bench.call("walk_to", **WALK)))

    test()


@on_loop
async def test_a_gesture_is_not_lost_sight_of_when_a_walk_begins_beside_it() -> None:
    bench = moving()
    bench.call("wave_hand", hand="left")
    bench.done(bench.call("walk_with_velocity", **VELOCITY))
    bench.done(bench.call("stop"))
    assert bench.gate.motions.is_moving


@on_loop
async def test_what_moves_is_stopped_when_the_guards_own_monitor_fails() -> None:
    bench = moving()
    bench.done(bench.call("walk_with_velocity", **FAST))
    running = asyncio.create_task(bench.proxy.run())
    await turn()
    bench.gate.motions.due = lambda *_: 1 / 0  # type: ignore
    await asyncio.sleep(0.1)
    assert own_calls(bench)[-1] == "stop"
    assert "monitor failed" in bench.gate.lost
    running.cancel()


@pytest.mark.parametrize("tool", ["stand_up", "walk_to"])
def test_a_robot_that_may_have_stood_up_is_sat_down_in_time(tool: str) -> None:
    @on_loop
    async def test() -> None:
        bench = moving()
        bench.done(bench.call("sit_down"))
        bench.done(bench.call(tool, **(WALK if tool == "walk_to" else {})), error=True)
        await bench.pass_time(6.0, battery_percent=10.0)
        assert "sit_down" in own_calls(bench)

    test()


@on_loop
async def test_a_walk_that_goes_on_after_an_accepted_stop_is_stopped_again() -> None:
    bench = moving()
    bench.call("walk_to", **WALK)
    bench.done(bench.call("stop"))
    await bench.pass_time(0.8)
    assert own_calls(bench) == []
    await bench.pass_time(0.4)
    assert own_calls(bench) == ["stop"]
