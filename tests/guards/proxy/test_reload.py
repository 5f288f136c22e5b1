"""Reading the spec again: what it changes, what it keeps, and what happens when it cannot be read."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.guards.audit.records import Intervened, Opened, OperatorAct, Sensed
from heedful.guards.proxy.reload import Reloader
from heedful.guards.proxy.rules import RuleFiles, Rules, read_rules
from heedful.guards.tool_map.load import tool_map_text
from heedful.spec.load import spec_text
from tests.guards.proxy.harness import Bench, text, turn

SPEC, _ = spec_text("iso10218-humanoid")
WALK = {"x": 0.5, "y": 0.0, "speed_percent": 80}
VELOCITY = {"linear_x": 0.2, "linear_y": 0.0, "angular_z": 0.0, "duration": 9.0, "speed_percent": 20}


def changed(folder: Path, *pairs: tuple[str, str]) -> RuleFiles:
    """Return the files of the shipped spec with words replaced."""
    written = SPEC
    for old, new in pairs:
        assert old in written
        written = written.replace(old, new)
    path = folder / "spec.yaml"
    path.write_text(written, encoding="utf-8")
    return RuleFiles(str(path), "heedful-robot")


def reload(bench: Bench) -> str:
    async def run() -> str:
        why = await bench.reloader().reload("a test")
        await turn()
        return why

    return asyncio.run(run())


def test_the_new_spec_is_in_force_from_then_on(tmp_path: Path) -> None:
    bench = Bench().ready()
    bench.sense(human_distance_m=2.0)
    bench.done(bench.call("walk_to", **WALK))
    bench.files = changed(tmp_path, ("near_distance: {value: 1.0", "near_distance: {value: 2.5"))
    assert reload(bench) == ""
    bench.call("walk_to", **WALK)
    assert bench.log.decisions() == ["allow", "clamp"]


def test_a_reload_begins_a_part_of_the_log_that_can_be_judged_alone(tmp_path: Path) -> None:
    bench = Bench().ready()
    bench.files = changed(tmp_path, ('version: "1.0"', 'version: "1.1"'))
    reload(bench)
    act, opened, sensed = bench.log.records[-3:]
    assert act == OperatorAct(bench.now_s, "reload", True, "a test")
    assert isinstance(opened, Opened)
    assert (opened.spec_version, opened.at_s) == ("1.1", bench.now_s)
    assert opened.spec_text == Path(bench.files.spec).read_text(encoding="utf-8")
    assert isinstance(sensed, Sensed)
    assert sensed.readings == bench.gate.journal.known
    bench.call("get_battery")
    assert bench.log.records[-1].spec == "iso10218-humanoid@1.1"


def test_an_obligation_keeps_its_deadline(tmp_path: Path) -> None:
    async def run() -> None:
        bench = Bench().ready()
        bench.accept_own_calls()
        bench.sense(battery_percent=14.0)
        onset_s = bench.now_s
        await bench.pass_time(3.0)
        bench.sense(battery_percent=50.0)
        bench.files = changed(tmp_path, ('version: "1.0"', 'version: "1.1"'))
        assert await bench.reloader().reload("a test") == ""
        (due,) = bench.gate.state(bench.now_s).obligations
        assert (due.invariant, due.onset_s, due.is_met) == ("S4", onset_s, False)
        await bench.pass_time(3.0)
        assert [r.at_s - onset_s for r in bench.log.records if isinstance(r, Intervened)] == [
            pytest.approx(5.0, abs=0.06)
        ]
        (due,) = bench.gate.state(bench.now_s).obligations
        assert due.is_met

    asyncio.run(run())


def test_an_obligation_that_is_met_stays_met_and_its_prohibition_goes_on(tmp_path: Path) -> None:
    bench = Bench().ready()
    bench.sense(battery_percent=14.0)
    bench.done(bench.call("sit_down"))
    bench.sense(battery_percent=50.0)
    bench.files = changed(tmp_path, ('version: "1.0"', 'version: "1.1"'))
    reload(bench)
    bench.call("walk_to", **WALK)
    assert bench.log.decisions() == ["allow", "deny"]


def test_an_obligation_without_a_rule_in_the_new_spec_is_said_to_end(tmp_path: Path) -> None:
    bench = Bench().ready()
    bench.sense(battery_percent=14.0)
    bench.files = changed(tmp_path, ("id: S4", "id: S9"), ("S1, S3, S4", "S1, S3, S9"))
    bench.sense(battery_percent=50.0)
    reload(bench)
    assert bench.gate.state(bench.now_s).obligations == ()
    acts = [r for r in bench.log.records if isinstance(r, OperatorAct)]
    assert acts == [OperatorAct(bench.now_s, "reload", True, "a test", ("S4",))]


def test_motion_under_way_is_held_to_the_new_spec(tmp_path: Path) -> None:
    async def run() -> None:
        bench = Bench().ready()
        bench.accept_own_calls()
        bench.sense(human_distance_m=2.0)
        bench.done(bench.call("walk_with_velocity", **VELOCITY), {"status": "done"})
        bench.files = changed(tmp_path, ("stop_distance: {value: 0.5", "stop_distance: {value: 2.5"))
        await bench.reloader().reload("a test")
        await turn()
        assert [c.params["name"] for c in bench.robot.calls()] == ["walk_with_velocity", "stop"]

    asyncio.run(run())


def _missing(folder: Path) -> RuleFiles:
    return RuleFiles(str(folder / "gone.yaml"), "heedful-robot")


def _malformed(folder: Path) -> RuleFiles:
    return changed(folder, ("schema_version: heedful-spec-1", "schema_version: ["))


def _wrong(folder: Path) -> RuleFiles:
    return changed(folder, ("human.distance < params.near_distance", "human.distanze < 1.0"))


def _unfit(folder: Path) -> RuleFiles:
    path = folder / "map.yaml"
    lines = tool_map_text("heedful-robot").splitlines()
    path.write_text("\n".join(line for line in lines if "battery.level" not in line), encoding="utf-8")
    return RuleFiles("iso10218-humanoid", str(path))


BAD = [
    (_missing, "gone.yaml"),
    (_malformed, "spec.yaml"),
    (_wrong, "human.distanze"),
    (_unfit, "battery.level"),
]


@pytest.mark.parametrize(("files", "says"), BAD)
def test_what_cannot_be_read_stops_the_robot_and_refuses_motion_until_it_can(
    tmp_path: Path, files: Callable[[Path], RuleFiles], says: str
) -> None:
    async def run() -> None:
        bench = Bench().ready()
        bench.accept_own_calls()
        bench.done(bench.call("walk_with_velocity", **VELOCITY))
        good, bench.files = bench.files, files(tmp_path)
        assert says in await bench.reloader().reload("a test")
        await turn()
        assert [c.params["name"] for c in bench.robot.calls()] == ["walk_with_velocity", "stop"]
        bench.gate.reset("the operator's reset is no reload", bench.now_s)
        denied = bench.call("walk_to", **WALK)
        assert says in text(bench.client.answer(denied))
        for tool in ("get_battery", "stop", "sit_down", "emergency_stop"):
            bench.done(bench.call(tool))
        assert bench.log.decisions() == ["allow", "deny", "allow", "allow", "allow", "allow"]
        (refused,) = [r for r in bench.log.records if isinstance(r, OperatorAct) and r.deed == "reload"]
        assert (refused.accepted, says in refused.text) == (False, True)
        bench.files = good
        assert await bench.reloader().reload("a test") == ""
        assert bench.gate.distrusted == ""

    asyncio.run(run())


def test_a_call_that_waits_is_refused_when_the_spec_cannot_be_read(tmp_path: Path) -> None:
    async def run() -> None:
        bench = Bench().ready()
        bench.call("walk_to", **WALK)
        waiting = bench.call("walk_to", **WALK)
        assert bench.client.answer(waiting) is None
        bench.files = _missing(tmp_path)
        await bench.reloader().reload("a test")
        bench.done(1)
        assert "could not be read again" in text(bench.client.answer(waiting))

    asyncio.run(run())


def test_the_old_spec_is_enforced_while_the_new_one_is_read(tmp_path: Path) -> None:
    async def run() -> None:
        bench = Bench().ready()
        bench.sense(human_distance_m=0.8)
        bench.now_s += 1.0
        bench.sense(human_distance_m=0.8)
        may_read = threading.Event()

        def read(now_s: float) -> Rules:
            assert may_read.wait(timeout=60)
            return read_rules(bench.files, now_s)

        reading = asyncio.create_task(Reloader(bench.proxy, read, lambda: bench.now_s).reload("a test"))
        await turn()
        bench.done(bench.call("walk_to", **WALK))
        may_read.set()
        assert await reading == ""
        bench.call("walk_to", **WALK)
        assert bench.log.decisions() == ["clamp", "clamp"]

    asyncio.run(run())


def test_what_another_map_read_counts_no_more(tmp_path: Path) -> None:
    bench = Bench().ready()
    path = tmp_path / "map.yaml"
    lines = tool_map_text("heedful-robot").replace("path: human_distance_m", "path: distance_cm")
    path.write_text(lines.replace('version: "1.0"', 'version: "1.1"'), encoding="utf-8")
    bench.files = RuleFiles("iso10218-humanoid", str(path))
    assert reload(bench) == ""
    assert set(bench.gate.state(bench.now_s).values.values()) == {None}
    bench.call("walk_to", **WALK)
    assert bench.log.decisions() == ["deny"]


distances = st.floats(0.0, 3.0)
levels = st.sampled_from([10.0, 50.0])


@settings(max_examples=25)
@given(st.lists(st.tuples(distances, levels, st.booleans(), st.floats(0.01, 2.0)), min_size=1, max_size=8))
def test_whatever_was_enforced_or_due_still_is_after_the_same_spec_was_read_again(
    stream: list[tuple[float, float, bool, float]],
) -> None:
    bench = Bench().ready()
    for distance, level, connected, seconds in stream:
        bench.sense(human_distance_m=distance, battery_percent=level, connected=connected)
        bench.now_s += seconds
    before = bench.gate.state(bench.now_s)
    bench.gate.adopt(read_rules(bench.files, bench.now_s), "a test", bench.now_s)
    after = bench.gate.state(bench.now_s)
    assert set(before.enforced) <= set(after.enforced)
    assert (after.obligations, after.active, after.values) == (
        before.obligations,
        before.active,
        before.values,
    )
