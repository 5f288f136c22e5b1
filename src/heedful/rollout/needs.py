"""What the tabletop needs beyond heedful itself."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from heedful.errors import InputError

PACKAGES: Mapping[str, str] = {"mujoco": "tabletop", "cv2": "tabletop"}
PICTURES: Mapping[str, str] = {**PACKAGES, "PIL": "film"}
"""Modules that writing pictures needs, and the extras that bring them."""


def require(packages: Mapping[str, str] = PACKAGES) -> None:
    """Refuse to go on without these modules.

    Raises:
        InputError: If one is missing; with the remedy.
    """
    missing = {name: extra for name, extra in packages.items() if find_spec(name) is None}
    if missing:
        extras = ",".join(sorted(set(missing.values())))
        raise InputError(
            f"The tabletop needs what is missing here: {', '.join(missing)}. pip install 'heedful[{extras}]'"
        )
