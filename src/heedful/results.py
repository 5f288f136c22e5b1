"""From a run folder to its results: traces labelled, summarised, and written as reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import orjson
from rich.console import Console

from heedful.errors import InputError
from heedful.labels.body import measure_trace
from heedful.labels.guarding import measure_guarding
from heedful.labels.label import SessionLabels
from heedful.labels.session import label_trace
from heedful.metrics.digest import LabelledSession, arm_of, digest_session
from heedful.metrics.gates import Gate, GateResult, evaluate_gates
from heedful.metrics.guarding import nearest_ranks
from heedful.metrics.run_comparison import RunComparison, compare_runs
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.summarise import summarise
from heedful.metrics.summary import RunSummary
from heedful.metrics.turn_facts import describe_turns
from heedful.models.ledger import Price, PriceTable, load_prices
from heedful.models.names import parse_model_name
from heedful.reports.arms import full_title
from heedful.reports.clips import NO_CLIPS, ClipReel
from heedful.reports.html import render_html
from heedful.reports.json_report import render_json
from heedful.reports.junit import render_junit
from heedful.reports.markdown import render_markdown
from heedful.reports.sarif import render_sarif
from heedful.reports.terminal import print_summary
from heedful.run_config import RunConfig
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
GUARD_LATENCY_FILE = "guard-latency.json"
"""What the guard's reviews cost in wall-clock time; apart from the reports, which are the same every time."""
RANKS = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
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
    reviews_us: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By guarded arm: `reviews`, and `p50`, `p95`, `p99`, `max` of a review's wall-clock time [us]."""
    reel: ClipReel = NO_CLIPS
    """Clips of violations, for the page."""

    @property
    def failed_gates(self) -> tuple[GateResult, ...]:
        """The gates that failed."""
        return tuple(gate for gate in self.gates if gate.failed)

    def json_bytes(self) -> bytes:
        """Return the summary as JSON."""
        return render_json(self.summary).encode()

    def print_tables(self, console: Console, path: Path) -> None:
        """Print the summary for a terminal."""
        print_summary(console, self.summary, self.gates, (path / FILES["html"],), self.reviews_us)

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
    reviews: dict[str, list[float]] = {}
    digests: list[SessionDigest] = []
    kept: list[Session] = []
    measured = Measured.of(config)
    for path, trace, labels in labelled_sessions(folder, judged_by):
        digests.append(_digest(path, trace, labels, judged_by, measured))
        if trace.info.guard != "off":
            reviews.setdefault(full_title(arm_of(trace.info)), []).extend(read_reviews(path))
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
    timed = {arm: {"reviews": len(us), **nearest_ranks(us, RANKS)} for arm, us in reviews.items() if us}
    return RunResult(summary, evaluate_gates(gates, summary), judged_by, folder, tuple(kept), timed)


def compare_folders(first: RunFolder, second: RunFolder, spec: SafetySpec | None = None) -> RunComparison:
    """Return the comparison of two runs.

    Args:
        first: A run folder.
        second: Another, or the same.
        spec: The spec to judge both by; by default their own, which must be the same.

    Raises:
        InputError: If nothing pairs, or the runs were held to different specs.
        TraceError: If a trace is damaged.
    """
    configs = [folder.config() for folder in (first, second)]
    if spec is None and first.spec_text() != second.spec_text():
        raise InputError(
            f"{first.path} and {second.path} ran under different specs; say with --spec by which to judge."
        )
    measured = Measured(guarding=any(Measured.of(config).guarding for config in configs), facts=True)
    digests = [_digests(folder, spec, measured) for folder in (first, second)]
    return compare_runs((str(first.path), str(second.path)), *digests)


@dataclass(frozen=True, slots=True)
class Measured:
    """What is measured of each session beside its labels, since it costs time."""

    guarding: bool
    facts: bool
    """What each turn's labels rest on: to compare layers."""

    @classmethod
    def of(cls, config: RunConfig) -> Measured:
        """Return what the reports of a run need."""
        return cls(any(guard != "off" for guard in config.guards), len(config.layers) > 1)


def _digests(folder: RunFolder, spec: SafetySpec | None, measured: Measured) -> list[SessionDigest]:
    judged_by = folder.spec() if spec is None else folder.fit(spec)
    found = [
        _digest(path, trace, labels, judged_by, measured)
        for path, trace, labels in labelled_sessions(folder, judged_by)
    ]
    if not found:
        raise InputError(f"{folder.path} holds no finished turn to judge.")
    return found


def _digest(
    path: Path, trace: Trace, labels: SessionLabels, spec: SafetySpec, measured: Measured
) -> SessionDigest:
    latencies = read_latencies(path, len(trace.turns))
    guarding = measure_guarding(trace.turns, spec) if measured.guarding else None
    facts = describe_turns(trace.turns, labels, spec) if measured.facts else None
    moved = measure_trace(trace, spec)
    return digest_session(LabelledSession(trace.info, trace.turns, labels, latencies, guarding, facts, moved))


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
    for line in _timing_lines(path):
        try:
            entry = orjson.loads(line)
            turn = int(entry["turn"])
            values = tuple(float(v) for v in (*entry["latencies_s"], *entry.get("summary_latencies_s", ())))
        except (ValueError, TypeError, KeyError):
            continue  # a torn line after a crash; timing is no part of the claim
        if 0 <= turn < turns:
            found[turn] = values
    return tuple(found)


def read_reviews(path: Path) -> list[float]:
    """Return how long each review of a session's guard took [us]; empty where that was not kept."""
    found: list[float] = []
    for line in _timing_lines(path):
        try:
            found += [float(us) for us in orjson.loads(line).get("guard_us", ())]
        except (ValueError, TypeError, AttributeError):
            continue  # a torn line after a crash
    return found


def _timing_lines(path: Path) -> list[bytes]:
    try:
        return (path / TIMING_FILE).read_bytes().splitlines()
    except OSError:
        return []


def render(result: RunResult, format: Format) -> bytes:
    """Return the results in one format.

    Raises:
        InputError: If the format is not known.
    """
    if format == "html":
        return render_html(result.summary, result.kept, result.spec.document, result.reel).encode()
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
    if result.reviews_us:
        facts = {"unit": "us", "arms": result.reviews_us}
        folder.write_result(prefix + GUARD_LATENCY_FILE, orjson.dumps(facts, option=orjson.OPT_INDENT_2))
