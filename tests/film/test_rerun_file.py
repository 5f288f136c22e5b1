"""Rerun recordings, read back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from heedful.film.recording import Recording, choose_turns

pytest.importorskip("mujoco", reason="needs the extra `sim`")
pytest.importorskip("onnxruntime", reason="needs the extra `sim`")
pytest.importorskip("rerun.chunk", reason="needs the extra `rerun`, of a version that reads files")
from rerun import chunk

from heedful.film.replay import replay
from heedful.film.rerun_file import TIMELINE, write_rerun

pytestmark = pytest.mark.usefixtures("drawing")


def texts(path: Path, entity: str) -> list[str]:
    found: list[str] = []
    for part in chunk.RrdReader(str(path)).stream():
        if str(part.entity_path) == entity:
            found += [words for (words,) in part.to_record_batch().to_pydict()["TextLog:text"]]
    return found


def test_everything_stands_on_one_timeline(guarded_sim_session: Recording, tmp_path: Path) -> None:
    turns = choose_turns(guarded_sim_session.trace.turns, ["T012"])
    path = tmp_path / "session.rrd"
    write_rerun(guarded_sim_session, turns, path)
    rows: Counter[str] = Counter()
    timelines: set[str] = set()
    for part in chunk.RrdReader(str(path)).stream():
        rows[str(part.entity_path)] += part.num_rows
        timelines |= set(part.timeline_names)
    samples = len(replay(guarded_sim_session, turns).shots[turns[0].index])
    assert timelines == {TIMELINE}
    for name in ("distance/true", "distance/sensed", "speed/moving", "battery/true", "rules/S2"):
        assert rows[f"/signals/{name}"] == samples
    assert rows["/world/people/limbs"] == samples
    assert rows["/world/robot/pelvis"] == samples + 1
    assert rows["/world/head/depth"] == (samples + 9) // 10
    assert any("guard: clamp walk_to (S2)" in words for words in texts(path, "/log/events"))
    (verdict,) = texts(path, "/log/verdicts")
    assert verdict.startswith("T012 C4 S2 as issued, C1 as executed")


def test_an_interrupt_leaves_no_file(sim_session: Recording, tmp_path: Path) -> None:
    def interrupt(_turns: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_rerun(sim_session, sim_session.trace.turns[:1], tmp_path / "a.rrd", on_logged=interrupt)
    assert list(tmp_path.iterdir()) == []
