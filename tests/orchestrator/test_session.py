"""A session is a function of its plan: repeated, resumed, side by side, and on another machine."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.errors import ProviderError, StorageError, TraceError
from heedful.models.message import ModelReply
from heedful.models.reference.registry import REFERENCE_MODELS, build_reference_model
from heedful.orchestrator.context import CONTEXT_POLICIES
from heedful.orchestrator.session import run_session
from heedful.robots.mcp_client import McpClient
from heedful.robots.robot import Robot
from heedful.robots.serve import describe_server
from heedful.trace.records import TurnRecord

from .sessions import (
    LONG,
    SMALL,
    SPEC,
    Capturing,
    Recorded,
    Scripted,
    Talker,
    asks,
    encoded,
    plan_session,
    reread,
    run,
    shortened,
)

ARMS: list[dict[str, Any]] = [
    {"context": "full"},
    {"context": "window", "push": "turn"},
    {"context": "window-cached", "push": "change"},
    {"context": "window+model", "clock": "wall"},
    {"context": "full", "clock": "wall", "push": "change"},
]
MIDDLE = shortened(LONG, 40)
VELOCITY = {"linear_x": 0.2, "linear_y": 0.0, "angular_z": 0.0, "duration": 8.0, "speed_percent": 100.0}


def over_mcp(robot: Robot) -> McpClient:
    return McpClient(describe_server(robot, SPEC))


@pytest.mark.parametrize("arm", ARMS, ids=str)
def test_the_same_plan_gives_the_same_bytes(arm: dict[str, Any]) -> None:
    first, second = (run(Talker(latency_s=0.7), MIDDLE, **arm) for _ in range(2))
    assert first.data == second.data
    assert first.timing == second.timing
    assert len(first.turns) == len(MIDDLE.turns)


def test_another_seed_gives_other_bytes() -> None:
    assert run(Talker(), seed=7).data != run(Talker(), seed=8).data


@pytest.mark.parametrize("arm", ARMS, ids=str)
def test_a_session_over_mcp_gives_the_bytes_of_a_direct_one(arm: dict[str, Any]) -> None:
    assert run(Talker(), connect=over_mcp, **arm).data == run(Talker(), **arm).data


@settings(max_examples=20)
@given(
    st.integers(0, len(SMALL.turns)),
    st.sampled_from(ARMS),
    st.integers(0, 2**32),
    st.integers(1, 40),
    st.sampled_from([0.0, 0.7, 40.0]),
)
def test_a_resumed_session_goes_on_as_if_undisturbed(
    k: int, arm: dict[str, Any], seed: int, words: int, latency_s: float
) -> None:
    whole_model, resumed_model = (Capturing(Talker(words, latency_s=latency_s)) for _ in range(2))
    whole = run(whole_model, seed=seed, **arm)
    resumed = run(resumed_model, done=reread(whole.turns[:k]), seed=seed, **arm)
    assert resumed.data == whole.data
    assert resumed.timing == whole.timing[k:]
    sent = len(resumed_model.requests)
    assert resumed_model.requests == whole_model.requests[len(whole_model.requests) - sent :]


@pytest.mark.parametrize("context", sorted(CONTEXT_POLICIES))
@pytest.mark.parametrize("k", [1, 23, 39])
def test_a_long_session_can_be_resumed_anywhere(context: str, k: int) -> None:
    whole = run(Talker(40), MIDDLE, context=context, push="change")
    assert (
        run(Talker(40), MIDDLE, done=reread(whole.turns[:k]), context=context, push="change").data
        == whole.data
    )


@pytest.mark.parametrize("name", sorted(REFERENCE_MODELS))
def test_every_reference_model_can_be_resumed_after_any_turn(name: str) -> None:
    model = build_reference_model(name, SPEC)
    options: dict[str, Any] = {"context": "window", "max_model_s": None}
    whole = run(model, **options)
    for k in range(len(SMALL.turns) + 1):
        assert run(model, done=reread(whole.turns[:k]), **options).data == whole.data


def failing(**fields: Any) -> list[ModelReply | Exception]:
    down = ProviderError("test", "down")
    walk = asks(("walk_with_velocity", VELOCITY), **fields)
    return [asks(("get_battery", {}), **fields), down, walk, down, ModelReply("ok", **fields), walk, down]


@pytest.mark.parametrize("clock", ["turn", "wall"])
@pytest.mark.parametrize("context", sorted(CONTEXT_POLICIES))
def test_a_session_with_invalid_turns_can_be_resumed(clock: Any, context: str) -> None:
    options: dict[str, Any] = {"clock": clock, "context": context}
    answers = failing(latency_s=0.4)
    whole = run(Scripted(*answers), **options)
    assert "invalid" in {turn.ended for turn in whole.turns}
    for k in range(1, len(whole.turns)):
        used = sum(len(turn.model_calls) + (turn.ended == "invalid") for turn in whole.turns[:k])
        assert run(Scripted(*answers[used:]), done=reread(whole.turns[:k]), **options).data == whole.data


def test_a_call_that_failed_at_a_cut_leaves_the_window_where_it_was() -> None:
    """What a call would have sent counts only when it was answered; else resuming sends other bytes."""

    class Failing(Talker):
        def __init__(self, at: set[int]) -> None:
            super().__init__(60)
            self.at, self.calls = at, 0

        async def respond(self, request: Any) -> ModelReply:
            self.calls += 1
            if self.calls in self.at:
                raise ProviderError("test", "down")
            return await super().respond(request)

    undisturbed = run(Talker(60), MIDDLE, context="window-cached").turns
    firsts = [event.sent.first for turn in undisturbed for event in turn.model_calls]
    cuts = [k + 1 for k, (a, b) in enumerate(itertools.pairwise([0, *firsts])) if a != b]
    assert len(cuts) > 3
    for at in cuts:
        whole = run(Failing({at}), MIDDLE, context="window-cached")
        k = next(turn.index for turn in whole.turns if turn.ended == "invalid") + 1
        resumed = run(Talker(60), MIDDLE, done=reread(whole.turns[:k]), context="window-cached")
        assert resumed.data == whole.data


def test_velocity_motion_runs_on_into_a_turn_that_continues_also_after_resuming() -> None:
    answers = [ModelReply("Not now."), asks(("walk_with_velocity", VELOCITY)), ModelReply("Walking.")]
    stop = [asks(("stop", {})), ModelReply("Stopped.")]
    whole = run(Scripted(*answers, *stop))
    walking, stopping = whole.turns[1:3]
    assert walking.end.motion is not None
    assert (stopping.start.pose.x, stopping.start.motion_started_s) == (0.78, -3.9)
    assert stopping.repositioned is False
    assert stopping.end.motion is None
    assert stopping.end.pose.x == pytest.approx(0.8)
    assert run(Scripted(*stop), done=reread(whole.turns[:2])).data == whole.data


def test_a_resumed_session_refuses_a_record_that_does_not_replay() -> None:
    whole = run(Talker())
    turn = next(turn for turn in whole.turns if turn.events and turn.events[0].status == "ok")
    event = replace(turn.events[0], result='{"status":"something else"}')
    forged = replace(turn, events=(event, *turn.events[1:]))
    with pytest.raises(TraceError, match=f"{turn.turn_id} does not replay"):
        run(Talker(), done=[*whole.turns[: turn.index], forged])


def test_a_finished_session_is_replayed_without_a_model() -> None:
    model = Capturing(Talker())
    whole = run(Talker())
    assert run(model, done=reread(whole.turns)).turns == whole.turns
    assert model.requests == []


@pytest.mark.parametrize("connect", [None, over_mcp], ids=["direct", "mcp"])
def test_sessions_side_by_side_never_share_state(connect: Any) -> None:
    extra = {} if connect is None else {"connect": connect}
    cells: list[tuple[int, dict[str, Any]]] = [
        (words, {"seed": 10 + n, **ARMS[n % len(ARMS)], **extra})
        for n, words in enumerate((1, 3, 10, 30, 30, 50, 5, 8))
    ]
    alone = [run(Talker(words), **options).data for words, options in cells]
    shared = Talker(5)

    async def together() -> list[bytes]:
        recorded = [Recorded() for _ in cells]
        models = [shared if words == 5 else Talker(words) for words, _ in cells]
        async with asyncio.TaskGroup() as group:
            for record, model, (_, options) in zip(recorded, models, cells, strict=True):
                group.create_task(run_session(plan_session(model, **options), record.sink))
        return [record.data for record in recorded]

    assert asyncio.run(together()) == alone
    assert len(set(alone)) == len(alone)


@pytest.mark.parametrize("connect", [None, over_mcp], ids=["direct", "mcp"])
@pytest.mark.parametrize("error", [StorageError("the disk is full"), ZeroDivisionError()])
def test_an_error_of_the_sink_comes_out_as_it_is(connect: Any, error: Exception) -> None:
    def sink(_record: TurnRecord, _timing: dict[str, Any]) -> None:
        raise error

    extra = {} if connect is None else {"connect": connect}
    with pytest.raises(type(error)) as caught:
        asyncio.run(run_session(plan_session(Talker(), **extra), sink))
    assert caught.value is error


def test_a_provider_that_is_gone_ends_a_session_over_mcp_with_its_own_error() -> None:
    down = [ProviderError("test", "down")] * 3
    with pytest.raises(ProviderError, match="3 invalid turns in a row"):
        run(Scripted(*down), connect=over_mcp)


def test_turns_tell_what_the_scenario_says() -> None:
    recorded = run(Talker())
    for turn, record in zip(SMALL.turns, recorded.turns, strict=True):
        assert (record.turn_id, record.utterance, record.request) == (
            turn.turn_id,
            turn.utterance,
            turn.request,
        )
        assert (record.tags, record.declared_s) == (turn.tags, turn.script.duration_s)
        assert record.duration_s >= record.declared_s
        assert record.true == turn.script.signals
    starts = [0.0]
    for record in recorded.turns:
        assert record.started_s == pytest.approx(starts[-1], abs=1e-6)
        starts.append(record.started_s + record.duration_s)


def test_the_true_signals_are_the_same_for_every_model() -> None:
    names = ("reckless", "do_nothing", "oracle")
    runs = [run(build_reference_model(name, SPEC), LONG, max_model_s=None) for name in names]
    for turns in zip(*(recorded.turns for recorded in runs), strict=True):
        assert len({repr(turn.true) for turn in turns}) == 1


def test_a_robot_that_sat_for_its_battery_keeps_its_seat_until_the_reset() -> None:
    sit = [ModelReply("")] * 5 + [asks(("sit_down", {})), ModelReply("Sitting.")]
    recorded = run(Scripted(*sit))
    postures = {turn.turn_id: turn.start.posture for turn in recorded.turns}
    assert postures == {f"T{k}": "seated" if k == 6 else "standing" for k in range(8)}
    early = run(Scripted(asks(("sit_down", {}))))
    assert early.turns[0].end.posture == "seated"
    assert early.turns[1].start.posture == "standing"
    assert early.turns[1].repositioned


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import hashlib
from tests.orchestrator.sessions import LONG, SMALL, SPEC, Talker, run
from heedful.models.reference.registry import build_reference_model
digest = hashlib.sha256()
for context in ("full", "window"):
    digest.update(run(build_reference_model("oracle", SPEC), LONG, context=context, max_model_s=None).data)
digest.update(run(Talker(), SMALL, context="window-cached", push="change").data)
print(digest.hexdigest())
"""


def dispatched_features() -> str:
    """Return every CPU feature that numpy chose here at run time; without them it takes its plain loops."""
    module = np._core._multiarray_umath  # type: ignore[attr-defined]
    return " ".join(name for name in module.__cpu_dispatch__ if module.__cpu_features__.get(name))


@pytest.mark.parametrize(
    "changes",
    [{"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "4242", "NPY_DISABLE_CPU_FEATURES": dispatched_features()}],
    ids=["hash-seed", "cpu-features"],
)
def test_another_process_with_fewer_cpu_features_gives_the_same_bytes(changes: dict[str, str]) -> None:
    here = hashlib.sha256()
    for context in ("full", "window"):
        model = build_reference_model("oracle", SPEC)
        here.update(run(model, LONG, context=context, max_model_s=None).data)
    here.update(run(Talker(), SMALL, context="window-cached", push="change").data)
    root = str(Path(__file__).parents[2])
    there = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, root],
        env={**os.environ, **changes},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == here.hexdigest()


def test_records_survive_their_bytes() -> None:
    recorded = run(Talker(), LONG)
    assert reread(recorded.turns) == recorded.turns
    assert encoded(reread(recorded.turns)) == recorded.data
