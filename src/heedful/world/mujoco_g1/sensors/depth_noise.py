"""What a RealSense D435 makes of true depth: noise that grows with range, holes, shadows, flying pixels.

Numpy only. The picture of a stereo camera is a picture of disparities, so everything here scales with the
focal length in pixels and with the distance between the two imagers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Depth = NDArray[np.float32]
Mask = NDArray[np.bool_]

DISPARITY_STEPS = 32
"""The D435 tells disparities apart by steps of 1/32 pixel; pictures up to 1000 pixels wide fit 16 bits."""
BAND_ROWS = 40
"""A picture is worked on in bands that fit the processor's cache, in three quarters of the time [pixels]."""
LEVELS = 1 << 16
"""A chance is drawn as one of so many levels."""


@dataclass(frozen=True, slots=True)
class D435Noise:
    """How a stereo camera errs; 0 in a picture means that a pixel has no depth.

    Source: RMS error = z^2 * subpixel / (focal length * baseline), Intel's formula for stereo depth.
    Baseline, least and greatest range are the D435's. The shares of holes and flying pixels are ours.
    """

    baseline_m: float = 0.05
    """Between the two imagers [m]."""
    subpixel: float = 0.08
    """RMS error of a matched disparity [pixels]."""
    patch_px: int = 2
    """Pixels in a square of this side err alike, since a match spans a window [pixels]."""
    minimum_m: float = 0.28
    """Nearer surfaces have no depth [m]: the D435's figure at full resolution; smaller pictures reach 0.2."""
    maximum_m: float = 10.0
    """Farther surfaces have no depth [m]."""
    hole_share: float = 0.005
    """Share of pixels without depth straight ahead and near."""
    far_hole_share: float = 0.2
    """What is added to that share at the greatest range, growing with the square of range."""
    grazing_hole_share: float = 0.3
    """What is added to that share where a surface is seen edge on."""
    grazing: tuple[float, float] = (6.0, 20.0)
    """Tangents of the angle of incidence between which that share grows from none to all."""
    edge_ratio: float = 0.06
    """Neighbouring pixels whose depths differ by more than this share of the nearer one lie on an edge."""
    edge_hole_share: float = 0.3
    """Share of the pixels on an edge without depth."""
    flying_share: float = 0.3
    """Share of the pixels on an edge that hang between the near and the far surface."""

    def rms_m(self, range_m: float, focal_px: float) -> float:
        """Return the RMS error of depth at this range [m], before holes and edges."""
        return range_m**2 * self.subpixel / (focal_px * self.baseline_m)

    def apply(self, depth: Depth, focal_px: float, rng: np.random.Generator) -> Depth:
        """Return what the camera reports.

        Args:
            depth: True depth along the optical axis, shape (h, w) [m]; infinite where there is nothing.
            focal_px: Focal length of that picture [pixels].
            rng: Where the noise comes from.

        Returns:
            Depth of the same shape [m], 0 where the camera has none.
        """
        sensed = np.empty(depth.shape, np.float32)
        for top in range(0, len(depth), BAND_ROWS):
            band = depth[top : top + BAND_ROWS + 1]  # and a row more, to step down to
            sensed[top : top + BAND_ROWS] = self._band(band, focal_px, rng)[:BAND_ROWS]
        return sensed

    def _band(self, depth: Depth, focal_px: float, rng: np.random.Generator) -> Depth:
        true = np.minimum(depth, np.float32(2 * self.maximum_m))
        chance = rng.integers(0, LEVELS, true.shape, dtype=np.uint16)
        spread = rng.standard_normal(self._patches(true.shape), dtype=np.float32)
        step = _steps(true)
        slope = np.abs(step)
        lost = chance < self._hole_levels(true, slope, focal_px)
        lost |= (true < self.minimum_m) | self._shadowed(true, focal_px)
        edges = np.flatnonzero(slope > np.float32(self.edge_ratio) * true)
        met = true.copy()
        self._disturb_edges(edges, chance.ravel(), step.ravel(), met.ravel(), lost.ravel())
        sensed = met + met * met * self._unit(spread, true.shape, focal_px)
        lost |= (sensed > self.maximum_m) | (sensed <= 0.0)
        sensed[lost] = 0.0
        return sensed

    def _patches(self, shape: tuple[int, ...]) -> tuple[int, int]:
        return -(-shape[0] // self.patch_px), -(-shape[1] // self.patch_px)

    def _unit(self, spread: Depth, shape: tuple[int, ...], focal_px: float) -> Depth:
        """Return the error at 1 m, shape (h, w) [m]: the same over each patch."""
        scaled = spread * np.float32(self.rms_m(1.0, focal_px))
        whole = scaled.repeat(self.patch_px, axis=1).repeat(self.patch_px, axis=0)
        return whole[: shape[0], : shape[1]]

    def _shadowed(self, true: Depth, focal_px: float) -> Mask:
        """Return where a nearer surface hides the point from the second imager.

        The left imager is the reference: a pixel at column u is matched at u less its disparity, and is
        hidden if a pixel to its right is matched there or farther left.
        """
        height, width = true.shape
        disparity = np.float32(DISPARITY_STEPS * focal_px * self.baseline_m) / true
        margin = int(focal_px * self.baseline_m / self.minimum_m) + 1
        matched = np.full((height, width + 2 * margin), np.iinfo(np.int16).max, np.int16)
        matched[:, :width] = np.arange(width, dtype=np.float32) * DISPARITY_STEPS - disparity
        least, spare, reach = matched.flatten(), matched.flatten(), 1
        while reach <= margin:
            np.minimum(least[:-reach], least[reach:], out=spare[:-reach])
            least, spare, reach = spare, least, 2 * reach
        return (matched > least.reshape(matched.shape))[:, :width]

    def _hole_levels(self, true: Depth, slope: Depth, focal_px: float) -> Depth:
        """Return each pixel's chance of having no depth, in levels."""
        start, end = self.grazing
        share = true * true * np.float32(self.far_hole_share / self.maximum_m**2)
        share += np.float32(self.hole_share)
        tangent = slope * np.float32(focal_px) / true
        tangent -= np.float32(start)
        tangent *= np.float32(1.0 / (end - start))
        np.clip(tangent, 0.0, 1.0, out=tangent)
        tangent *= np.float32(self.grazing_hole_share)
        share += tangent
        share *= np.float32(LEVELS)
        return share

    def _disturb_edges(
        self, edges: NDArray[np.intp], chance: NDArray[np.uint16], step: Depth, met: Depth, lost: Mask
    ) -> None:
        """Let pixels on edges have no depth or hang between the surfaces; changes the last two arrays."""
        drawn = chance[edges] / LEVELS
        hole = drawn >= 1.0 - self.edge_hole_share
        lost[edges[hole]] = True
        reach = (1.0 - self.edge_hole_share - drawn) / self.flying_share
        flying = (reach > 0.0) & (reach <= 1.0)
        met[edges[flying]] += (reach * step[edges])[flying].astype(np.float32)


def _steps(true: Depth) -> Depth:
    """Return the greater of the steps to the pixel at the right and the one below, shape (h, w) [m]."""
    across, down = np.empty_like(true), np.empty_like(true)
    np.subtract(true.ravel()[1:], true.ravel()[:-1], out=across.ravel()[:-1])
    np.subtract(true[1:], true[:-1], out=down[:-1])
    across[:, -1], down[-1] = 0.0, 0.0
    np.copyto(across, down, where=np.abs(down) > np.abs(across))
    return across
