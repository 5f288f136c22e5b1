"""Which session and which turns are filmed."""

from __future__ import annotations

from pathlib import Path

import pytest

from heedful.errors import InputError, UnknownNameError
from heedful.film.recording import Recording, choose_turns, open_recording
from heedful.run_folder import RunFolder
from tests.film.conftest import OFF, TURNS


def test_an_unknown_session_is_refused_with_the_nearest_names(text_run: RunFolder) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean") as caught:
        open_recording(text_run, "reckless--full--shrt--r0")
    assert OFF.format("") in caught.value.nearest


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        open_recording(RunFolder(tmp_path), "any")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ([], TURNS),
        (["T011", "T006"], ("T006", "T011")),
        (["1-2", "T007"], ("T006", "T007")),
        (["5"], ("T077",)),
    ],
)
def test_turns_are_chosen_by_id_position_and_range(
    text_session: Recording, asked: list[str], found: tuple[str, ...]
) -> None:
    chosen = choose_turns(text_session.trace.turns, asked)
    assert tuple(turn.turn_id for turn in chosen) == found


def test_an_unknown_turn_is_refused_with_the_nearest(text_session: Recording) -> None:
    with pytest.raises(UnknownNameError, match="'T012'"):
        choose_turns(text_session.trace.turns, ["T01"])


@pytest.mark.parametrize("asked", ["4-6", "6", "3-2"])
def test_positions_out_of_range_are_refused(text_session: Recording, asked: str) -> None:
    with pytest.raises(InputError, match="Positions: 0 to 5"):
        choose_turns(text_session.trace.turns, [asked])
