"""From a run folder to its results: traces labelled, summarised, and written as reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson
from rich.console import Console

from heedful.errors import InputError
from heedful.labels.label import SessionLabels
from heedful.labels.session import label_trace
from heedful.metrics.digest import LabelledSession, digest_session
from heedful.metrics.gates import Gate, GateResult, evaluate_gates
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.summarise import summarise
from heedful.metrics.summary import RunSummary
from heedful.models.ledger import Price, PriceTable, load_prices
from heedful.models.names import parse_model_name
from heedful.reports.html import render_html
from heedful.reports.json_report import render_json
from heedful.reports.junit import render_junit
from heedful.reports.markdown import render_markdown
from heedful.reports.sarif import render_sarif
from heedful.reports.terminal import print_summary
from heedful.run_folder import RunFolder
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.reader import Trace, read_trace
from heedful.trace.writer import TIMING_FILE

Session = tuple[Trace, SessionLabels]
Format = Literal["html", "json", "md", "junit", "sarif"]
FILES: dict[Format, str] = {
    "html": "report.html",
    "json": "summary.json",
    "md": "report.md",
    "junit": "junit.xml",
    "sarif": "report.sarif",
}
FREE = Price(0.0, 0.0)
"""What a model on the user's own machine costs."""
MAX_TIMELINES = 72
"""Sessions whose turns can be opened in the page; every session counts in the figures."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run's summary, its gates, and the sessions to look into."""

    summary: RunSummary
    gates: tuple[GateResult, ...]
    spec: SafetySpec
    folder: RunFolder
    kept: tuple[Session, ...]
    """The first sessions, for timelines."""

    @property
    def failed_gates(self) -> tuple[GateResult, ...]:
        """The gates that failed."""
        return tuple(gate for gate in self.gates if gate.failed)

    def json_bytes(self) -> bytes:
        """Return the summary as JSON."""
        return render_json(self.summary).encode()

    def print_tables(self, console: Console, path: Path) -> None:
        """Print the summary for a terminal."""
        print_summary(console, self.summary, self.gates, (path / FILES["html"],))

    def sessions(self) -> Iterator[Session]:
        """Yield every session of the run, from memory where all were kept."""
        if len(self.kept) == self.summary.sessions:
            yield from self.kept
        else:
            yield from ((trace, labels) for _, trace, labels in labelled_sessions(self.folder, self.spec))


def read_results(
    folder: RunFolder, *, spec: SafetySpec | None = None, spec_hash: str = "", gates: Sequence[Gate] = ()
) -> RunResult:
    """Return the results of the sessions that `folder` holds, finished or not.

    Args:
        folder: A run folder.
        spec: The spec to judge by; the run's own when None.
        spec_hash: Hash of that spec's text, when it is not the run's own.
        gates: What may not be true.

    Raises:
        InputError: If there is no session to judge.
        TraceError: If a trace is damaged.
    """
    config = folder.config()
    judged_by = spec or folder.spec()
    digests: list[SessionDigest] = []
    kept: list[Session] = []
    for path, trace, labels in labelled_sessions(folder, judged_by):
        latencies = read_latencies(path, len(trace.turns))
        digests.append(digest_session(LabelledSession(trace.info, trace.turns, labels, latencies)))
        if len(kept) < MAX_TIMELINES:
            kept.append((trace, labels))
    if not digests:
        raise InputError(f"{folder.path} holds no finished turn to judge.")
    table = load_prices()
    summary = summarise(
        digests,
        spec=judged_by,
        expected_sessions=len(config.cells()),
        seed=config.seed,
        prices={model: _price(table, model) for model in config.models},
        spec_hash=spec_hash,
    )
    return RunResult(summary, evaluate_gates(gates, summary), judged_by, folder, tuple(kept))


def _price(table: PriceTable, model: str) -> Price | None:
    is_free = model.startswith("reference/") or parse_model_name(model).is_own_machine
    return FREE if is_free else table.price_of(model)


def labelled_sessions(folder: RunFolder, spec: SafetySpec) -> Iterator[tuple[Path, Trace, SessionLabels]]:
    """Yield each session of a run that finished a turn, with its labels, by name; one in memory at a time."""
    for path in folder.begun_sessions():
        trace = read_trace(path)
        if trace.turns:
            yield path, trace, label_trace(trace, spec)


def read_latencies(path: Path, turns: int) -> tuple[tuple[float, ...], ...]:
    """Return each turn's model latencies [s]; empty where they were not kept."""
    found: list[tuple[float, ...]] = [()] * turns
    try:
        lines = (path / TIMING_FILE).read_bytes().splitlines()
    except OSError:
        return tuple(found)
    for line in lines:
        try:
            entry = orjson.loads(line)
            turn = int(entry["turn"])
            values = tuple(float(v) for v in (*entry["latencies_s"], *entry.get("summary_latencies_s", ())))
        except (ValueError, TypeError, KeyError):
            continue  # a torn line after a crash; timing is no part of the claim
        if 0 <= turn < turns:
            found[turn] = values
    return tuple(found)


def render(result: RunResult, format: Format) -> bytes:
    """Return the results in one format.

    Raises:
        InputError: If the format is not known.
    """
    if format == "html":
        return render_html(result.summary, result.kept, result.spec.document).encode()
    if format == "json":
        return result.json_bytes()
    if format == "md":
        return render_markdown(result.summary, result.spec.document).encode()
    if format == "junit":
        return render_junit(result.summary, result.sessions()).encode()
    if format == "sarif":
        return render_sarif(result.summary, result.sessions(), result.spec.document).encode()
    raise InputError(f"Format {format!r} is not known. Known: {', '.join(FILES)}.")


def write_reports(folder: RunFolder, result: RunResult, prefix: str = "") -> None:
    """Write every report file into the run folder."""
    for format, name in FILES.items():
        folder.write_result(prefix + name, render(result, format))
