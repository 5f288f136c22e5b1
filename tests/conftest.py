"""How property-based tests run: the same examples every time, no limit of wall-clock time."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("heedful", deadline=None, derandomize=True)
settings.load_profile("heedful")
