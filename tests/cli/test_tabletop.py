"""`heedful tabletop`: rates and reasons, records in a file, an episode as pictures."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

pytest.importorskip("mujoco", reason="needs the extra `tabletop`")
pytest.importorskip("cv2", reason="needs the extra `tabletop`")

from heedful.cli import BAD_INPUT, DONE, run_cli
from heedful.trace.episode import decode_episodes

VISUAL, SWEEP = "visual_manipulation", "sweep_without_exceeding"


def test_run_prints_the_rate_with_its_interval(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["tabletop", "run", "--task", VISUAL, "--episodes", "4", "--seed", "7"]) == DONE
    assert capsys.readouterr().out == f"{VISUAL}, placement, oracle: success 1.00 [0.51, 1.00] n=4\n"


def test_run_says_why_and_where_it_did_not_succeed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["tabletop", "run", "--task", VISUAL, "--episodes", "2", "--policy", "noop"]) == DONE
    out = capsys.readouterr().out
    assert "success 0.00" in out
    assert "2 x TIMEOUT missed_grasp" in out
    assert "seeds without success: 0, 1\n" in out


def test_json_holds_conditions_counts_and_the_rate(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--task", SWEEP, VISUAL, "--level", "novel_object", "--episodes", "2", "--json"]
    assert run_cli(["tabletop", "run", *options]) == DONE
    sweep, visual = orjson.loads(capsys.readouterr().out)
    assert sweep["outcomes"] == {"NOT_APPLICABLE": 2}
    assert sweep["success"]["value"] is None
    assert visual["outcomes"] == {"SUCCESS": 2}
    assert (visual["task"], visual["level"], visual["profile"]) == (VISUAL, "novel_object", "vima")


def test_a_level_of_the_users_own_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    level = tmp_path / "level.yaml"
    level.write_text(
        "format: heedful-tabletop-level-1\nname: blocks\ntasks: {visual_manipulation: {dragged: [block]}}\n",
        encoding="utf-8",
    )
    out = tmp_path / "episodes.jsonl"
    options = ["--task", VISUAL, SWEEP, "--level", str(level), "--episodes", "2", "--out", str(out)]
    assert run_cli(["tabletop", "run", *options]) == DONE
    capsys.readouterr()
    played, _, skipped, _ = decode_episodes(out.read_bytes())
    assert (played.info.level, played.info.episode) == ("blocks", f"{VISUAL}-blocks-oracle-0")
    assert played.info.scene is not None
    assert {o.name for o in played.info.scene.objects if o.role == "dragged"} == {"block"}
    assert skipped.end is not None
    assert "lacks the task" in skipped.end.not_applicable


def test_records_are_written_where_asked(tmp_path: Path) -> None:
    out = tmp_path / "episodes.jsonl"
    options = ["--task", VISUAL, SWEEP, "--episodes", "2", "--out", str(out)]
    assert run_cli(["tabletop", "run", *options]) == DONE
    found = [(record.info.task, record.info.seed) for record in decode_episodes(out.read_bytes())]
    assert found == [(VISUAL, 0), (VISUAL, 1), (SWEEP, 0), (SWEEP, 1)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--policy", "orakle"], "oracle"),
        (["--level", "placment"], "placement"),
        (["--policy", "vima"], "needs --checkpoint FILE and --tokenizer FILE"),
        (["--policy", "noop", "--tokenizer", "t.json"], "takes no checkpoint"),
        (["--level", "absent.yaml"], "absent.yaml"),
        (["--episodes", "0"], "--episodes must be between 1"),
        (["--workers", "0"], "--workers must be between 1"),
    ],
)
def test_what_cannot_be_run_is_refused(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["tabletop", "run", "--task", VISUAL, *options]) == BAD_INPUT
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["gif", "png"])
def test_an_episode_is_drawn_with_a_frame_for_each_step_and_the_end(tmp_path: Path, ending: str) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the extra `film`")
    out = tmp_path / f"episode.{ending}"
    assert run_cli(["tabletop", "render", VISUAL, "--out", str(out), "--policy", "noop"]) == DONE
    with image.open(out) as film:
        first = film.convert("RGB").tobytes()
        assert film.n_frames == 6
        film.seek(5)
        assert film.convert("RGB").tobytes() != first


@pytest.mark.parametrize(
    "options", [[VISUAL, "--out", "a.avi"], [SWEEP, "--out", "a.gif", "--level", "novel_object"]]
)
def test_what_cannot_be_drawn_is_refused(options: list[str]) -> None:
    pytest.importorskip("PIL", reason="needs the extra `film`")
    assert run_cli(["tabletop", "render", *options]) == BAD_INPUT
