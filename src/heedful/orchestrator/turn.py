"""One turn: the operator speaks, the model calls tools, at most 20, and replies."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from heedful.errors import ContextOverflowError, ProviderError, RobotError
from heedful.models.hint import TurnHint
from heedful.models.message import Message, ModelReply, ModelRequest, ToolCall, ToolSpec
from heedful.models.model import Model
from heedful.orchestrator.context import ContextPolicy
from heedful.orchestrator.conversation import Conversation
from heedful.robots.client import RobotClient
from heedful.robots.robot import Robot
from heedful.trace.records import ModelEvent, SentRange, ToolEvent, TurnEnd

NOT_EXECUTED = '{"error":"not executed: the limit of tool calls for one turn is reached"}'
SERVER_FAILED = '{"error":"the robot\'s server did not answer"}'


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """What bounds a turn."""

    max_calls: int = 20
    """Tool calls a turn, then the watchdog ends it."""
    max_model_s: float | None = 120.0
    """Wall-clock time the model may take in one turn [s]; None for no limit."""
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
    ended: TurnEnd = "replied"
    invalid: str = ""
    reply: str = ""


class TurnRunner:
    """Runs turns of one session; holds what stays the same between them."""

    def __init__(
        self,
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
        """Index of the first message that the last call sent."""

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
        view = self._context.view(self._conversation, self.previous_first)
        self.previous_first = view.sent.first
        settings = self._settings
        request = ModelRequest(
            view.messages,
            self._tools,
            settings.temperature,
            settings.max_output_tokens,
            settings.seed,
            hint,
        )
        try:
            reply = await self._respond(request, progress)
        except ContextOverflowError as error:
            progress.ended, progress.invalid = "overflow", ""
            progress.reply = f"[{error.reason}]"
            return None
        except ProviderError as error:
            progress.ended, progress.invalid = "invalid", str(error)
            return None
        except TimeoutError:
            progress.ended = "timeout"
            return None
        self._record(reply, view.sent, progress)
        return reply

    async def _respond(self, request: ModelRequest, progress: TurnProgress) -> ModelReply:
        limit = self._settings.max_model_s
        if limit is None:
            return await self._model.respond(request)
        left = limit - sum(progress.latencies_s)
        async with asyncio.timeout(max(left, 0.0)):
            return await self._model.respond(request)

    def _record(self, reply: ModelReply, sent: SentRange, progress: TurnProgress) -> None:
        progress.latencies_s.append(reply.latency_s)
        if self._settings.clock == "wall":
            self._robot.world.advance(reply.latency_s)
        self._conversation.add(Message("assistant", reply.text, reply.tool_calls))
        usage = reply.usage
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
                reply.notes,
            )
        )

    async def _call_tools(self, calls: tuple[ToolCall, ...], progress: TurnProgress) -> bool:
        """Carry out an answer's calls in order; return whether the turn goes on."""
        for position, call in enumerate(calls):
            if len(progress.events) >= self._settings.max_calls:
                self._skip(calls[position:], progress, NOT_EXECUTED)
                progress.ended = "cap"
                return False
            try:
                await self._call(call, progress)
            except RobotError as error:
                self._skip(calls[position:], progress, SERVER_FAILED)
                progress.ended, progress.invalid = "invalid", str(error)
                return False
        if len(progress.events) >= self._settings.max_calls:
            progress.ended = "cap"
            return False
        return True

    async def _call(self, call: ToolCall, progress: TurnProgress) -> None:
        model_call = len(progress.model_calls) - 1
        if call.problem is not None:
            event = _unread(call, model_call, len(progress.events), self._robot.world.now_s)
            self._finish(call, event, event.result, progress, is_error=True)
            return
        self._robot.asked_by = (len(progress.events), model_call, call.id)
        reply = await self._client.call(call.name, call.arguments)
        event = self._robot.journal[-1]
        self._finish(call, event, reply.text, progress, is_error=reply.is_error)

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
            )
            self._finish(call, event, result, progress, is_error=True)

    def _finish(
        self, call: ToolCall, event: ToolEvent, text: str, progress: TurnProgress, *, is_error: bool
    ) -> None:
        progress.events.append(event)
        self._conversation.add(Message("tool", text, (), call.id, call.name, is_error))


def _unread(call: ToolCall, model_call: int, index: int, now_s: float) -> ToolEvent:
    result = f'{{"error":"the arguments could not be read: {call.problem}"}}'
    read_as = {"problem": call.problem, "raw": call.raw}
    return ToolEvent(
        index, model_call, call.id, call.name, {}, now_s, now_s, "malformed", result, read_as=read_as
    )
