"""Guard logs for tests: a header, arbitrary records, and whole logs as bytes."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from hypothesis import strategies as st

from heedful.guards.audit.check import LogCheck, check_log
from heedful.guards.audit.codec import encode_line, hash_of
from heedful.guards.audit.records import (
    KIND_OF,
    Closed,
    Decided,
    Intervened,
    Noted,
    Opened,
    OperatorAct,
    OperatorDeed,
    Outcome,
    OutcomeStatus,
    Record,
    Sensed,
    Sent,
)
from heedful.guards.guard import Command, Intervention
from heedful.guards.settings import GuardSettings, Margin
from heedful.spec.load import parse_spec, spec_text
from heedful.state.geometry import Pose
from heedful.trace.codec import GENESIS, content_hash
from heedful.trace.decision import Decision, DecisionKind
from heedful.trace.records import Reading

TEXT, _ = spec_text("iso10218-humanoid")
SPEC = parse_spec(TEXT)

texts = st.text(max_size=12)
times = st.floats(0, 1e6)
values = st.one_of(st.floats(-1e9, 1e9), st.booleans(), st.none(), texts)
readings = st.dictionaries(texts, st.builds(Reading, values, times), max_size=3)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.floats(), st.booleans(), st.none(), texts, st.integers()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=3,
)
arguments = st.dictionaries(texts, json_values, max_size=4)
names = st.lists(texts, max_size=3).map(tuple)
sent = st.none() | st.builds(Sent, texts, arguments)
commands = st.none() | st.builds(Command, texts, texts, arguments, st.booleans())
decisions = st.builds(Decision, st.sampled_from(get_args(DecisionKind)), names, texts, arguments)
interventions = st.builds(
    Intervention, st.sampled_from(["stop", "limit", "sit_down"]), names, texts, st.floats()
)
poses = st.none() | st.builds(Pose, st.floats(), st.floats(), st.floats())
records: st.SearchStrategy[Record] = st.one_of(
    st.builds(Sensed, times, readings),
    st.builds(
        Decided,
        times,
        texts,
        arguments,
        commands,
        decisions,
        sent,
        texts,
        st.booleans(),
        names,
        names,
        readings,
        poses,
        texts,
        st.floats(),
        texts,
    ),
    st.builds(Intervened, times, interventions, texts, sent, commands),
    st.builds(OperatorAct, times, st.sampled_from(get_args(OperatorDeed)), st.booleans(), texts, names),
    st.builds(Noted, times, texts, texts, st.none() | st.integers(1, 9)),
)
statuses = st.sampled_from(get_args(OutcomeStatus))


def header(at_s: float = 0.0, **changes: Any) -> Opened:
    """Return the first record of a log of a guard that enforces the shipped spec."""
    opened = Opened(
        at_s,
        "2026-03-01T08:00:00+00:00",
        "0.1.0",
        SPEC.name,
        SPEC.version,
        content_hash(TEXT),
        TEXT,
        dict(SPEC.document.tools),
        SPEC.limits,
        GuardSettings({"human.distance": Margin(0.1, 1.6)}),
        "heedful-robot",
        "1.0",
        "0123456789abcdef",
        "robot",
        "2.0",
        "fedcba9876543210",
    )
    return replace(opened, **changes)


SHORT = header(spec_text="", tools={})
"""A header of a few hundred bytes, so that changes to a log fall on its other records as well."""


def chained(found: Sequence[Record], *, closed: bool = False) -> bytes:
    """Return a log of these records, with a closing record if wanted."""
    data, previous = b"", GENESIS
    for number, record in enumerate(found, start=1):
        line = encode_line(record, number, previous)
        data, previous = data + line, hash_of(line)
    if closed:
        closing = Closed(1e6, "the client left", *sums(found), previous)
        data += encode_line(closing, len(found) + 1, previous)
    return data


def sums(found: Sequence[Record]) -> tuple[dict[str, int], dict[str, int]]:
    """Return what a closing record counts."""
    kinds = Counter(KIND_OF[type(record)] for record in found)
    decided = Counter(record.decision.kind for record in found if isinstance(record, Decided))
    return dict(kinds), dict(decided)


@st.composite
def logs(draw: st.DrawFn, closed: bool | None = None) -> bytes:
    """Return a log of one part with any records."""
    found: list[Record] = [SHORT, *draw(st.lists(records, max_size=4))]
    calls = [k for k, r in enumerate(found, start=1) if isinstance(r, Decided | Intervened)]
    if calls:
        outcomes = st.builds(Outcome, times, st.sampled_from(calls), statuses, texts, readings)
        found += draw(st.lists(outcomes, max_size=2))
    return chained(found, closed=draw(st.booleans()) if closed is None else closed)


def check(data: bytes, anchor: str | None = None) -> LogCheck:
    """Return the facts of a log in memory."""
    return check_log(io.BytesIO(data), anchor)
