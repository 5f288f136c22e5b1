"""The user's data folder: which pinned files are there, and the paths that the simulation opens."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from heedful.errors import InputError
from heedful.world.mujoco_g1.assets.pins import PinnedFile, PinnedPackage, fingerprint, load_pins

INSTALL_COMMAND = "heedful doctor --install sim"
"""What a user types to get the files."""
DATA_VARIABLE = "HEEDFUL_DATA"
"""The environment variable that names another data folder."""


class FileState(Enum):
    """What is found where a pinned file should lie."""

    PRESENT = "present"
    MISSING = "missing"
    DIFFERENT = "different"
    """Something lies there that is not the pinned file."""


@dataclass(frozen=True, slots=True)
class PackageState:
    """How much of one package is in the data folder."""

    package: PinnedPackage
    missing: tuple[str, ...]
    different: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every file is there and is the pinned one."""
        return not self.missing and not self.different


@dataclass(frozen=True, slots=True)
class G1Assets:
    """Checked files that the simulation opens."""

    model: Path
    """MJCF of the robot; its meshes lie beside it."""
    policy: Path
    """ONNX walking policy."""
    fingerprint: str
    """One hash over all of them, for the trace."""


def data_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return heedful's folder for this user's data; it need not exist.

    `HEEDFUL_DATA` if set, else `heedful` under `XDG_DATA_HOME`, else under `~/.local/share`.

    Args:
        environment: Environment variables; the process's own by default.
    """
    env = os.environ if environment is None else environment
    if own := env.get(DATA_VARIABLE):
        return Path(own).expanduser()
    shared = env.get("XDG_DATA_HOME", "")
    base = Path(shared) if Path(shared).is_absolute() else Path.home() / ".local" / "share"
    return base / "heedful"


def check_file(pin: PinnedFile, folder: Path) -> FileState:
    """Return what lies in `folder` in the place of one pinned file."""
    path = folder / pin.path
    try:
        if path.stat().st_size != pin.size:
            return FileState.DIFFERENT
        return FileState.PRESENT if pin.matches(path.read_bytes()) else FileState.DIFFERENT
    except FileNotFoundError:
        return FileState.MISSING
    except OSError:
        return FileState.DIFFERENT


def check_package(package: PinnedPackage, folder: Path) -> PackageState:
    """Return how much of `package` lies in `folder`."""
    states = {pin.path: check_file(pin, folder) for pin in package.files}
    return PackageState(
        package,
        tuple(path for path, state in states.items() if state is FileState.MISSING),
        tuple(path for path, state in states.items() if state is FileState.DIFFERENT),
    )


def check_assets(folder: Path | None = None) -> tuple[PackageState, ...]:
    """Return the state of every package; `folder` is the user's data folder by default."""
    where = data_folder() if folder is None else folder
    return tuple(check_package(package, where) for package in load_pins())


def find_assets(folder: Path | None = None) -> G1Assets | None:
    """Return the checked files, or None when some are absent.

    Raises:
        InputError: If a file is there and is not the pinned one; it is never opened.
    """
    where = data_folder() if folder is None else folder
    states = check_assets(where)
    for state in states:
        if state.different:
            raise InputError(
                f"{where / state.different[0]} is not the file that heedful pins "
                f"({state.package.requirement}). Replace it: {INSTALL_COMMAND}"
            )
    if not all(state.complete for state in states):
        return None
    paths = [where / pin.path for package in load_pins() for pin in package.files]
    model = next(path for path in paths if path.suffix == ".xml")
    policy = next(path for path in paths if path.suffix == ".onnx")
    return G1Assets(model, policy, fingerprint())


def load_assets(folder: Path | None = None) -> G1Assets:
    """Return the checked files.

    Raises:
        InputError: If one is absent or is not the pinned one, with the command that mends it.
    """
    assets = find_assets(folder)
    if assets is None:
        where = data_folder() if folder is None else folder
        raise InputError(f"The simulated G1's files are not in {where}. Fetch them: {INSTALL_COMMAND}")
    return assets
