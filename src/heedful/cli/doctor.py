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
from typing import Annotated

import orjson
from cyclopts import Parameter
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from heedful.cli import DONE
from heedful.version import __version__

KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openrouter": ("OPENROUTER_API_KEY",),
}
OPTIONAL = {"z3": ("heedful spec check", "check")}
MINIMUM_FREE_MB = 200


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing this machine has or lacks."""

    what: str
    has: bool
    detail: str
    fix: str = ""


def doctor(*, json: Annotated[bool, Parameter(negative="")] = False) -> int:
    """Tell what this machine has and lacks, with the fix for each. Nothing here is needed for the main job.

    Parameters
    ----------
    json
        Print findings as JSON.
    """
    findings = [*_basics(), *_packages(), *_keys()]
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
