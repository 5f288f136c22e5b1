"""What a policy is shown: both views of the table, and the prompt with its pictures.

No ground truth beyond the segmentation that the original gives its policies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.scene import EndEffector
from heedful.state.tabletop.workspace import View

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TableView:
    """One camera's picture."""

    rgb: Image
    """Shape (128, 256, 3)."""
    segm: Image
    """Ids, shape (128, 256); 255 where nothing was drawn."""


@dataclass(frozen=True, slots=True)
class TableObservation:
    """The table before a step."""

    views: Mapping[View, TableView]
    end_effector: EndEffector
    object_ids: tuple[int, ...]
    """Ids of the scene's objects in the order of their making, visible or not."""


@dataclass(frozen=True, slots=True)
class ShownObject:
    """One object of a prompt's picture."""

    id: int
    """Its id in that picture's segmentation."""
    name: str
    texture: str


@dataclass(frozen=True, slots=True)
class ShownImage:
    """What stands in the place of one placeholder."""

    views: Mapping[View, TableView]
    objects: tuple[ShownObject, ...]


@dataclass(frozen=True, slots=True)
class ShownPrompt:
    """The prompt as a policy gets it."""

    template: str
    """Words, with placeholders in braces."""
    images: Mapping[str, ShownImage]
    """By the placeholder's name."""
