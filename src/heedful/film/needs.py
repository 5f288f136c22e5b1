"""What a film needs beyond heedful itself, and what of it this machine lacks."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

from heedful.errors import InputError
from heedful.world.mujoco_g1.fallback import missing_parts

ENDINGS = {
    ".mp4": {"PIL": "film"},
    ".gif": {"PIL": "film"},
    ".webp": {"PIL": "film"},
    ".rrd": {"rerun": "rerun"},
}
"""What a film's file may end in; for each, the modules it needs and the extras that bring them."""
FFMPEG = "ffmpeg"
"""The program that writes `.mp4`."""


def missing_for(ending: str) -> tuple[str, ...]:
    """Return what is missing for a file that ends so, each with its remedy; nothing if all is there.

    Raises:
        InputError: If a fetched file of the simulation is there and is not the pinned one.
    """
    absent = {extra: name for name, extra in ENDINGS[ending].items() if find_spec(name) is None}
    packages = [f"{name}: pip install 'heedful[{extra}]'" for extra, name in absent.items()]
    if ending == ".mp4" and shutil.which(FFMPEG) is None:
        packages.append(f"{FFMPEG}: apt-get install {FFMPEG}, or write a .webp")
    return (*packages, *missing_parts())


def require(ending: str) -> None:
    """Refuse a film that cannot be made here.

    Raises:
        InputError: If the ending is not known, or something is missing; with the remedy.
    """
    if ending not in ENDINGS:
        raise InputError(f"A film cannot end in {ending!r}. Allowed: {', '.join(ENDINGS)}.")
    missing = missing_for(ending)
    if missing:
        raise InputError(f"A {ending} film needs what is missing here. {'; '.join(missing)}.")
