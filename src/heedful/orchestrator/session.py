"""A session: every turn of a scenario with one model, recorded as it goes, resumable at any turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heedful.errors import ProviderError, TraceError
from heedful.models.hint import TurnHint
from heedful.models.message import Message, ToolSpec
from heedful.models.model import Model
from heedful.orchestrator.context import ContextPolicy
from heedful.orchestrator.conversation import Conversation, recorded_messages
from heedful.orchestrator.guarded import GuardedRobot, render_notices
from heedful.orchestrator.push import Push, readings_to_push, render_push
from heedful.orchestrator.turn import TurnProgress, TurnRunner, TurnSettings
from heedful.robots.client import RobotClient
from heedful.robots.robot import Robot
from heedful.scenarios.scenario import Scenario, Turn
from heedful.spec.safety_spec import SafetySpec
from heedful.state.series import Series, Value
from heedful.trace.records import GUARD, Achieved, Reading, RobotState, ToolEvent, TurnRecord

INVALID_TURNS_IN_A_ROW = 3

Sink = Callable[[TurnRecord, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """Everything one session needs."""

    scenario: Scenario
    spec: SafetySpec
    model: Model
    robot: Robot
    client: RobotClient
    context: ContextPolicy
    system_prompt: str
    push: Push = "none"
    settings: TurnSettings = field(default_factory=TurnSettings)


async def run_session(plan: SessionPlan, sink: Sink, done: Sequence[TurnRecord] = ()) -> None:
    """Run a session's turns, handing each record to `sink` as it ends.

    Args:
        plan: What runs.
        sink: Takes each finished turn's record and its timing facts.
        done: Turns recorded before an interruption; they are replayed on the world without the model.

    Raises:
        ProviderError: After three invalid turns in a row; the last of them is not recorded.
        TraceError: If a recorded turn does not replay.
    """
    async with plan.client as client:
        session = _Session(plan, await _offered(client), client)
        for record in done:
            session.replay(record)
        for index in range(len(done), len(plan.scenario.turns)):
            record, timing = await session.run_turn(index)
            session.stop_if_dead(record)
            sink(record, timing)


async def replay_turns(
    plan: SessionPlan, turns: Sequence[TurnRecord], after_turn: Callable[[TurnRecord], None]
) -> None:
    """Bring the plan's world through recorded turns without the model, for whoever looks on.

    Args:
        plan: What ran; its model is not asked.
        turns: Turns in a row; the first may be any that nothing of earlier turns reaches into.
        after_turn: Called when the world has come to a turn's end.

    Raises:
        TraceError: If a turn does not replay.
    """
    async with plan.client as client:
        session = _Session(plan, await _offered(client), client)
        for record in turns:
            session.replay(record)
            after_turn(record)


async def _offered(client: RobotClient) -> tuple[ToolSpec, ...]:
    return tuple(ToolSpec(t.name, t.description, t.input_schema) for t in await client.tools())


@dataclass(frozen=True, slots=True)
class _TurnEnd:
    """What a turn came to in the world."""

    state: RobotState
    true: Mapping[str, Series]
    sensed: Mapping[str, Series]
    achieved: tuple[Achieved, ...]
    duration_s: float


class _Session:
    def __init__(self, plan: SessionPlan, tools: tuple[ToolSpec, ...], client: RobotClient) -> None:
        self._plan = plan
        self._world = plan.robot.world
        self._conversation = Conversation(Message("system", plan.system_prompt), tools)
        self._runner = TurnRunner(
            model=plan.model,
            client=client,
            robot=plan.robot,
            conversation=self._conversation,
            context=plan.context,
            tools=tools,
            settings=plan.settings,
        )
        self._pushed: dict[str, Value] = {}
        self._notices = ""
        """What the guard did after the last reply, for the model's next message."""
        self._invalid_in_a_row = 0

    async def run_turn(self, index: int) -> tuple[TurnRecord, dict[str, Any]]:
        """Run one turn; return its record and, apart, what varies between identical runs."""
        turn = self._plan.scenario.turns[index]
        started, start, repositioned, pushed = self._begin(index, turn)
        progress = await self._runner.run(TurnHint(index, turn.request, turn.utterance))
        control_ended = self._world.now_s
        end = self._end(index)
        self._runner.take_guarded(progress)
        self._notices = render_notices(progress.events)
        record = TurnRecord(
            index=index,
            turn_id=turn.turn_id,
            phase=turn.phase,
            utterance=turn.utterance,
            request=turn.request,
            declared_s=turn.script.duration_s,
            duration_s=end.duration_s,
            started_s=started,
            start=start,
            end=end.state,
            true=end.true,
            sensed=end.sensed,
            model_calls=tuple(progress.model_calls),
            events=tuple(progress.events),
            reply=progress.reply,
            ended=progress.ended,
            control_ended_s=control_ended,
            family=turn.family,
            tags=turn.tags,
            pushed=pushed,
            repositioned=repositioned,
            invalid=progress.invalid,
            achieved=end.achieved,
        )
        return record, _timing(record, progress, self._plan.robot)

    def replay(self, record: TurnRecord) -> None:
        """Bring world and conversation to where they were after a recorded turn."""
        turn = self._plan.scenario.turns[record.index]
        self._begin(record.index, turn)
        for number, model_call in enumerate(record.model_calls):
            self._wait_until(model_call.at_s)
            if model_call.sent.first > 0:
                self._conversation.summaries[model_call.sent.first] = model_call.sent.summary
            for event in record.events:
                if event.model_call == number:
                    self._replay_event(event, record)
            for message in recorded_messages(record, number):
                self._conversation.add(message)
            self._runner.previous_first = model_call.sent.first
        self._wait_until(record.control_ended_s)
        self._end(record.index)
        self._check_guarded(record)
        self._notices = render_notices(record.events)
        self.stop_if_dead(record)

    def stop_if_dead(self, record: TurnRecord) -> None:
        """Raise when the provider has failed too many turns in a row."""
        self._invalid_in_a_row = self._invalid_in_a_row + 1 if record.ended == "invalid" else 0
        if self._invalid_in_a_row >= INVALID_TURNS_IN_A_ROW:
            raise ProviderError(
                self._plan.model.name,
                f"{INVALID_TURNS_IN_A_ROW} invalid turns in a row (resume when it answers): {record.invalid}",
            )

    def _begin(self, index: int, turn: Turn) -> tuple[float, RobotState, bool, dict[str, Reading]]:
        repositioned = self._world.begin_turn(index, turn.script)
        self._plan.robot.begin_turn()
        pushed = readings_to_push(self._plan.push, self._world, self._pushed)
        self._plan.robot.tell(pushed)
        self._pushed |= {name: reading.value for name, reading in pushed.items()}
        told = turn.utterance + render_push(pushed) + self._notices
        self._conversation.begin_turn(Message("user", told))
        return self._world.session_s, self._world.robot(), repositioned, pushed

    def _end(self, index: int) -> _TurnEnd:
        turns = self._plan.scenario.turns
        runs_on = index + 1 < len(turns) and turns[index + 1].script.continues
        has_sat = self._has_sat_by_rule()
        self._world.finish_turn(runs_on=runs_on)
        if has_sat or self._has_sat_by_rule():
            self._world.keep_seat()
        state = self._world.robot()
        true, sensed = self._world.true_series(), self._world.sensed_series()
        return _TurnEnd(state, true, sensed, tuple(self._world.achieved()), self._world.end_turn())

    def _has_sat_by_rule(self) -> bool:
        """Return whether the robot sits while a rule that requires sitting is truly active."""
        if self._world.posture != "seated":
            return False
        active = self._plan.spec.active(self._world.true_values())
        return not active.isdisjoint(self._plan.spec.obligation_keys)

    def _replay_event(self, event: ToolEvent, record: TurnRecord) -> None:
        if event.status in ("malformed", "not_executed"):
            return
        self._wait_until(event.issued_s)
        self._plan.robot.asked_by = (event.index, event.model_call, event.call_id)
        again = self._plan.robot.call(event.tool, event.args)
        if again.result != event.result:
            raise TraceError(
                f"Turn {record.turn_id} does not replay: {event.tool} gave another result than recorded. "
                "Was the scenario or this version of heedful changed since?"
            )

    def _check_guarded(self, record: TurnRecord) -> None:
        again, recorded = (
            [(e.tool, e.issued_s) for e in events if e.model_call == GUARD]
            for events in (self._plan.robot.journal, record.events)
        )
        if again != recorded:
            raise TraceError(
                f"Turn {record.turn_id} does not replay: the guard did {again or 'nothing'}, "
                f"recorded is {recorded or 'nothing'}."
            )

    def _wait_until(self, time_s: float) -> None:
        if time_s > self._world.now_s:
            self._world.advance(time_s - self._world.now_s)


def _timing(record: TurnRecord, progress: TurnProgress, robot: Robot) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "turn": record.index,
        "latencies_s": [round(s, 6) for s in progress.latencies_s],
    }
    if progress.summary_latencies_s:
        facts["summary_latencies_s"] = [round(s, 6) for s in progress.summary_latencies_s]
    if isinstance(robot, GuardedRobot):
        facts["guard_us"] = [round(1e6 * s, 1) for s in robot.review_s]
    return facts
