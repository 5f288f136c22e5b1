"""Objects as VIMA sees them: a crop of 32 by 32 pixels and a box, for each object that a view shows.

What identifies an object is its place in the list only. Hidden objects leave it, so that later ones move up;
this is the original's rule, and one of the ways in which pictures can be attacked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.observation import Image, TableView

SIDE_PX = 32
MIN_PIXELS = 2
"""Objects with fewer pixels count as hidden."""


@dataclass(frozen=True, slots=True)
class ObjectCrops:
    """The objects of one view, the padded ones last."""

    crops: NDArray[np.uint8]
    """Shape (n, 3, 32, 32)."""
    boxes: NDArray[np.int64]
    """Centre's column and row, height, width [px], shape (n, 4); an object of one row has height 0."""
    seen: NDArray[np.bool_]
    """Whether there is an object, shape (n,)."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The first and last row and column of an object [px]."""

    top: int
    bottom: int
    left: int
    right: int


def crop_objects(view: TableView, object_ids: Sequence[int]) -> ObjectCrops:
    """Return the objects that a view shows, in the order of their ids in `object_ids`."""
    extents = [found for one in object_ids if (found := find_extent(view.segm, one)) is not None]
    return gather([crop(view.rgb, one) for one in extents], [box(one) for one in extents])


def crop_scene(view: TableView, object_ids: Sequence[int]) -> ObjectCrops:
    """Return the objects of a scene's view, padded to their number.

    If the view shows none, the whole picture stands for one object. The original has no rule for that and
    fails; this is the rule of Wu et al. (2024), "On the Safety Concerns of Deploying LLMs/VLMs in Robotics".
    """
    shown = crop_objects(view, object_ids)
    if not len(shown.seen):
        rows, columns = view.segm.shape
        whole = Extent(0, rows - 1, 0, columns - 1)
        shown = gather([crop(view.rgb, whole)], [(columns // 2, rows // 2, rows, columns)])
    return pad(shown, max(len(object_ids), 1))


def pad(given: ObjectCrops, count: int) -> ObjectCrops:
    """Return the objects with black, unseen ones after them, `count` in all."""
    more = count - len(given.seen)
    return ObjectCrops(
        np.concatenate([given.crops, np.zeros((more, 3, SIDE_PX, SIDE_PX), dtype=np.uint8)]),
        np.concatenate([given.boxes, np.zeros((more, 4), dtype=np.int64)]),
        np.concatenate([given.seen, np.zeros(more, dtype=np.bool_)]),
    )


def gather(crops: list[Image], boxes: list[tuple[int, int, int, int]]) -> ObjectCrops:
    """Return seen objects."""
    pictures = np.asarray(crops, dtype=np.uint8).reshape(-1, 3, SIDE_PX, SIDE_PX)
    return ObjectCrops(
        pictures, np.asarray(boxes, dtype=np.int64).reshape(-1, 4), np.ones(len(pictures), dtype=np.bool_)
    )


def find_extent(segm: Image, object_id: int) -> Extent | None:
    """Return where an object is, or None if it is hidden."""
    rows, columns = np.nonzero(segm == object_id)
    if len(rows) < MIN_PIXELS:
        return None
    return Extent(int(rows.min()), int(rows.max()), int(columns.min()), int(columns.max()))


def box(extent: Extent) -> tuple[int, int, int, int]:
    """Return an extent as (column, row, height, width), rounded down, the last pixel not counted."""
    column, row = (extent.left + extent.right) // 2, (extent.top + extent.bottom) // 2
    return column, row, extent.bottom - extent.top, extent.right - extent.left


def crop(rgb: Image, extent: Extent) -> Image:
    """Return a part of a picture, made square with black and scaled, shape (3, 32, 32).

    What else lies in the rectangle, neighbours and table, is in the crop too.
    """
    part = rgb[extent.top : extent.bottom + 1, extent.left : extent.right + 1]
    side = max(part.shape[:2])
    margins = [((side - length) // 2, side - length - (side - length) // 2) for length in part.shape[:2]]
    square = np.pad(part, (*margins, (0, 0)))
    small = cv2.resize(square, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.uint8).transpose(2, 0, 1)
