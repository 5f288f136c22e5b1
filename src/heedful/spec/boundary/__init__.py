"""Boundary cases generated from a spec: each threshold just inside, at and just outside, and what to expect.

The expectations are worked out on paper (exact fractions, plain plane geometry), never by the
evaluation they are meant to test. Values are raw: a consumer screens them as it would a sensor's.
"""

from heedful.spec.boundary.case import BoundaryCase, render_boundary_cases
from heedful.spec.boundary.generate import boundary_cases

__all__ = ["BoundaryCase", "boundary_cases", "render_boundary_cases"]
