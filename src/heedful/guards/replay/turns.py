"""The turns of one part of a guard's log: which calls make one, and its record.

Below: `logged_calls` and `sensed_history`. Above: `replay`, which says how a log is read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from heedful.guards.replay.calls import LoggedCall
from heedful.guards.replay.sensed_history import SensedHistory
from heedful.spec.command import Request, Step
from heedful.state.geometry import rounded
from heedful.trace.records import Reading, RobotState, ToolEvent, TurnRecord

GUARD = -1
UNKNOWN_WORDS = "(a guard does not know the operator's words)"


@dataclass(frozen=True)
class Span:
    """Which calls make a turn, on the guard's clock."""

    start_s: float
    calls: tuple[LoggedCall, ...] = ()
    continues: bool = False
    is_reset: bool = False

    @property
    def command(self) -> LoggedCall | None:
        """The call that asks for motion, or None."""
        return next((call for call in self.calls if call.is_motion), None)

    @property
    def quiet_from_s(self) -> float:
        """When the last of the model's calls was answered."""
        return _last_end(self.start_s, [call for call in self.calls if not call.by_guard])

    @property
    def last_s(self) -> float:
        """When the last of its calls was answered, the guard's own among them."""
        return _last_end(self.start_s, self.calls)


def spans_of(calls: Sequence[LoggedCall], resets: Sequence[float], gap_s: float, turn_s: float) -> list[Span]:
    """Return the turns' calls; what the guard did by itself belongs to the turn it fell into."""
    marks: list[tuple[float, LoggedCall | None]] = [(t, None) for t in resets]
    marks += [(call.issued_s, call) for call in calls]
    spans: list[Span] = []
    for at_s, call in sorted(marks, key=lambda mark: mark[0]):
        now = spans[-1] if spans else None
        if call is None:
            spans.append(Span(at_s, (), now is not None, True))
        elif now is None or (not call.by_guard and _begins_turn(now, call, gap_s, turn_s)):
            is_quiet = now is None or at_s - now.quiet_from_s > gap_s
            spans.append(Span(at_s, (call,), not is_quiet))
        else:
            spans[-1] = replace(now, calls=(*now.calls, call))
    return spans


def _begins_turn(now: Span, call: LoggedCall, gap_s: float, turn_s: float) -> bool:
    command = now.command
    if command is not None and (call.is_motion or call.issued_s >= command.ended_s):
        return True
    return call.issued_s - now.quiet_from_s > gap_s or call.issued_s - now.start_s > turn_s


def _last_end(start_s: float, calls: Iterable[LoggedCall]) -> float:
    return max([start_s, *(max(call.issued_s, call.ended_s) for call in calls)])


@dataclass(frozen=True)
class _Frame:
    """A turn's own time on the guard's clock."""

    origin_s: float
    end_s: float

    def at(self, t: float) -> float:
        """Return the turn's time at an instant of the guard's clock [s]."""
        return rounded(t - self.origin_s)

    def readings(self, readings: Mapping[str, Reading]) -> dict[str, Reading]:
        """Return readings with the turn's own sample times."""
        return {name: Reading(r.value, self.at(r.sampled_s)) for name, r in readings.items()}


class TurnWriter:
    """Writes the records of a part's turns."""

    def __init__(
        self,
        history: SensedHistory,
        calls: Sequence[LoggedCall],
        resets: Sequence[float],
        opened_s: float,
        end_s: float,
    ) -> None:
        """Take what happened.

        Args:
            history: What was sensed and told.
            calls: Every call of the part.
            resets: When the operator reset the robot [s].
            opened_s: When the part began [s].
            end_s: When it ended [s].
        """
        self._history = history
        self._opened_s, self._end_s = opened_s, end_s
        motions = (call for call in calls if call.executed is not None)
        self._motions = sorted(motions, key=lambda call: call.began_s)
        self._telling = sorted((call for call in calls if call.told), key=lambda call: call.ended_s)
        done = sorted((call for call in calls if call.ran), key=lambda call: call.ended_s)
        self._postures = [(c.ended_s, c.tool) for c in done if c.tool in ("sit_down", "stand_up")]
        stops = [(c.ended_s, "emergency_stop") for c in done if c.tool == "emergency_stop"]
        self._stops = sorted([*stops, *((at_s, "reset") for at_s in resets)])

    def records(self, spans: Sequence[Span]) -> tuple[TurnRecord, ...]:
        """Return the record of each turn."""
        frames = self._frames(spans)
        return tuple(
            self._record(k, span, frame) for k, (span, frame) in enumerate(zip(spans, frames, strict=True))
        )

    def _frames(self, spans: Sequence[Span]) -> list[_Frame]:
        """Return from when to when each turn is told; a turn lasts until the next one's."""
        origins = [max(self._opened_s, self._origin(k, span)) for k, span in enumerate(spans)]
        frames = []
        for k, span in enumerate(spans):
            end = self._end_s
            if k + 1 < len(spans):
                begun = origins[k + 1]
                end = begun if begun >= span.last_s else spans[k + 1].start_s
            frames.append(_Frame(origins[k], max(end, span.start_s)))
        return frames

    def _origin(self, k: int, span: Span) -> float:
        if k == 0:
            return min(span.start_s, self._history.known_from_s())
        return self._history.calm_before(span.start_s)

    def _record(self, index: int, span: Span, frame: _Frame) -> TurnRecord:
        duration = frame.at(frame.end_s)
        series = self._history.series(frame.origin_s, frame.end_s)
        told = self._told_anew(span, frame)
        tags = ("continues",) * span.continues + ("reset",) * span.is_reset
        return TurnRecord(
            index=index,
            turn_id=f"G{index:04}",
            phase="guard",
            utterance=UNKNOWN_WORDS,
            request=Request(tuple(Step(c.tool, dict(c.read_as)) for c in span.calls if _is_asked(c))),
            declared_s=duration,
            duration_s=duration,
            started_s=rounded(frame.origin_s - self._opened_s),
            start=self._state(span.start_s, frame, span.command),
            end=self._state(frame.end_s, frame, None),
            true=series,
            sensed=series,
            model_calls=(),
            events=_events((*told, *span.calls), frame),
            reply="",
            ended="replied",
            control_ended_s=min(duration, frame.at(_control_ended(span))),
            tags=tags,
            pushed=frame.readings(self._history.told_before(frame.origin_s)) if span.continues else {},
        )

    def _told_anew(self, span: Span, frame: _Frame) -> list[LoggedCall]:
        """Return the calls of turns before that told the model something after this one begins."""
        low = bisect_left(self._telling, frame.origin_s, key=lambda call: call.ended_s)
        high = bisect_right(self._telling, frame.end_s, key=lambda call: call.ended_s)
        return [call for call in self._telling[low:high] if call.issued_s < span.start_s]

    def _state(self, t: float, frame: _Frame, command: LoggedCall | None) -> RobotState:
        """Return the robot at an instant; where a command was asked for, from where it would lead on."""
        k = bisect_left(self._motions, t, key=lambda call: call.began_s) - 1
        last = self._motions[k] if k >= 0 else None
        under_way = last if last is not None and t < last.until_s else None
        pose = self._history.pose(t if command is None else command.issued_s)
        if command is not None and command.issued is not None:
            pose = replace(command.issued.start, yaw=pose.yaw)
        return RobotState(
            pose,
            "seated" if _newest(self._postures, t) == "sit_down" else "standing",
            self._history.last_number("battery.level", t, 100.0),
            _newest(self._stops, t) == "emergency_stop",
            None if under_way is None else under_way.executed,
            0.0 if under_way is None else frame.at(under_way.began_s),
        )


def _newest(marks: Sequence[tuple[float, str]], t: float) -> str:
    """Return the last of what was done up to `t`, or an empty text."""
    k = bisect_right(marks, t, key=lambda mark: mark[0]) - 1
    return marks[k][1] if k >= 0 else ""


def _is_asked(call: LoggedCall) -> bool:
    """Return whether a call stands for something the operator asked for."""
    return call.is_actuation and not call.by_guard


def _control_ended(span: Span) -> float:
    """Return when the model had its answer: to its command, unless the guard ended that before."""
    command = span.command
    if command is None:
        return _last_end(span.start_s, [call for call in span.calls if not call.by_guard])
    return command.ended_s if command.cut_s is None else command.cut_s


def _events(calls: Iterable[LoggedCall], frame: _Frame) -> tuple[ToolEvent, ...]:
    events: list[ToolEvent] = []
    model_calls = 0
    for index, call in enumerate(calls):
        events.append(_event(index, GUARD if call.by_guard else model_calls, call, frame))
        model_calls += not call.by_guard
    return tuple(events)


def _event(index: int, model_call: int, call: LoggedCall, frame: _Frame) -> ToolEvent:
    return ToolEvent(
        index,
        model_call,
        f"{'guard' if call.by_guard else 'call'}-{call.number}",
        call.tool,
        call.args,
        frame.at(call.issued_s),
        frame.at(call.ended_s),
        call.status,
        call.text,
        call.tool_class,
        readings=frame.readings(call.told),
        read_as=call.read_as,
        issued=call.issued,
        executed=call.executed,
        true=call.position,
        sensed=call.position,
        ran=call.ran,
        is_fault=call.is_fault,
        decision=call.decision,
    )
