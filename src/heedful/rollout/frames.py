"""An episode as pictures: the prompt with its images, both views, what is labelled what, the action.

Below: observations. Above: `heedful tabletop render`. Draws with Pillow; needs no world and no policy.
"""

from __future__ import annotations

import colorsys
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.observation import ShownImage, ShownPrompt, TableObservation
from heedful.state.tabletop.workspace import COLUMNS, ROWS, VIEWS, to_pixel

SCALE = 2
"""Pixels of a frame for each of a view, along each side."""
GAP = 8
THUMB = (2 * ROWS // 2, ROWS // 2)
"""Width and height of a prompt's image [pixels]."""
PAPER, INK, PICK, PLACE = (255, 255, 255), (24, 24, 24), (214, 39, 40), (31, 119, 180)
FRAME_MS = 1200
_WORDS = re.compile(r"\{(\w+)\}|([^\s{}]+)")


def draw_frame(
    prompt: ShownPrompt, seen: TableObservation, action: TableAction | None, caption: str
) -> Image.Image:
    """Return one moment: the prompt above, the views, their labels, a caption below."""
    width = 2 * COLUMNS * SCALE + 3 * GAP
    head = _draw_prompt(prompt, width - 2 * GAP)
    height = head.height + 2 * ROWS * SCALE + 24 + 5 * GAP
    frame = Image.new("RGB", (width, height), PAPER)
    frame.paste(head, (GAP, GAP))
    for column, view in enumerate(VIEWS):
        x, y = GAP + column * (COLUMNS * SCALE + GAP), head.height + 2 * GAP
        picture = _enlarge(Image.fromarray(seen.views[view].rgb))
        if action is not None:
            _draw_action(picture, action, column)
        frame.paste(picture, (x, y))
        frame.paste(_enlarge(Image.fromarray(paint(seen.views[view].segm))), (x, y + ROWS * SCALE + GAP))
    ImageDraw.Draw(frame).text((GAP, height - 24), caption, INK, _font(14))
    return frame


def write_film(frames: Sequence[Image.Image], path: Path) -> None:
    """Write frames as an animated GIF or PNG, by the path's ending."""
    first, *rest = frames
    first.save(path, save_all=True, append_images=rest, duration=FRAME_MS, loop=0)


def paint(segm: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a colour for each id, shape (rows, columns, 3): plane and table grey, others apart in hue."""
    colours = np.full((256, 3), 255, np.uint8)
    colours[:2] = ((200, 200, 200), (120, 120, 120))
    for name in range(2, 64):
        hue = (name * 0.381966) % 1.0
        colours[name] = [round(255 * part) for part in colorsys.hsv_to_rgb(hue, 0.75, 0.9)]
    found: NDArray[np.uint8] = colours[segm]
    return found


def _draw_prompt(prompt: ShownPrompt, width: int) -> Image.Image:
    """Return the words in lines, each placeholder as its top view."""
    font, rows, x, y = _font(18), THUMB[1] + GAP, 0, 0
    strip = Image.new("RGB", (width, 4 * rows), PAPER)
    pen = ImageDraw.Draw(strip)
    for placeholder, word in _WORDS.findall(prompt.template):
        thumb = _thumb(prompt.images[placeholder]) if placeholder else None
        length = THUMB[0] if thumb else round(pen.textlength(word, font))
        if x + length > width and x:
            x, y = 0, y + rows
        if thumb:
            strip.paste(thumb, (x, y))
        else:
            pen.text((x, y + THUMB[1] // 2 - 10), word, INK, font)
        x += length + GAP
    return strip.crop((0, 0, width, y + rows))


def _thumb(image: ShownImage) -> Image.Image:
    return Image.fromarray(image.views["top"].rgb).resize(THUMB, Image.Resampling.BOX)


def _draw_action(picture: Image.Image, action: TableAction, column: int) -> None:
    pen = ImageDraw.Draw(picture)
    ends = []
    for place, colour in ((action.pose0_position, PICK), (action.pose1_position, PLACE)):
        pixel = to_pixel(VIEWS[column], *place)
        x, y = (pixel.column + 0.5) * SCALE, (pixel.row + 0.5) * SCALE
        pen.ellipse((x - 5, y - 5, x + 5, y + 5), outline=colour, width=2)
        ends.append((x, y))
    pen.line(ends, fill=PLACE, width=1)


def _enlarge(picture: Image.Image) -> Image.Image:
    return picture.resize((picture.width * SCALE, picture.height * SCALE), Image.Resampling.NEAREST)


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
