"""Whole films of sessions: replayed, drawn, and told apart by layer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from heedful.errors import TraceError
from heedful.film.recording import Recording, choose_turns
from heedful.state.geometry import Pose, distance

pytest.importorskip("mujoco", reason="needs the extra `sim`")
pytest.importorskip("onnxruntime", reason="needs the extra `sim`")
pytest.importorskip("PIL", reason="needs the extra `film`")
from PIL import Image

from heedful.film.replay import replay
from heedful.film.shoot import VERDICT_S, Format, Span, frame_count, frame_times, note_of, shoot

pytestmark = pytest.mark.usefixtures("drawing")
SMALL = Format(160, 120, 2)


def test_a_turns_frames_and_the_verdicts_count(text_session: Recording) -> None:
    turn = replace(text_session.trace.turns[0], duration_s=3.26)
    assert len(frame_times(3.26, 10)) == 32
    assert frame_times(3.26, 2, Span(1.0, 2.0)) == [1.0, 1.5]
    assert frame_count([turn, turn], 10) == 2 * (32 + VERDICT_S * 10)


@pytest.mark.parametrize("layer", ["sim_session", "guarded_sim_session"])
def test_replayed_turns_show_the_recorded_distance_at_every_sample(
    layer: str, request: pytest.FixtureRequest
) -> None:
    recording: Recording = request.getfixturevalue(layer)
    turns = choose_turns(recording.trace.turns, ["T007", "T012", "T077"])
    footage = replay(recording, turns)
    assert list(footage.shots) == [turn.index for turn in turns]
    for turn in turns:
        shots = footage.shots[turn.index]
        assert [s.now_s for s in shots] == [round(0.1 * k, 1) for k in range(1, len(shots) + 1)]
        assert 0 <= turn.duration_s - shots[-1].now_s < 0.1
        assert distance(shots[-1].pose.point, turn.end.pose.point) < 0.1
        assert all(len(shot.people) == 1 for shot in shots)


def test_on_the_text_layer_the_robot_is_where_the_record_says(guarded_session: Recording) -> None:
    (turn,) = choose_turns(guarded_session.trace.turns, ["T012"])
    shots = replay(guarded_session, [turn]).shots[turn.index]
    motion = turn.events[0].executed
    assert motion is not None
    assert motion.speed_percent == 30
    walked = distance(shots[9].pose.point, shots[29].pose.point)
    assert walked == pytest.approx(0.6, abs=0.02)
    assert note_of(guarded_session) == "text layer: positions as scripted"


def test_a_film_reads_back_and_is_the_same_twice(sim_session: Recording, tmp_path: Path) -> None:
    turns = choose_turns(sim_session.trace.turns, ["T006", "T007"])
    paths = [tmp_path / name for name in ("one.gif", "two.gif")]
    counts = [shoot(sim_session, turns, path, SMALL) for path in paths]
    assert counts == [frame_count(turns, SMALL.fps)] * 2
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with Image.open(paths[0]) as film:
        assert film.size == (160, 120)
        lasted_ms = 0
        for k in range(film.n_frames):
            film.seek(k)
            lasted_ms += film.info["duration"]
    assert lasted_ms == counts[0] * 1000 / SMALL.fps


def test_an_interrupt_while_drawing_leaves_no_file(text_session: Recording, tmp_path: Path) -> None:
    def interrupt(_frames: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shoot(text_session, text_session.trace.turns[:1], tmp_path / "a.webp", SMALL, on_frame=interrupt)
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_ends_elsewhere_is_not_filmed(sim_session: Recording) -> None:
    first = sim_session.trace.turns[0]
    moved = replace(first, end=replace(first.end, pose=Pose(1.0, 1.0)))
    changed = replace(
        sim_session, trace=replace(sim_session.trace, turns=(moved, *sim_session.trace.turns[1:]))
    )
    with pytest.raises(TraceError, match="does not replay here"):
        replay(changed, [moved])
