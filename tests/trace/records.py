"""Arbitrary records of a session, as hypothesis draws them."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import strategies as st

from heedful.spec.command import Request, Step
from heedful.state.geometry import Pose
from heedful.state.motion import Motion
from heedful.state.series import INFINITE, Series
from heedful.trace.codec import GENESIS, Record, encode_line, line_hash
from heedful.trace.decision import Decision, DecisionKind
from heedful.trace.records import (
    CallStatus,
    ModelEvent,
    Reading,
    RobotState,
    SentRange,
    SessionEnd,
    ToolEvent,
    TurnEnd,
    TurnRecord,
)
from heedful.trace.run_info import Budget, SessionInfo

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.0, 1.0, INFINITE]))
counts = st.integers(-5, 10**9)
values = st.one_of(numbers, st.booleans(), st.none(), texts)
whole_numbers = st.integers(-(2**63), 2**64 - 1)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(values, whole_numbers),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
arguments = st.dictionaries(texts, json_values, max_size=3)
signals = st.dictionaries(texts, values, max_size=2)

poses = st.builds(Pose, numbers, numbers, numbers)
motions = st.builds(Motion, texts, poses, numbers, numbers, numbers, numbers, numbers)
states = st.builds(RobotState, poses, texts, numbers, st.booleans(), st.none() | motions, numbers)
readings = st.dictionaries(texts, st.builds(Reading, values, numbers), max_size=2)
series = st.dictionaries(
    texts,
    st.lists(st.tuples(numbers, values), min_size=1, max_size=3).flatmap(
        lambda pairs: st.builds(
            Series,
            st.just(tuple(t for t, _ in pairs)),
            st.just(tuple(v for _, v in pairs)),
            st.sampled_from(["linear", "step"]),
        )
    ),
    max_size=2,
)
decisions = st.builds(
    Decision,
    st.sampled_from(get_args(DecisionKind)),
    st.lists(texts, max_size=2).map(tuple),
    texts,
    arguments,
)
tool_events = st.builds(
    ToolEvent,
    counts,
    counts,
    texts,
    texts,
    arguments,
    numbers,
    numbers,
    st.sampled_from(get_args(CallStatus)),
    texts,
    texts,
    readings,
    arguments,
    st.none() | motions,
    st.none() | motions,
    signals,
    signals,
    st.booleans(),
    st.booleans(),
    st.none() | decisions,
)
model_events = st.builds(
    ModelEvent,
    counts,
    numbers,
    st.builds(SentRange, counts, counts, counts, texts, st.booleans()),
    texts,
    counts,
    counts,
    counts,
    counts,
    texts,
    st.lists(texts, max_size=2).map(tuple),
)
requests = st.builds(
    Request,
    st.lists(st.builds(Step, texts, arguments, st.none() | counts), max_size=2).map(tuple),
    st.booleans(),
)


def turn_records(index: st.SearchStrategy[int] = counts) -> st.SearchStrategy[TurnRecord]:
    return st.builds(
        TurnRecord,
        index=index,
        turn_id=texts,
        phase=texts,
        utterance=texts,
        request=requests,
        declared_s=numbers,
        duration_s=numbers,
        started_s=numbers,
        start=states,
        end=states,
        true=series,
        sensed=series,
        model_calls=st.lists(model_events, max_size=2).map(tuple),
        events=st.lists(tool_events, max_size=2).map(tuple),
        reply=texts,
        ended=st.sampled_from(get_args(TurnEnd)),
        control_ended_s=numbers,
        family=texts,
        tags=st.lists(texts, max_size=2).map(tuple),
        pushed=readings,
        repositioned=st.booleans(),
        invalid=texts,
    )


INFO_TEXTS = (
    *("session", "model", "context", "push", "guard", "layer", "clock", "scenario", "scenario_version"),
    *("scenario_hash", "spec", "spec_version", "spec_hash", "system_prompt", "tools_hash", "order"),
    *("defence", "robot", "judge", "heedful"),
)
session_infos = st.builds(
    SessionInfo,
    **dict.fromkeys(INFO_TEXTS, texts),
    repetition=counts,
    seed=whole_numbers,
    turns=counts,
    temperature=st.none() | numbers,
    attack=st.builds(Budget, texts, numbers),
    max_calls_per_turn=counts,
)


def example_turn(index: int, reply: str = "Done.") -> TurnRecord:
    state = RobotState(Pose(0.0, 0.0))
    event = ToolEvent(0, 0, "t0c0", "stop", {}, 0.0, 0.1, "ok", '{"status":"done"}', "protective")
    call = ModelEvent(0, 0.0, SentRange(0, 1, 30), "", 1)
    return TurnRecord(
        index,
        f"T{index:03}",
        "warm-up",
        "Stop, please.",
        Request((Step("stop"),), asks_stop=True),
        4.0,
        4.0,
        4.0 * index,
        state,
        state,
        {"human.distance": Series((0.0,), (INFINITE,))},
        {"human.distance": Series((0.0,), (INFINITE,))},
        (call,),
        (event,),
        reply,
        "replied",
        0.1,
    )


def example_info(turns: int) -> SessionInfo:
    names = (
        "s",
        "reference/oracle",
        "full",
        "none",
        "off",
        "text",
        "turn",
        "scn",
        "1",
        "h",
        "spec",
        "1",
        "h",
    )
    return SessionInfo(*names, 0, 7, turns, "You control a robot.", "h")


def chain(records: list[Record]) -> bytes:
    data, previous = b"", GENESIS
    for record in records:
        line = encode_line(record, previous)
        previous = line_hash(line)
        data += line
    return data


def finished_session(turns: int = 3) -> bytes:
    records: list[Record] = [example_info(turns), *(example_turn(k) for k in range(turns)), SessionEnd(turns)]
    return chain(records)
