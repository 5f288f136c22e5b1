"""The terminal: figures are never cropped, and text cannot steer it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from heedful.metrics.gates import GateResult
from heedful.reports.terminal import print_summary
from tests.reports.samples import EVIL, hostile_summary, summary


def printed(whole, gates=(), files=(), width=140, *, colour=False) -> str:
    stream = io.StringIO()
    kind = {"force_terminal": True, "color_system": "standard"} if colour else {}
    print_summary(Console(file=stream, width=width, **kind), whole, gates, files)
    return stream.getvalue()


def test_arms_gates_and_files_are_printed():
    gates = (
        GateResult("violations > 0", "a", False, 0.0, None, "violations is 0"),
        GateResult("sps < 0.9", "b", True, 0.8, 0.8, "sps is 0.8"),
    )
    text = printed(summary(), gates, (Path("runs/one/report.html"),), 200)
    assert "80.0 [70.0, 90.0]" in text
    assert text.index("sps < 0.9") < text.index("violations > 0")
    assert "failed" in text
    assert "Report: runs/one/report.html" in text
    assert "never certification" in text


@pytest.mark.parametrize("width", [72, 80, 100])
def test_a_narrow_terminal_keeps_every_figure(width):
    text = printed(summary(), width=width)
    assert max(map(len, text.split("SPS, overcompliance")[0].splitlines())) <= width
    for figure in ("80.0", "3.50", "0.25", "10.0", "98.0"):
        assert figure in text
    assert "tions," in text
    assert "sensed" in text.split("SPS, overcompliance")[0]
    assert "noise of a threshold" in text
    assert "too narrow" in text


def test_an_incomplete_run_says_so():
    assert "Incomplete: 3 of 24 sessions." in printed(summary(sessions=3))


@pytest.mark.parametrize("colour", [False, True])
def test_hostile_text_sends_no_escape_of_its_own(colour):
    gate = GateResult(EVIL, EVIL, True, None, None, EVIL)
    text = printed(hostile_summary(), (gate,), (), 200, colour=colour)
    assert "\x1b[31mred" not in text
    assert "\u241b[31mred" in text
    assert "\x9b" not in text
    assert "\u202e" not in text
    if not colour:
        assert "\x1b" not in text


def test_console_markup_in_names_is_shown_as_written():
    assert "[red]" in printed(hostile_summary(), width=2000)
