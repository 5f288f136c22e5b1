"""`heedful compare`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from heedful.cli import DONE
from heedful.reports.run_comparison import print_comparison, render_comparison_json
from heedful.results import compare_folders
from heedful.run_folder import RunFolder
from heedful.spec.load import parse_spec, spec_text


def compare(
    first: Path,
    second: Path,
    /,
    *,
    spec: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Compare two runs: arms by name, sessions of the same scenario and seed.

    Runs on different layers are compared turn by turn besides.

    Parameters
    ----------
    first
        A run folder: A.
    second
        Another: B. Differences are B minus A.
    spec
        Judge both by this spec, by name or file; without it both must have run under the same.
    json
        Print the comparison as JSON instead of tables.
    """
    judged_by = parse_spec(*spec_text(spec)) if spec is not None else None
    comparison = compare_folders(RunFolder(first), RunFolder(second), judged_by)
    if json:
        sys.stdout.buffer.write(render_comparison_json(comparison).encode())
    else:
        print_comparison(Console(), comparison)
    return DONE
