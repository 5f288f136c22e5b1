"""What the log holds of the sensors: every change that matters, and no value that looks older than it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.guards.audit.records import (
    Noted,
    Sensed,
    ServerFacts,
    server_facts,
    server_note,
)
from heedful.guards.proxy.assembly import GuardOptions, assemble
from heedful.guards.proxy.journal import SENSED_EVERY_S, sensed_every
from heedful.guards.replay.sensed_history import SensedHistory
from heedful.spec.load import spec_text
from tests.guards.proxy.harness import Bench, result

SPEC, _ = spec_text("iso10218-humanoid")
SHORT_S = 0.3
SHORT_LIVED = SPEC.replace("max_age_s: 1.0, hold_s: 1.0", f"max_age_s: {SHORT_S}, hold_s: {SHORT_S}")
"""The distance to a person grows old quickly."""


def sensed(bench: Bench) -> list[Sensed]:
    return [record for record in bench.log.records if isinstance(record, Sensed)]


def history(bench: Bench) -> SensedHistory:
    found = SensedHistory(bench.gate.guard.spec)
    for record in sensed(bench):
        found.sense(record.readings, record.at_s)
    return found


def test_a_dip_of_one_sample_is_in_the_log() -> None:
    bench = Bench().ready()
    for distance in (2.0, 0.4, 2.0):
        bench.now_s += 0.1
        bench.sense(human_distance_m=distance)
    logged = [r.readings["human.distance"].value for r in sensed(bench) if "human.distance" in r.readings]
    assert logged[-2:] == [0.4, 2.0]


def test_calm_sensors_cost_two_records_a_second() -> None:
    bench = Bench().ready()
    before = len(sensed(bench))
    for k in range(100):
        bench.now_s += 0.1
        bench.sense(human_distance_m=2.0 + 0.001 * k)
    assert len(sensed(bench)) - before <= 10.0 / SENSED_EVERY_S


def test_readings_are_logged_at_half_the_shortest_life_of_one() -> None:
    assert sensed_every([60.0, 0.3, 5.0]) == 0.15
    assert sensed_every([60.0]) == SENSED_EVERY_S
    assert sensed_every([]) == SENSED_EVERY_S


def test_the_last_sample_before_a_sensor_falls_silent_is_in_the_log() -> None:
    bench = Bench().ready()
    bench.now_s += 0.1
    bench.sense()
    last_s = bench.now_s
    bench.now_s += SENSED_EVERY_S
    bench.gate.journal.flush_old(bench.now_s)
    assert sensed(bench)[-1].readings["human.distance"].sampled_s == last_s


def test_what_waits_is_in_the_log_when_it_is_closed(tmp_path: Path) -> None:
    now_s = 100.0
    assembled = assemble(GuardOptions("iso10218-humanoid", "heedful-robot", tmp_path / "log"), lambda: now_s)
    gate = assembled.gate
    poll = next(p for p in gate.map.polls() if p.tool == "get_battery")
    for at_s in (now_s, now_s + 0.1):
        gate.observe(poll, result({"battery_percent": 90.0}), at_s, at_s)
    assembled.close("over", now_s + 0.2)
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert '"kind":"closed"' in lines[-1]
    assert '"sampled_s":100.1' in lines[-2]


gaps = st.floats(0.01, SHORT_S / 2)
distances = st.floats(0.0, 3.0, allow_subnormal=False)


@given(st.lists(st.tuples(gaps, distances, st.booleans()), min_size=1, max_size=25))
def test_the_log_says_at_every_sample_what_the_guard_knew(
    tmp_path_factory: pytest.TempPathFactory, stream: list[tuple[float, float, bool]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "short-lived.yaml"
    path.write_text(SHORT_LIVED, encoding="utf-8")
    bench = Bench(spec=str(path)).ready()
    spec, known = bench.gate.guard.spec, []
    for gap_s, distance, connected in stream:
        bench.now_s += gap_s
        bench.sense(human_distance_m=distance, connected=connected)
        known.append((bench.now_s, spec.active(bench.gate.state(bench.now_s).values)))
    bench.gate.journal.flush(bench.now_s)
    told = history(bench)
    for at_s, active in known:
        values = {name: spec.screen(name, told.value(name, at_s)) for name in spec.state_signals}
        assert spec.active(values) == active


def test_the_server_is_noted_once_its_tools_are_known() -> None:
    bench = Bench().ready()
    bench.proxy._handshake = {"serverInfo": {"name": "arm", "version": 3}}
    bench.proxy.tools.hash = "abcd"
    bench.gate.journal.server(bench.proxy._server_facts(), bench.now_s)
    note = bench.log.records[-1]
    assert isinstance(note, Noted)
    assert server_facts(note) == ServerFacts("arm", "3", "abcd")


@given(st.text(), st.text(), st.text(max_size=16))
def test_whatever_a_server_calls_itself_reads_back(name: str, version: str, hash_: str) -> None:
    note = server_note(ServerFacts(name, version, hash_), 1.0)
    assert server_facts(note) == ServerFacts(name[:100], version[:100], hash_)
    assert len(note.text) < 3000


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"name": ["x"]}'])
def test_a_note_that_says_nothing_leaves_the_server_unknown(text: str) -> None:
    facts = server_facts(Noted(1.0, "server", text))
    assert (facts.version, facts.tools_hash) == ("unknown", "")
