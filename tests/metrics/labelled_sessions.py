"""Hand-made labelled sessions for the tests of `metrics`: one character a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heedful.labels.label import (
    MODES,
    VIEWS,
    DecisionLabel,
    Issue,
    Label,
    SessionLabels,
    TurnLabels,
    Verdict,
)
from heedful.metrics.digest import LabelledSession, digest_session
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.summarise import summarise
from heedful.metrics.summary import ArmResult, RunSummary
from heedful.spec.command import Request
from heedful.spec.load import load_spec
from heedful.state.geometry import Pose
from heedful.state.motion import Motion
from heedful.trace.records import ModelEvent, RobotState, SentRange, TurnRecord
from heedful.trace.run_info import SessionInfo

SPEC = load_spec("iso10218-humanoid")
LABELS = {
    "1": Label.C1,
    "2": Label.C2,
    "3": Label.C3,
    "4": Label.C4,
    "I": Label.INVALID,
    "N": Label.NOT_APPLICABLE,
}


def make_session(
    codes: str,
    *,
    rep: int = 0,
    model: str = "m",
    context: str = "full",
    scenario: str = "s",
    seed: int | None = None,
    turns: int | None = None,
    sensed: str | None = None,
    permits: str | None = None,
    cut: Sequence[int] = (),
    due: Sequence[int] = (),
    families: Mapping[int, str] | None = None,
    issues: Mapping[int, Sequence[str]] | None = None,
    speeds: Mapping[int, tuple[float, ...]] | None = None,
    stops: Sequence[int] = (),
    calls: Sequence[ModelEvent] = (),
    latencies_s: Sequence[float] = (),
    is_complete: bool | None = None,
    stale: int = 0,
    guard: str = "off",
) -> LabelledSession:
    """Return a session whose turn k has the label `codes[k]` by true state.

    `I`, and the turns in `cut`, ended for infrastructure. `permits` has `y` or `n` for each turn,
    `due` lists the turns in which an obligation fell due.
    """
    expected = len(codes) if turns is None else turns
    name = f"{model}--{context}--{guard}--{scenario}--r{rep}"
    info = make_info(
        name,
        model=model,
        context=context,
        scenario=scenario,
        repetition=rep,
        seed=rep if seed is None else seed,
        turns=expected,
        guard=guard,
    )
    records = tuple(
        make_record(k, is_cut=code == "I" or k in cut, asks_stop=k in stops, calls=calls)
        for k, code in enumerate(codes)
    )
    labels = tuple(
        make_labels(
            k,
            code,
            (sensed or codes)[k],
            permits=permits is None or permits[k] == "y",
            is_due=k in due,
            family=(families or {}).get(k, ""),
            issues=tuple(Issue(kind) for kind in (issues or {}).get(k, ())),
            speeds=(speeds or {}).get(k, ()),
        )
        for k, code in enumerate(codes)
    )
    session_labels = SessionLabels(
        name,
        f"{SPEC.name}@{SPEC.version}",
        "judge-1",
        labels,
        stale_beliefs=(Issue("stale_belief"),) * stale,
        is_complete=expected == len(codes) if is_complete is None else is_complete,
    )
    return LabelledSession(info, records, session_labels, (tuple(latencies_s),))


def make_info(name: str, *, guard: str = "off", **fields: object) -> SessionInfo:
    """Return the first record of a session."""
    return SessionInfo(
        session=name,
        push="none",
        guard=guard,
        layer="text",
        clock="turn",
        scenario_version="1",
        scenario_hash="h",
        spec=SPEC.name,
        spec_version=SPEC.version,
        spec_hash="spec-hash",
        system_prompt="",
        tools_hash="",
        heedful="0",
        **fields,  # type: ignore[arg-type]
    )


def make_record(index: int, *, is_cut: bool, asks_stop: bool, calls: Sequence[ModelEvent]) -> TurnRecord:
    """Return a turn's record with nothing in it but what the metrics read."""
    motion = Motion("walk_with_velocity", Pose(0, 0, 0), 0.5, 0, 0, 5, 50) if asks_stop else None
    state = RobotState(Pose(0, 0, 0), motion=motion)
    return TurnRecord(
        index=index,
        turn_id=f"t{index}",
        phase="late" if index >= 5 else "early",
        utterance="",
        request=Request((), asks_stop=asks_stop),
        declared_s=1.0,
        duration_s=1.0,
        started_s=float(index),
        start=state,
        end=state,
        true={},
        sensed={},
        model_calls=tuple(calls),
        events=(),
        reply="",
        ended="invalid" if is_cut else "replied",
        control_ended_s=1.0,
        invalid="HTTP 503" if is_cut else "",
    )


def make_labels(
    index: int,
    true: str,
    sensed: str,
    *,
    permits: bool,
    is_due: bool,
    family: str,
    issues: tuple[Issue, ...],
    speeds: tuple[float, ...],
) -> TurnLabels:
    """Return one turn's labels; issued and executed are the same."""
    codes = {"true": true, "sensed": sensed}
    verdicts = tuple(
        Verdict(view, mode, LABELS[codes[view]], decide(LABELS[codes[view]], is_due=is_due), permits=permits)
        for view in VIEWS
        for mode in MODES
    )
    phase = "late" if index >= 5 else "early"
    return TurnLabels(index, f"t{index}", phase, family, (), verdicts, issues, speeds=speeds)


def decide(label: Label, *, is_due: bool) -> tuple[DecisionLabel, ...]:
    """Return the turn's one decision, on S2, or on S4's obligation where that fell due."""
    if label == Label.NOT_APPLICABLE:
        return ()
    if is_due:
        return (DecisionLabel("S4", "obligation", label, "because"),)
    return (DecisionLabel("S2", "response", label, "because"),)


def make_call(
    estimated: int = 100, reported: int = 0, output: int = 0, cached: int = 0, **fields: int
) -> ModelEvent:
    """Return one model call."""
    sent = SentRange(0, 1, estimated)
    return ModelEvent(0, 0.0, sent, "", 0, reported, output, cached, **fields)  # type: ignore[arg-type]


def digest(codes: str, **fields: object) -> SessionDigest:
    """Return `make_session`, digested."""
    return digest_session(make_session(codes, **fields))  # type: ignore[arg-type]


def summarise_digests(digests: Sequence[SessionDigest], **fields: object) -> RunSummary:
    """Return the summary of digests of a run that expected just these."""
    settings: dict[str, object] = {"expected_sessions": len(digests), "seed": 7} | fields
    return summarise(digests, spec=SPEC, **settings)  # type: ignore[arg-type]


def one_arm(digests: Sequence[SessionDigest], **fields: object) -> ArmResult:
    """Return the only arm of a run."""
    (arm,) = summarise_digests(digests, **fields).arms
    return arm
