"""`heedful report` and `heedful relabel`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.console import Console

from heedful.cli import DONE, GATE_FAILED
from heedful.film.clips import MOST_CLIPS, with_clips
from heedful.metrics.gates import parse_gate
from heedful.results import RunResult, read_results, render, write_reports
from heedful.run_folder import RunFolder
from heedful.spec.load import parse_spec, spec_text
from heedful.trace.codec import content_hash

Format = Literal["html", "json", "md", "junit", "sarif"]
Names = Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")]


def report(
    folder: Path, /, *, format: Format | None = None, fail_on: Names = None, clips: int = MOST_CLIPS
) -> int:
    """Write the report of a run folder, or print it in one format.

    Parameters
    ----------
    folder
        A run folder.
    format
        Print this format instead of writing all files: html, json, md, junit, sarif.
    fail_on
        Gates such as 'violations > 0'; a failed gate gives exit code 1.
    clips
        Clips of violations on the simulated layer in the page, at most.
    """
    run = RunFolder(folder)
    result = read_results(run, gates=tuple(parse_gate(text) for text in fail_on or ()))
    return _give(run, with_clips(result, clips), format)


def relabel(folder: Path, /, *, spec: str, format: Format | None = None) -> int:
    """Label a run's stored traces under another spec, without running anything.

    Parameters
    ----------
    folder
        A run folder.
    spec
        The spec to judge by, by name or file.
    format
        Print this format instead of writing files.
    """
    run = RunFolder(folder)
    text, where = spec_text(spec)
    judged_by = run.fit(parse_spec(text, where))
    result = read_results(run, spec=judged_by, spec_hash=content_hash(text))
    return _give(run, result, format, prefix=f"relabel-{judged_by.name}-")


def _give(run: RunFolder, result: RunResult, format: Format | None, prefix: str = "") -> int:
    if format is not None:
        sys.stdout.buffer.write(render(result, format))
    else:
        write_reports(run, result, prefix)
        result.print_tables(Console(), run.path)
    return GATE_FAILED if result.failed_gates else DONE
