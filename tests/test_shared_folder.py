"""Nodes that do not share the run's folder are refused before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from heedful import shared_folder
from heedful.errors import InputError, StorageError
from heedful.run_folder import RunFolder
from heedful.shared_folder import Mark, answer_mark, check_answer, marked


def run_in(folder: Path) -> RunFolder:
    folder.mkdir()
    return RunFolder(folder)


def test_a_node_that_shares_the_folder_passes_and_leaves_nothing(tmp_path: Path) -> None:
    run = run_in(tmp_path / "run")
    (run.path / ".mark-of-a-killed-run").touch()
    with run.locked(), marked(run) as mark:
        check_answer(mark, "n1", answer_mark(mark, "n1"))
    assert [path.name for path in run.path.iterdir()] == [".lock"]


def test_a_node_without_the_folder_is_refused(tmp_path: Path) -> None:
    problem = answer_mark(Mark(tmp_path / "nowhere", "abc"), "n1")
    with pytest.raises(InputError, match=r"Ray node n1 does not see .*nowhere.*every node mounts"):
        check_answer(Mark(tmp_path, "abc"), "n1", problem)


def test_a_node_with_another_folder_at_the_same_path_is_refused(tmp_path: Path) -> None:
    run = run_in(tmp_path / "run")
    with run.locked(), marked(run) as mark, pytest.raises(InputError, match="n1 has another folder"):
        check_answer(mark, "n1", "")


def test_a_node_that_ignores_locks_is_refused(tmp_path: Path) -> None:
    run = run_in(tmp_path / "run")
    with marked(run) as mark:
        assert "ignores the locks" in answer_mark(mark, "n1")


def test_a_node_with_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_in(tmp_path / "run")
    with run.locked(), marked(run) as mark:
        problem = answer_mark(mark, "n1")
        monkeypatch.setattr(shared_folder, "__version__", "0.0.1")
        with pytest.raises(InputError, match=r"n1 has heedful .*, this machine has 0\.0\.1"):
            check_answer(mark, "n1", problem)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be written"), marked(RunFolder(tmp_path / "absent")):
        pass
