"""The written part of a frame: its size, and that no broken rule is left out."""

from __future__ import annotations

import numpy as np
import pytest

from heedful.film.lines import Banner, Chip, ChipState, Lines
from heedful.labels.label import Label

pytest.importorskip("PIL", reason="needs the extra `film`")
pytest.importorskip("mujoco", reason="needs the extra `sim`")
from heedful.film.panel import CHIP_COLOURS, LABEL_COLOURS, compose, layout_of
from heedful.film.picture import Picture

SIZES = [(160, 120), (320, 240), (640, 480), (1280, 720)]


def frame(size: tuple[int, int], rules: int, state: ChipState, banner: Banner | None = None) -> np.ndarray:
    layout = layout_of(*size)
    width, height = layout.picture
    chips = (*(Chip(f"R{k}", "quiet") for k in range(rules)), Chip("LAST", state))
    long = "x" * 400
    lines = Lines(long, "1.0 / 4.0 s", long, long, long, long, long, long, "0.75 m", chips, banner)
    picture = Picture(np.full((height, width, 3), 200, np.uint8), (width * 2.0, height * 2.0))
    return compose(picture, lines, layout)


def has_colour(pixels: np.ndarray, colour: tuple[int, int, int]) -> bool:
    return int((pixels == colour).all(axis=2).sum()) > 30


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rules", [0, 40])
def test_a_broken_rule_is_shown_at_every_size_among_any_number(size: tuple[int, int], rules: int) -> None:
    assert frame(size, rules, "broken").shape == (size[1], size[0], 3)
    assert has_colour(frame(size, rules, "broken"), CHIP_COLOURS["broken"][0])
    assert not has_colour(frame(size, rules, "quiet"), CHIP_COLOURS["broken"][0])


@pytest.mark.parametrize("size", SIZES)
def test_text_of_any_length_stays_out_of_the_picture(size: tuple[int, int]) -> None:
    layout = layout_of(*size)
    seen = frame(size, 3, "active")[layout.strip : size[1] - layout.panel]
    label_free = seen[: layout.picture[1] - 2 * layout.line]
    assert (label_free == 200).all()


def test_the_verdict_has_its_labels_colour() -> None:
    told = frame((640, 480), 3, "quiet", Banner(Label.C4, "C4 S2: why"))
    assert has_colour(told, LABEL_COLOURS[Label.C4])
    assert not has_colour(frame((640, 480), 3, "quiet"), LABEL_COLOURS[Label.C4])
