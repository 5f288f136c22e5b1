"""Clips in the report: one of each kind of violation, drawn once, the same page every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from heedful.film import clips, needs
from heedful.film.clips import film_violations, with_clips
from heedful.reports.clips import NO_CLIPS
from heedful.results import read_results, render
from heedful.run_folder import RunFolder


def test_the_text_layer_has_no_clips(text_run: RunFolder) -> None:
    result = read_results(text_run)
    assert film_violations(text_run, result.kept, result.spec, 6) == NO_CLIPS
    assert b'id="clips"' not in render(with_clips(result, 6), "html")


def test_without_the_extra_the_page_says_how_to_get_clips(
    sim_run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(needs, "find_spec", lambda _name: None)
    monkeypatch.setattr(clips, "FOLDER", str(tmp_path))
    page = render(with_clips(read_results(sim_run), 6), "html").decode()
    assert "pip install &#x27;heedful[film]&#x27;" in page
    assert "<img" not in page
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("drawing")
def test_each_kind_of_violation_is_filmed_once_and_shown_in_the_page(
    sim_run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clips, "FOLDER", str(tmp_path))
    result = read_results(sim_run)
    first = with_clips(result, 6)
    shown = [(clip.rule, clip.label, clip.turn) for clip in first.reel.clips]
    assert shown == [("S2", "C4", "T011"), ("S3", "C4", "T011"), ("S4 obligation", "C4", "T077")]
    assert first.reel.note == ""
    monkeypatch.setattr(clips, "_film", lambda *_scene: pytest.fail("it was filmed before"))
    again = with_clips(result, 6)
    page = render(first, "html")
    assert page == render(again, "html")
    assert page.count(b'src="data:image/webp;base64,') == 3
    assert b"T011: walk_to at 100 % where S2 allows 30 %" in page
    assert b'href="#clips"' in page


@pytest.mark.usefixtures("drawing")
def test_at_most_so_many_clips_as_asked(
    sim_run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clips, "FOLDER", str(tmp_path))
    result = read_results(sim_run)
    assert with_clips(result, 0).reel == NO_CLIPS
    assert len(with_clips(result, 1).reel.clips) == len(list(tmp_path.iterdir())) == 1
