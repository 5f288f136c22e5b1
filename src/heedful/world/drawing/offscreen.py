"""A place to draw the scenes of one model in: an OpenGL context and MuJoCo's buffers, given back at the end.

Above: whoever knows what to look at and what a picture means (cameras, the tabletop's views, films).
"""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from heedful.errors import InputError
from heedful.world.drawing.gl import open_context

Pixels = NDArray[np.uint8]
Depth = NDArray[np.float32]

UNSMOOTHED: Mapping[str, int] = {"offsamples": 0, "shadowsize": 0}
"""No smoothed edges and no shadow maps: what sensors need, and fast."""


class Offscreen:
    """Draws scenes; everything is read with row 0 at the top."""

    def __init__(
        self,
        model: Any,
        width: int,
        height: int,
        quality: Mapping[str, int] = UNSMOOTHED,
        depth_map: Any = mujoco.mjtDepthMap.mjDEPTH_ZERONEAR,
    ) -> None:
        """Make the context.

        Args:
            model: A compiled `mjModel`, left as it was.
            width: Of the pictures [pixels].
            height: Of the pictures [pixels].
            quality: Settings of `vis.quality` that the context is made with.
            depth_map: Which end of the depth buffer is zero.

        Raises:
            InputError: If this machine can make no OpenGL context.
        """
        self.width, self.height = width, height
        self._rect = mujoco.MjrRect(0, 0, width, height)
        self._gl = open_context(width, height)
        self._gl.make_current()
        with _set_for_a_while(model, width, height, quality):
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._context.readDepthMap = depth_map
        atexit.register(_close_at_exit, weakref.ref(self))

    def close(self) -> None:
        """Give the context back; a second call does nothing."""
        if self._gl is not None:
            self._gl.make_current()
            self._context.free()
            self._gl.free()
            self._gl = None

    def draw(self, scene: Any) -> None:
        """Draw a scene, to be read next.

        Raises:
            InputError: If the context was given back.
        """
        if self._gl is None:
            raise InputError("This renderer is closed; open another.")
        self._gl.make_current()
        mujoco.mjr_render(self._rect, scene, self._context)

    def read_rgb(self) -> Pixels:
        """Return what was drawn last, shape (h, w, 3)."""
        rgb = np.empty((self.height, self.width, 3), np.uint8)
        mujoco.mjr_readPixels(rgb, None, self._rect, self._context)
        return rgb[::-1]

    def read_depth(self) -> Depth:
        """Return the raw depth of what was drawn last, shape (h, w), from 0 to 1 as `depth_map` has it."""
        raw = np.empty((self.height, self.width), np.float32)
        mujoco.mjr_readPixels(None, raw, self._rect, self._context)
        return raw[::-1]


def switch_off(scene: Any, *effects: str) -> None:
    """Switch effects of drawing off, such as `SHADOW`."""
    for effect in effects:
        scene.flags[getattr(mujoco.mjtRndFlag, f"mjRND_{effect}")] = 0


@contextmanager
def identities(scene: Any) -> Iterator[None]:
    """Draw flat ids instead of lit surfaces: pixels then say whose they are, and depth stays the same."""
    flags = [int(mujoco.mjtRndFlag.mjRND_SEGMENT), int(mujoco.mjtRndFlag.mjRND_IDCOLOR)]
    scene.flags[flags] = 1
    try:
        yield
    finally:
        scene.flags[flags] = 0


def _close_at_exit(offscreen: weakref.ref[Offscreen]) -> None:
    """Close what was left open, before the graphics library is taken down under it."""
    left = offscreen()
    if left is not None:
        left.close()


@contextmanager
def _set_for_a_while(model: Any, width: int, height: int, quality: Mapping[str, int]) -> Iterator[None]:
    settings, size = model.vis.quality, model.vis.global_
    kept = {name: getattr(settings, name) for name in quality}
    kept_size = (size.offwidth, size.offheight)
    size.offwidth, size.offheight = width, height
    for name, value in quality.items():
        setattr(settings, name, value)
    try:
        yield
    finally:
        size.offwidth, size.offheight = kept_size
        for name, value in kept.items():
            setattr(settings, name, value)
