"""Two bones that reach for a point: where the joint between them lies."""

from __future__ import annotations

import math

Vec = tuple[float, float, float]

STRAIGHT = 0.999
"""A limb is stretched to this share of its length at most, so that its joint knows where to bend."""


def add(a: Vec, b: Vec) -> Vec:
    """Return the sum of two vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def scaled(a: Vec, factor: float) -> Vec:
    """Return a multiple of a vector."""
    return (a[0] * factor, a[1] * factor, a[2] * factor)


def between(a: Vec, b: Vec, share: float) -> Vec:
    """Return the point at a share of the way from one point to another."""
    return (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share)


def unit(a: Vec) -> Vec:
    """Return the direction of a vector that is not zero."""
    return scaled(a, 1 / math.hypot(*a))


def towards(start: Vec, target: Vec, limit: float) -> Vec:
    """Return `target`, or the point on the way to it that is `limit` from `start` [m]."""
    way = math.dist(start, target)
    return target if way <= limit else between(start, target, limit / way)


def joint(start: Vec, end: Vec, upper: float, lower: float, bend: Vec) -> Vec:
    """Return where the middle joint of two bones lies.

    Args:
        start: Where the upper bone begins.
        end: Where the lower bone ends, nearer than both lengths and farther than their difference.
        upper: Length of the upper bone [m].
        lower: Length of the lower bone [m].
        bend: Which way the joint yields; not along the limb.
    """
    way = math.dist(start, end)
    axis = unit(add(end, scaled(start, -1)))
    along = (way * way + upper * upper - lower * lower) / (2 * way)
    aside = math.sqrt(max(0.0, upper * upper - along * along))
    parallel = sum(a * b for a, b in zip(axis, bend, strict=True))
    outward = unit(add(bend, scaled(axis, -parallel)))
    return add(add(start, scaled(axis, along)), scaled(outward, aside))
