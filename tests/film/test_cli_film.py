"""`heedful film` at the command line: films, and clear refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from heedful.cli import BAD_INPUT, DONE, run_cli
from heedful.film import needs
from heedful.run_folder import RunFolder
from tests.film.conftest import OFF

SIM = OFF.format("layer-sim--")


def test_without_the_files_the_remedy_is_told(
    text_run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEEDFUL_DATA", str(tmp_path))
    assert run_cli(["film", str(text_run.path), OFF.format("")]) == BAD_INPUT
    assert "heedful doctor --install sim" in capsys.readouterr().err


@pytest.mark.parametrize(("ending", "extra"), [(".mp4", "film"), (".rrd", "rerun")])
def test_without_the_extra_its_name_is_told(ending: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "find_spec", lambda _name: None)
    assert f"pip install 'heedful[{extra}]'" in " ".join(needs.missing_for(ending))


def test_an_unknown_ending_is_refused(text_run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["film", str(text_run.path), OFF.format(""), "--out", "a.avi"]) == BAD_INPUT
    assert "Allowed: .mp4, .gif, .webp, .rrd" in capsys.readouterr().err


@pytest.mark.usefixtures("drawing")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--size", "641x480"], "is no frame size"),
        (["--size", "big"], "is no frame size"),
        (["--fps", "0"], "--fps must be between 1 and 30"),
        (["--turns", "T999"], "Turn 'T999' in this session is not known"),
    ],
)
def test_options_that_no_film_has_are_refused(
    sim_run: RunFolder, options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["film", str(sim_run.path), SIM, "--out", "a.gif", *options]) == BAD_INPUT
    assert told in capsys.readouterr().err


@pytest.mark.usefixtures("drawing")
def test_an_unknown_session_is_refused(sim_run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["film", str(sim_run.path), "nobody", "--out", "a.gif"]) == BAD_INPUT
    assert "Session 'nobody'" in capsys.readouterr().err


@pytest.mark.usefixtures("drawing")
def test_a_film_is_made_where_it_is_asked_for(sim_run: RunFolder, tmp_path: Path) -> None:
    out = tmp_path / "films" / "turn.gif"
    small = ["--size", "160x120", "--fps", "1"]
    assert run_cli(["film", str(sim_run.path), SIM, "--turns", "T000", "--out", str(out), *small]) == DONE
    assert out.read_bytes()[:4] == b"GIF8"
