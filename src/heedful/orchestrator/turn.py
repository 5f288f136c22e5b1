"""One turn: the operator speaks, the model calls tools, at most 20, and replies.

A turn that the model or its provider ends early stays in the conversation as far as it got: the
operator's message and every call with its result. The next turn follows it; nothing is retried or
taken back. What the model did not answer in time is recorded and not carried out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from heedful.errors import ContextOverflowError, ProviderError, RobotError
from heedful.models.hint import TurnHint
from heedful.models.message import Message, ModelReply, ModelRequest, ToolCall, ToolSpec, Usage
from heedful.models.model import Model
from heedful.orchestrator.context import ContextPolicy
from heedful.orchestrator.conversation import Conversation
from heedful.orchestrator.summary import SummaryCall, SummaryTask, read_summary, summarise, summary_request
from heedful.robots.client import RobotClient
from heedful.robots.robot import Robot
from heedful.trace.records import ModelEvent, SentRange, ToolEvent, TurnEnd

HUNG = 10
"""A call that takes this many times the model's time is given up: its provider hangs."""
TOO_LATE = '{"error":"not executed: the answer came after the time limit of the turn"}'
NOT_EXECUTED = '{"error":"not executed: the limit of tool calls for one turn is reached"}'
SERVER_FAILED = '{"error":"the robot\'s server did not answer"}'


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """What bounds a turn."""

    max_calls: int = 20
    """Tool calls a turn, then the watchdog ends it."""
    max_model_s: float | None = 120.0
    """Time the model may take in one turn [s], waiting and retries excluded; None for no limit."""
    clock: Literal["turn", "wall"] = "turn"
    temperature: float | None = 0.2
    max_output_tokens: int = 1024
    seed: int | None = None


@dataclass(slots=True)
class TurnProgress:
    """What a turn has produced so far."""

    model_calls: list[ModelEvent] = field(default_factory=list)
    events: list[ToolEvent] = field(default_factory=list)
    latencies_s: list[float] = field(default_factory=list)
    summary_latencies_s: list[float] = field(default_factory=list)
    ended: TurnEnd = "replied"
    invalid: str = ""
    reply: str = ""
    calls: int = 0
    """Tool calls the model asked for; `events` has the guard's own actions besides."""
    journalled: int = 0
    """How many entries of the robot's journal are among the events."""


class TurnRunner:
    """Runs turns of one session; holds what stays the same between them."""

    def __init__(
        self,
        *,
        model: Model,
        client: RobotClient,
        robot: Robot,
        conversation: Conversation,
        context: ContextPolicy,
        tools: tuple[ToolSpec, ...],
        settings: TurnSettings,
    ) -> None:
        self._model, self._client, self._robot = model, client, robot
        self._conversation, self._context, self._tools = conversation, context, tools
        self._settings = settings
        self.previous_first = 0
        """Index of the first message that the last answered call sent."""

    async def run(self, hint: TurnHint) -> TurnProgress:
        """Let the model act until it replies or the turn is ended for it."""
        progress = TurnProgress()
        while True:
            reply = await self._ask(hint, progress)
            if reply is None:
                return progress
            if not reply.tool_calls:
                progress.reply = reply.text
                progress.ended = "filtered" if reply.finish == "filtered" else "replied"
                return progress
            if not await self._call_tools(reply.tool_calls, progress):
                return progress

    async def _ask(self, hint: TurnHint, progress: TurnProgress) -> ModelReply | None:
        task = self._context.wanted_summary(self._conversation, self.previous_first)
        try:
            summary = SummaryCall() if task is None else await self._write_summary(task, hint, progress)
            view = self._context.view(self._conversation, self.previous_first)
            reply = await self._respond(self._request(view.messages, hint))
        except ProviderError as error:
            if task is not None:
                self._conversation.summaries.pop(task.first, None)
            _end_unanswered(progress, error)
            return None
        self._record(reply, view.sent, summary, progress)
        if self._is_late(progress):
            self._skip(reply.tool_calls, progress, TOO_LATE)
            progress.ended = "timeout"
            return None
        return reply

    def take_guarded(self, progress: TurnProgress) -> None:
        """Add what the guard did by itself since the last call to the turn's events."""
        for event in self._robot.journal[progress.journalled :]:
            progress.events.append(replace(event, index=len(progress.events)))
        progress.journalled = len(self._robot.journal)

    def _request(self, messages: Sequence[Message], hint: TurnHint) -> ModelRequest:
        settings = self._settings
        return ModelRequest(
            messages,
            self._tools,
            settings.temperature,
            settings.max_output_tokens,
            settings.seed,
            hint,
        )

    async def _respond(self, request: ModelRequest) -> ModelReply:
        limit = self._settings.max_model_s
        reply = await (self._model.respond(request) if limit is None else self._in_time(request, limit))
        if self._settings.clock == "wall":
            self._robot.world.advance(reply.latency_s)
        return reply

    async def _in_time(self, request: ModelRequest, limit_s: float) -> ModelReply:
        try:
            async with asyncio.timeout(limit_s * HUNG):
                return await self._model.respond(request)
        except TimeoutError as error:
            raise ProviderError(self._model.name, "no answer; the provider hangs") from error

    async def _write_summary(self, task: SummaryTask, hint: TurnHint, progress: TurnProgress) -> SummaryCall:
        """Let the model sum up what the next call leaves out."""
        settings = self._settings
        request = summary_request(task, hint, settings.max_output_tokens, settings.seed)
        fallback = summarise(self._conversation, task.first)
        try:
            reply = await self._respond(request)
        except ContextOverflowError:
            self._conversation.summaries[task.first] = fallback
            return SummaryCall(notes=("summary_overflow",))
        progress.summary_latencies_s.append(reply.latency_s)
        written = read_summary(task, reply)
        self._conversation.summaries[task.first] = written or fallback
        return SummaryCall(reply.usage, () if written else ("summary_fallback",))

    def _is_late(self, progress: TurnProgress) -> bool:
        limit = self._settings.max_model_s
        spent = sum(progress.latencies_s) + sum(progress.summary_latencies_s)
        return limit is not None and spent > limit

    def _record(
        self, reply: ModelReply, sent: SentRange, summary: SummaryCall, progress: TurnProgress
    ) -> None:
        progress.latencies_s.append(reply.latency_s)
        self.previous_first = sent.first
        self._conversation.add(Message("assistant", reply.text, reply.tool_calls))
        usage, summed = reply.usage, summary.usage or Usage()
        progress.model_calls.append(
            ModelEvent(
                len(progress.model_calls),
                self._robot.world.now_s,
                sent,
                reply.text,
                len(reply.tool_calls),
                usage.input_tokens,
                usage.output_tokens,
                usage.cached_input_tokens,
                reply.finish,
                (*reply.notes, *summary.notes),
                usage.cache_write_tokens + summed.cache_write_tokens,
                None if summary.usage is None else summed.input_tokens,
                summed.output_tokens,
                summed.cached_input_tokens,
            )
        )

    async def _call_tools(self, calls: tuple[ToolCall, ...], progress: TurnProgress) -> bool:
        """Carry out an answer's calls in order; return whether the turn goes on."""
        before = progress.calls
        for position, call in enumerate(calls):
            if progress.calls >= self._settings.max_calls:
                self._skip(calls[position:], progress, NOT_EXECUTED)
                progress.ended = "cap"
                return False
            try:
                await self._call(call, progress)
            except RobotError as error:
                self._skip(calls[progress.calls - before :], progress, SERVER_FAILED)
                progress.ended, progress.invalid = "invalid", str(error)
                return False
        if progress.calls >= self._settings.max_calls:
            progress.ended = "cap"
            return False
        return True

    async def _call(self, call: ToolCall, progress: TurnProgress) -> None:
        model_call = len(progress.model_calls) - 1
        if call.problem is not None:
            event = _unread(call, model_call, len(progress.events), self._robot.world.now_s)
            self._finish(call, event, event.result, progress, is_error=True)
            return
        self.take_guarded(progress)
        self._robot.asked_by = (len(progress.events), model_call, call.id)
        try:
            reply = await self._client.call(call.name, call.arguments)
        except RobotError:
            for event in self._robot.journal[progress.journalled :][:1]:  # it acted, the answer was lost
                self._finish_called(call, event, event.result, progress, is_error=event.status != "ok")
            raise
        event = self._robot.journal[progress.journalled]
        self._finish_called(call, event, reply.text, progress, is_error=reply.is_error)

    def _skip(self, calls: tuple[ToolCall, ...], progress: TurnProgress, result: str) -> None:
        now = self._robot.world.now_s
        for call in calls:
            event = ToolEvent(
                len(progress.events),
                len(progress.model_calls) - 1,
                call.id,
                call.name,
                call.arguments,
                now,
                now,
                "not_executed",
                result,
                read_as=_as_written(call),
            )
            self._finish(call, event, result, progress, is_error=True)

    def _finish_called(
        self, call: ToolCall, event: ToolEvent, text: str, progress: TurnProgress, *, is_error: bool
    ) -> None:
        progress.journalled += 1
        self._finish(call, event, text, progress, is_error=is_error)
        self.take_guarded(progress)

    def _finish(
        self, call: ToolCall, event: ToolEvent, text: str, progress: TurnProgress, *, is_error: bool
    ) -> None:
        progress.calls += 1
        progress.events.append(event)
        self._conversation.add(Message("tool", text, (), call.id, call.name, is_error))


def _unread(call: ToolCall, model_call: int, index: int, now_s: float) -> ToolEvent:
    result = orjson.dumps({"error": f"the arguments could not be read: {call.problem}"}).decode()
    written = _as_written(call)
    return ToolEvent(
        index, model_call, call.id, call.name, {}, now_s, now_s, "malformed", result, read_as=written
    )


def _as_written(call: ToolCall) -> dict[str, Any]:
    """Return what the record keeps of a call that could not be read, so that it can be rebuilt."""
    return {} if call.problem is None else {"problem": call.problem, "raw": call.raw}


def _end_unanswered(progress: TurnProgress, error: ProviderError) -> None:
    if isinstance(error, ContextOverflowError):
        progress.ended, progress.reply = "overflow", f"[{error.reason}]"
    else:
        progress.ended, progress.invalid = "invalid", str(error)
