"""A small summary made by hand, hostile text, and sessions: one real, one hostile."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache

from heedful.build import Cell, build_model, build_plan, describe_session, session_seed
from heedful.labels.label import (
    MODES,
    VIEWS,
    DecisionLabel,
    Exposure,
    Issue,
    Label,
    SessionLabels,
    TurnLabels,
    Verdict,
)
from heedful.labels.session import label_turns
from heedful.metrics.estimate import Estimate
from heedful.metrics.summary import (
    ArmKey,
    ArmResult,
    Comparison,
    Counts,
    CurvePoint,
    Drift,
    RunSummary,
    SenseTable,
    SessionRow,
    Survival,
    TurnCell,
    ViewResult,
)
from heedful.orchestrator.session import run_session
from heedful.orchestrator.turn import TurnSettings
from heedful.scenarios.load import load_scenario
from heedful.spec.command import Request, Step
from heedful.spec.load import load_spec, spec_text
from heedful.state.geometry import Pose
from heedful.state.series import Series, constant
from heedful.trace.decision import Decision
from heedful.trace.reader import Trace
from heedful.trace.records import ModelEvent, RobotState, SentRange, ToolEvent, TurnRecord
from heedful.trace.run_info import SessionInfo

SPEC_NAME = "iso10218-humanoid"
SPEC = load_spec(SPEC_NAME)
HOSTILE = (
    "</script><script>window.pwned=1</script>",
    '<img src=x onerror="window.pwned=1">',
    "</style><svg onload=window.pwned=1>",
    "{{payloads}}",
    "\x00\x08\x1b[31mred\x1b[0m\x7f\x9b",
    "]]><!-- & \" ' `",
    "\u202egnp.exe\u202c \u2066\u2069 \u200b\ufeff",
    "\U000e0041\U000e0042",
    "\U0001f916 \U0001f469\u200d\U0001f680 \u05e9\u05dc\u05d5\u05dd \u4f60\u597d",
    "\ud800 alone",
    "a | b\n# heading\n- item ![x](http://e.example) @someone",
    "[red]console markup[/red]",
    "\ufffe\uffff\u2028",
)
EVIL = " ".join(HOSTILE)


def estimate(value: float | None = 0.5, width: float = 0.1, name: str = "rate", **rest) -> Estimate:
    if value is None:
        return Estimate.missing(name, "too few sessions", method="values only", n=2)
    limits = {"low": round(value - width, 6), "high": round(value + width, 6)}
    return Estimate(name=name, value=value, n=12, method="cluster bootstrap", **limits, **rest)


def bare(value: float, reason: str = "no interval: 2 sessions, 10 needed") -> Estimate:
    return Estimate(name="rate", value=value, low=None, high=None, n=2, method="values only", reason=reason)


def view(name: str, mode: str, counts: Counts) -> ViewResult:
    return ViewResult(
        view=name,
        mode=mode,
        distribution=counts,
        sps=estimate(0.8),
        sps_nothing_permitted=estimate(0.9),
        sps_something_permitted=estimate(None),
        overcompliance=estimate(0.1),
        violation_rate=estimate(0.1),
        violations_per_session=estimate(3.5, 1.0),
        by_phase={"baseline": Counts(c1=10), "stress": Counts(c1=5, c2=3, c3=2, c4=4)},
        by_invariant={"S1": Counts(c1=4, c4=3), "S2": Counts(c1=9), "S4 obligation": Counts()},
        subtypes={"refused": 3},
        sps_floor=bare(0.5),
    )


def arm(model: str = "openai/gpt-4o-mini", context: str = "full", **rest) -> ArmResult:
    counts = Counts(c1=80, c2=10, c3=4, c4=6, invalid=2, not_applicable=20)
    modes = [(v, m) for v in VIEWS for m in MODES]
    result = ArmResult(
        key=ArmKey(model, context, scenario="humanoid-100-v1"),
        sessions=12,
        turns=1200,
        complete_sessions=11,
        coverage=estimate(0.98, 0.01, n_excluded=2, worst=0.97, best=0.99),
        views=tuple(view(name, mode, counts) for name, mode in modes),
        issues_per_session={"ignored_stop": estimate(0.25), "over_rejection": bare(4.0), "total": bare(4.25)},
        over_rejection_by_invariant={"S2": 3.0, "none": 1.0},
        longest_sensor_skip=7,
        refused_motion_share=estimate(0.2),
        sense_table=SenseTable(100, 2, 1, 9),
        survival=(
            Survival(
                "safety-relevant turns",
                (CurvePoint(10, 0.75, 0.4, 0.9, 12), CurvePoint(40, 0.5, 0.2, 0.8, 6)),
                bare(40.0),
                12,
                6,
                "read the curve, not its band",
            ),
            Survival(
                "turns",
                (CurvePoint(99, 1.0, 0.7, 1.0, 12),),
                Estimate.missing("median", "no event", method="km"),
                12,
                0,
            ),
        ),
        drift=(Drift("probe-s2", estimate(-0.25), Estimate.missing("speed", "no command", method="mean")),),
        by_turn=(
            TurnCell(0, "T000", "baseline", Counts(not_applicable=12), 0),
            TurnCell(1, "T001", "stress", Counts(c1=9, c3=1, c4=2), 3),
        ),
        exposure_s={"S1": 1.5},
        exposure_m={"S1": 0.7},
        pass_k={"pass^1": estimate(0.5)},
        conduct={"cap": 1},
        tokens_per_call={"input_estimated": 1500.0},
        token_curve=((0, 900.0), (1, 1200.0)),
        latency_s={"p50": 0.8, "p95": 2.0, "max": 3.1, "calls": 300.0},
        reaction_distance_m={"p50": 1.28, "p95": 3.2, "max": 4.96},
        cost=Estimate.missing("cost", f"no price is known for {model}", method="values only"),
        claims={"claims_done": 30, "unclear": 2},
        session_rows=(
            SessionRow("s0", "humanoid-100-v1", 0, 7, True, 0, 0.8, 0.1, 3, 4, 38),
            SessionRow("s1", "humanoid-100-v1", 1, 8, False, 2, None, None, 0, 4, None),
        ),
    )
    return replace(result, **rest)


def summary(*arms: ArmResult, **rest) -> RunSummary:
    arms = arms or (arm(), arm(context="window"))
    comparison = Comparison(
        "violations", "a", "b", bare(1.5), 0.0002, 0.03, 4, "sign-flip, exact", "cannot be significant"
    )
    whole = RunSummary(
        heedful="0.1.0",
        judge="judge-1",
        spec=f"{SPEC_NAME}@1.0",
        spec_hash="0123456789abcdef",
        scenarios=("humanoid-100-v1",),
        seed=0,
        sessions=24,
        expected_sessions=24,
        arms=tuple(arms),
        comparisons=(comparison,),
        claims_table={"table": "claims-en-1, 150 held-out replies"},
    )
    return replace(whole, **rest)


def hostile_summary() -> RunSummary:
    """Return a summary in which every name and text is hostile."""
    evil = arm(
        EVIL,
        EVIL,
        by_turn=(TurnCell(0, EVIL, EVIL, Counts(c4=2), 1),),
        drift=(Drift(EVIL, estimate(0.1), estimate(0.2)),),
        conduct={EVIL: 1},
        claims={EVIL: 1},
        session_rows=(SessionRow(EVIL, EVIL, 0, 1, True, 0, 0.5, 0.1, 1, 1, 3),),
    )
    comparison = replace(summary().comparisons[0], metric=EVIL, a=EVIL, b=EVIL, test=EVIL, note=EVIL)
    return summary(
        evil,
        spec=EVIL,
        spec_hash=EVIL,
        scenarios=(EVIL,),
        comparisons=(comparison,),
        claims_table={EVIL: EVIL},
        statement=f"Test evidence, never certification. {EVIL}",
        sessions=1,
    )


@cache
def real_session(model: str = "reference/reckless", guard: str = "off") -> tuple[Trace, SessionLabels]:
    """Run a reference model on the shipped scenario and label it."""
    text, _ = spec_text(SPEC_NAME)
    scenario = load_scenario("humanoid-100-v1")
    seed = session_seed(0, scenario.name, 0)
    cell = Cell(model, "window", "none", scenario.name, 0, seed, guard)
    settings = TurnSettings(max_model_s=None)
    plan = build_plan(cell, scenario, SPEC, build_model(model, SPEC), settings, "direct")
    turns: list[TurnRecord] = []
    asyncio.run(run_session(plan, lambda record, _: turns.append(record)))
    info = describe_session(cell, plan, text, settings)
    return Trace(info, tuple(turns), True), label_turns(info.session, turns, SPEC)


def oracle_session() -> tuple[Trace, SessionLabels]:
    """Return the oracle's session: whatever it violates, it violates by the true state only."""
    return real_session("reference/oracle")


def hostile_session() -> tuple[Trace, SessionLabels]:
    """Return a session of one turn in which every text is hostile."""
    info = SessionInfo(
        session=EVIL, model=EVIL, context=EVIL, push="none", guard="on", layer="text", clock="turn",
        scenario="humanoid-100-v1", scenario_version="1", scenario_hash="h", spec="s", spec_version="1",
        spec_hash="h", repetition=0, seed=1, turns=1, system_prompt=EVIL, tools_hash="t",
    )  # fmt: skip
    state = RobotState(Pose(0.0, 0.0, 0.0), posture=EVIL)
    call = ToolEvent(
        index=0, model_call=0, call_id="c", tool=EVIL, args={EVIL: EVIL, "x": float("nan")}, issued_s=0.0,
        ended_s=1.0, status="denied", result=EVIL, decision=Decision("clamp", (EVIL,), EVIL, {"x": 10**30}),
    )  # fmt: skip
    sent = SentRange(0, 2, 100, summary=EVIL, has_rules=False)
    turn = TurnRecord(
        index=0, turn_id=EVIL, phase=EVIL, utterance=EVIL, request=Request((Step(EVIL, {"x": EVIL}),), True),
        declared_s=1.0, duration_s=1.0, started_s=0.0, start=state, end=state,
        true={EVIL: constant(EVIL), "human.distance": Series((0.0, 0.5), (2.0, 0.4), "linear")},
        sensed={EVIL: constant(None), "human.distance": Series((0.0, 0.5), (2.0, 1e9))},
        model_calls=(ModelEvent(0, 0.5, sent, EVIL, 1, finish=EVIL, notes=(EVIL,)),), events=(call,),
        reply=EVIL, ended="invalid", control_ended_s=1.0, family=EVIL, tags=(EVIL,), invalid=EVIL,
    )  # fmt: skip
    decision = DecisionLabel("S2", "response", Label.C4, EVIL, event=0, corrected=True)
    verdicts = tuple(Verdict(v, m, Label.C4, (decision,), (EVIL,)) for v in VIEWS for m in MODES)
    issues, exposure = (Issue("ignored_stop", EVIL, (EVIL,)),), (Exposure(EVIL, 1.0, 1.0),)
    labels = TurnLabels(0, EVIL, EVIL, EVIL, (EVIL,), verdicts, issues, exposure, EVIL, (EVIL,))
    return Trace(info, (turn,), False), SessionLabels(
        EVIL, "s@1", "judge-1", (labels,), 1, (Issue(EVIL, EVIL),)
    )
