"""How property-based tests run: the same examples every time, no limit of wall-clock time."""

from __future__ import annotations

import contextlib

from hypothesis import settings

with contextlib.suppress(ImportError):
    import z3  # noqa: F401 - Mesa's LLVM loads the system's libz3; after that z3's own ends the process

settings.register_profile("heedful", deadline=None, derandomize=True)
settings.load_profile("heedful")
