"""Run folders that hold sessions recorded elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from heedful.errors import HeedfulError, InputError
from heedful.guards.replay.replay import LoggedSession, sessions_from_log
from heedful.results import labelled_sessions, read_results
from heedful.run_folder import MANIFEST, ROBOT_FILE, RunFolder
from heedful.spec.load import load_spec
from heedful.state.motion import RobotLimits
from heedful.trace.reader import read_trace
from tests.guards.guard_logs import header
from tests.guards.replay.test_replay import Story

LIMITS = RobotLimits(0.4, 0.9, 3.0, 0.8)
TOOLS = {**load_spec("iso10218-humanoid").document.tools, "dance": "gesture"}


@pytest.fixture
def session(tmp_path: Path) -> LoggedSession:
    """A session of a robot with limits and a tool of its own."""
    story = Story()
    story.records[0] = header(limits=LIMITS, tools=TOOLS)
    story.call(1.0, "walk_to", ends=2.0, x=0.5, y=0.0, speed_percent=80)
    (found,) = sessions_from_log(story.path(tmp_path, 5.0))
    return found


def test_what_was_recorded_reads_back(session: LoggedSession, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    second = replace(session.trace, info=replace(session.trace.info, session="another"), is_complete=False)
    run.record(session.spec, [session.trace, second])
    assert (run.spec().document, run.spec().limits) == (session.spec.document, LIMITS)
    read = {trace.info.session: trace for trace in map(read_trace, run.begun_sessions())}
    assert read[session.trace.info.session].turns == session.trace.turns
    assert {t.info.repetition: t.is_complete for t in read.values()} == {0: True, 1: False}
    assert len(run.config().cells()) == 2
    assert read_results(run).summary.sessions == 2


def test_another_spec_judges_the_robot_that_was_recorded(session: LoggedSession, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.record(session.spec, [session.trace])
    fitted = run.fit(load_spec("iso10218-humanoid"))
    assert (fitted.tool_class("dance"), fitted.limits) == ("gesture", LIMITS)
    ((_, _, labels),) = labelled_sessions(run, fitted)
    assert labels == next(iter(labelled_sessions(run, run.spec())))[2]


def test_a_run_of_our_own_robot_takes_a_spec_as_it_is(tmp_path: Path) -> None:
    spec = load_spec("iso10218-humanoid")
    assert RunFolder(tmp_path).fit(spec) is spec


def test_nothing_is_recorded_over_a_run_or_out_of_nothing(session: LoggedSession, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    with pytest.raises(InputError, match="no session"):
        run.record(session.spec, [])
    run.record(session.spec, [session.trace])
    with pytest.raises(InputError, match="already holds a run"):
        run.record(session.spec, [session.trace])


@pytest.mark.parametrize(
    ("file", "text"),
    [(MANIFEST, '{"recorded": 0}'), (MANIFEST, '{"recorded": "many"}'), (ROBOT_FILE, '{"v_max_m_s": []}')],
)
def test_a_damaged_record_is_told(session: LoggedSession, tmp_path: Path, file: str, text: str) -> None:
    run = RunFolder(tmp_path / "run")
    run.record(session.spec, [session.trace])
    (run.path / file).write_text(text, encoding="utf-8")
    with pytest.raises(HeedfulError, match="is damaged"):
        read_results(run)
