"""The written part of a frame, drawn with Pillow's own font: a strip above the picture, a panel below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from heedful.film.lines import Banner, Chip, ChipState, Lines
from heedful.film.picture import Picture
from heedful.labels.label import Label

Pixels = NDArray[np.uint8]
Rgb = tuple[int, int, int]

INK: Rgb = (24, 29, 36)
PAPER: Rgb = (240, 243, 246)
FAINT: Rgb = (160, 170, 182)
LABEL_COLOURS: Mapping[Label, Rgb] = {
    Label.C1: (28, 120, 80),
    Label.C2: (34, 92, 158),
    Label.C3: (176, 92, 8),
    Label.C4: (178, 28, 38),
}
CHIP_COLOURS: Mapping[ChipState, tuple[Rgb, Rgb]] = {
    "quiet": ((44, 52, 62), FAINT),
    "active": ((236, 158, 24), INK),
    "broken": ((205, 38, 46), (255, 255, 255)),
}
"""Background and text."""
SMALL_PX = 360
"""Frames lower than this have room for the main lines only."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things are on a frame of one size [pixels]."""

    width: int
    height: int
    font: int
    strip: int
    """Height of what stands above the picture."""
    panel: int
    """Height of what stands below it."""
    is_small: bool

    @property
    def picture(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self.width, self.height - self.strip - self.panel

    @property
    def chip_rows(self) -> tuple[int, ...]:
        """The panel's lines that hold rules at their right."""
        return (2,) if self.is_small else (2, 3)

    @property
    def line(self) -> int:
        """From one line of text to the next."""
        return round(self.font * 1.42)

    @property
    def margin(self) -> int:
        """Between text and edge."""
        return round(self.font * 0.7)


def layout_of(width: int, height: int) -> Layout:
    """Return the layout of a frame of this size [pixels]."""
    is_small = height < SMALL_PX
    font = max(9, round(height / 23)) if is_small else round(height / 33)
    line = round(font * 1.42)
    strip, panel = (1, 3) if is_small else (2, 5)
    pad = round(font * 0.7)
    return Layout(width, height, font, strip * line + pad, panel * line + pad, is_small)


def compose(picture: Picture, lines: Lines, layout: Layout) -> Pixels:
    """Return a whole frame, shape (h, w, 3)."""
    frame = Image.new("RGB", (layout.width, layout.height), INK)
    frame.paste(Image.fromarray(np.ascontiguousarray(picture.rgb)), (0, layout.strip))
    page = _Page(frame, layout)
    page.write_strip(lines)
    if picture.label_at is not None and lines.gap:
        page.write_gap(lines.gap, picture.label_at)
    page.write_panel(lines)
    if lines.banner is not None:
        page.write_banner(lines.banner)
    return np.asarray(frame)


class _Page:
    """Writes on one frame."""

    def __init__(self, frame: Any, layout: Layout) -> None:
        self._draw, self._at = ImageDraw.Draw(frame), layout
        self._font = _font(layout.font)

    def write_strip(self, lines: Lines) -> None:
        at, y = self._at, round(self._at.margin * 0.6)
        self._write(lines.clock, at.width - at.margin, y, FAINT, anchor="ra")
        room = at.width - 3 * at.margin - self._wide(lines.clock)
        if at.is_small:
            self._write(self._fit(f"{lines.title}  {lines.said}", room), at.margin, y, PAPER)
            return
        self._write(self._fit(lines.title, room), at.margin, y, FAINT)
        self._write(self._fit(lines.said, at.width - 2 * at.margin), at.margin, y + at.line, PAPER)

    def write_panel(self, lines: Lines) -> None:
        """Write what goes on, and the rules at its right."""
        at = self._at
        top = at.height - at.panel + round(at.margin * 0.6)
        rows = [lines.call, lines.speed, lines.distance]
        if not at.is_small:
            rows += [lines.state, lines.guard]
        chips_from = self._write_chips(lines.chips, top)
        for k, row in enumerate(rows):
            room = (chips_from if k in at.chip_rows else at.width) - 2 * at.margin
            self._write(self._fit(row, room), at.margin, top + k * at.line, PAPER if k < 3 else FAINT)

    def write_gap(self, text: str, place: tuple[float, float]) -> None:
        at, half = self._at, self._wide(text) / 2 + self._at.font * 0.35
        lowest = at.height - at.panel - at.line
        x = min(max(place[0], half + 2), at.width - half - 2)
        y = min(max(place[1] + at.strip + at.font * 0.5, at.strip + 2), lowest)
        box = (x - half, y, x + half, y + at.line * 0.95)
        self._draw.rounded_rectangle(box, radius=at.font * 0.3, fill=INK)
        self._write(text, x, y + at.line * 0.45, PAPER, anchor="mm")

    def write_banner(self, banner: Banner) -> None:
        at = self._at
        bottom = at.height - at.panel
        box = (0, bottom - round(at.line * 1.3), at.width, bottom)
        self._draw.rectangle(box, fill=LABEL_COLOURS.get(banner.label, (78, 88, 100)))
        text = self._fit(banner.text, at.width - 2 * at.margin)
        self._write(text, at.margin, bottom - at.line * 0.65, (255, 255, 255), anchor="lm")

    def _write_chips(self, chips: tuple[Chip, ...], top: float) -> float:
        """Draw the rules from the right, quiet ones last; return where they begin [pixels]."""
        at, gap, start = self._at, self._at.font * 0.4, float(self._at.width)
        wide = {chip: self._wide(chip.text) + at.font * 0.9 for chip in chips}
        for row, fitting in zip(
            at.chip_rows, _rows(chips, wide, at.width * 0.5, len(at.chip_rows), gap), strict=False
        ):
            x, y = at.width - at.margin - sum(wide[chip] + gap for chip in fitting) + gap, top + row * at.line
            start = min(start, x)
            for chip in fitting:
                fill, ink = CHIP_COLOURS[chip.state]
                box = (x, y, x + wide[chip], y + at.line * 0.92)
                self._draw.rounded_rectangle(box, radius=at.font * 0.35, fill=fill)
                self._write(chip.text, x + wide[chip] / 2, y + at.line * 0.45, ink, anchor="mm")
                x += wide[chip] + gap
        return start

    def _write(self, text: str, x: float, y: float, colour: Rgb, anchor: str = "la") -> None:
        self._draw.text((x, y), text, fill=colour, font=self._font, anchor=anchor)

    def _wide(self, text: str) -> float:
        return float(self._draw.textlength(text, font=self._font))

    def _fit(self, text: str, room: float) -> str:
        """Return text cut to a width, with an ellipsis [pixels]."""
        if self._wide(text) <= room:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            if self._wide(text[:middle].rstrip() + "\u2026") <= room:
                low = middle
            else:
                high = middle - 1
        return text[:low].rstrip() + "\u2026"


def _rows(
    chips: Sequence[Chip], wide: Mapping[Chip, float], room: float, most: int, gap: float
) -> list[list[Chip]]:
    """Return chips in rows of at most `room`, in their order; quiet ones go first where not all fit."""
    kept = list(chips)
    while kept:
        rows: list[list[Chip]] = [[]]
        for chip in kept:
            if rows[-1] and sum(wide[other] + gap for other in rows[-1]) + wide[chip] > room:
                rows.append([])
            rows[-1].append(chip)
        if len(rows) <= most:
            return rows
        quiet = [chip for chip in kept if chip.state == "quiet"]
        kept.remove((quiet or kept)[-1])
    return []


@lru_cache(maxsize=8)
def _font(size: int) -> Any:
    return ImageFont.load_default(size=size)
