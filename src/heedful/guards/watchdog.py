"""Loops and floods of tool calls: what keeps a model from doing the same in vain for ever.

It knows no spec and no sensor: whether a command is safe is the guard's question. A stop, a sit and an
emergency stop pass always.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from heedful.errors import InputError

LONG_AGO = -math.inf
MAX_DEPTH = 20
MAX_NUMBERS = 64
MAX_MARKS = 256
MAX_PARSED = 10_000
"""Longest result that is looked into [characters]; a longer one is compared as it is."""
_CLOCK = re.compile(r"(?:^|_)(?:age|time|timestamp|stamp|elapsed|seq)(?:_|$)")
"""Fields of a result that change by themselves: a reading that only grew older is no news."""


@dataclass(frozen=True, slots=True)
class WatchdogSettings:
    """How much of the same is too much."""

    max_calls: int = 20
    """Calls a turn."""
    max_turn_s: float = 120.0
    """How long a turn takes calls [s]."""
    equal_calls: int = 3
    """Equal calls with equal results in a row after which an equal one is refused."""
    equal_pairs: int = 2
    """Equal pairs of two calls with equal results after which a third pair is refused."""
    similar_calls: int = 6
    """Calls of one tool in a row, none of which succeeded, after which a similar one is refused."""
    similarity: float = 0.1
    """Numbers are similar when they differ by less than this share of the larger one."""
    reissues: int = 3
    """How often a command that was clamped or denied may come again unchanged within a turn."""
    gap_s: float = 10.0
    """Quiet time after which a turn begins where nobody says when one does [s]."""

    def check(self) -> None:
        """Refuse settings that mean nothing.

        Raises:
            InputError: With what is wrong and what is allowed.
        """
        for name in ("max_calls", "equal_calls", "equal_pairs", "similar_calls", "reissues"):
            self._check(name, "a number from 1 to 256", 1 <= getattr(self, name) <= MAX_MARKS)
        for name in ("max_turn_s", "gap_s"):
            self._check(name, "a time above 0 s", 0 < getattr(self, name) < math.inf)
        self._check("similarity", "0 or more and below 1", 0 <= self.similarity < 1)

    def _check(self, name: str, allowed: str, is_allowed: bool) -> None:
        if not is_allowed:
            raise InputError(f"Watchdog setting {name} must be {allowed}, not {getattr(self, name)}.")


@dataclass(frozen=True, slots=True)
class _Mark:
    """A call as it is compared with others; of bounded size whatever the model sent."""

    tool: str
    shape: str
    """Digest of the arguments, numbers left out; empty where they have no comparable form."""
    numbers: tuple[float, ...] = ()
    rest: str = ""
    """Digest of the numbers beyond the first `MAX_NUMBERS`."""


@dataclass(frozen=True, slots=True)
class _Done:
    """A call that was carried out, or failed."""

    mark: _Mark
    result: str
    is_error: bool


class Watchdog:
    """Refuses calls that go round in circles, too many calls, and calls after the turn's time.

    Whoever knows the turns says when one begins (`begin_turn`). A proxy does not know them: where nobody
    ever called `begin_turn`, a turn begins with the first call after `gap_s` in which no call passed.
    Refused, denied and protective calls leave that gap quiet. So the cap slows a model that never pauses,
    but cannot lock a robot for ever. What is kept is bounded, in number and in size.
    """

    def __init__(self, settings: WatchdogSettings | None = None) -> None:
        """Take the settings.

        Raises:
            InputError: If they mean nothing.
        """
        self.settings = settings or WatchdogSettings()
        self.settings.check()
        self._knows_turns = False
        self._passed_s = LONG_AGO
        self._refused: _Mark | None = None
        self._start_turn(None)

    def begin_turn(self, now_s: float) -> None:
        """Start a turn: nothing of the one before counts any more.

        Args:
            now_s: The caller's monotonic clock [s].
        """
        self._knows_turns = True
        self._start_turn(now_s)

    def review(self, tool: str, args: Mapping[str, Any], now_s: float, *, is_protective: bool) -> str | None:
        """Return why a call is refused, as the model shall read it; None to let it pass.

        Args:
            tool: The tool's name.
            args: Its arguments as the model wrote them.
            now_s: The caller's monotonic clock [s].
            is_protective: Whether it is a stop, a sit or an emergency stop: never refused.
        """
        if not self._knows_turns and now_s - self._passed_s >= self.settings.gap_s:
            self._start_turn(None)
        mark = _mark_of(tool, args)
        why = None if is_protective else self._why_refused(mark, now_s)
        if why is not None:
            self._refused = mark
            return why
        self._count(mark, now_s)
        if not is_protective:
            self._passed_s = now_s
        return None

    def note(self, tool: str, args: Mapping[str, Any], result: str, is_error: bool, now_s: float) -> None:
        """Take note of what became of a call.

        A call that `review` refused is no part of any loop and leaves no trace. A call that never came to
        `review`, because the guard denied it or it could not be read, counts like any other.

        Args:
            tool: The tool's name.
            args: Its arguments as the model wrote them.
            result: What the model was told.
            is_error: Whether it failed, was denied or could not be read.
            now_s: The caller's monotonic clock [s].
        """
        mark = _mark_of(tool, args)
        if self._open[mark] == 0:
            if mark == self._refused:
                return
            self._count(mark, now_s)
        self._open[mark] -= 1
        self._recent.append(_Done(mark, _steady(result), is_error))

    def restricted(self, tool: str, args: Mapping[str, Any]) -> None:
        """Take note that the guard clamped or denied a command; what `review` refused does not count."""
        mark = _mark_of(tool, args)
        if mark == self._refused:
            return
        if mark in self._restricted or len(self._restricted) < MAX_MARKS:
            self._restricted[mark] += 1

    def _start_turn(self, now_s: float | None) -> None:
        settings = self.settings
        longest = max(settings.equal_calls, 2 * settings.equal_pairs, settings.similar_calls)
        self._began_s = now_s
        self._calls = 0
        self._recent: deque[_Done] = deque(maxlen=longest)
        self._open: Counter[_Mark] = Counter()
        self._restricted: Counter[_Mark] = Counter()
        self._refused = None

    def _count(self, mark: _Mark, now_s: float) -> None:
        """Count a call that was not refused, and await its result."""
        if self._began_s is None:
            self._began_s = now_s
        self._calls += 1
        if len(self._open) >= MAX_MARKS:
            self._open.clear()
        self._open[mark] += 1
        if mark == self._refused:
            self._refused = None

    def _why_refused(self, mark: _Mark, now_s: float) -> str | None:
        settings = self.settings
        if self._calls >= settings.max_calls:
            return f"Watchdog: the limit of {settings.max_calls} tool calls a turn is reached."
        if self._began_s is not None and not now_s - self._began_s <= settings.max_turn_s:
            return f"Watchdog: the turn's time of {settings.max_turn_s:g} s is over."
        found = self._loop_with(mark)
        return None if found is None else f"Watchdog: {found}. Do something else."

    def _loop_with(self, mark: _Mark) -> str | None:
        """Return the loop that one more call `mark` would go on with, in words."""
        settings, tool = self.settings, mark.tool
        if not mark.shape:
            return None
        if self._restricted[mark] > settings.reissues:
            return f"{tool} was restricted and came again {settings.reissues} times unchanged"
        if self._repeats(mark, 1, settings.equal_calls):
            return f"{tool} came {settings.equal_calls} times in a row with equal arguments and results"
        if self._repeats(mark, 2, settings.equal_pairs):
            return f"the same two calls came {settings.equal_pairs} times in a row with equal results"
        if self._hammers(mark):
            return f"{tool} failed {settings.similar_calls} times in a row with almost the same arguments"
        return None

    def _repeats(self, mark: _Mark, period: int, times: int) -> bool:
        """Return whether the last calls are `times` equal rounds of `period`, and `mark` begins another."""
        length = period * times
        last = list(self._recent)[-length:]
        if len(last) < length or last[0].mark != mark or len({d.mark for d in last[:period]}) < period:
            return False
        return all(last[k] == last[k % period] for k in range(length))

    def _hammers(self, mark: _Mark) -> bool:
        """Return whether the last calls all failed, each almost equal to the one before, `mark` included."""
        last = list(self._recent)[-self.settings.similar_calls :]
        if len(last) < self.settings.similar_calls or not all(done.is_error for done in last):
            return False
        marks = [*(done.mark for done in last), mark]
        return all(_is_similar(a, b, self.settings.similarity) for a, b in pairwise(marks))


def _is_similar(a: _Mark, b: _Mark, share: float) -> bool:
    """Return whether two calls differ in numbers only, and in none of them by `share` or more."""
    if (a.tool, a.shape, a.rest) != (b.tool, b.shape, b.rest) or not a.numbers:
        return False
    pairs = zip(a.numbers, b.numbers, strict=False)
    return all(x == y or abs(x - y) < share * max(abs(x), abs(y)) for x, y in pairs)


def _mark_of(tool: str, args: Mapping[str, Any]) -> _Mark:
    name = tool if len(tool) <= MAX_NUMBERS else f"{tool[:MAX_NUMBERS]}... {_digest(tool)}"
    numbers: list[float] = []
    try:
        shape = _digest(_shape_of(args, numbers, 0))
    except (TypeError, ValueError, OverflowError):
        return _Mark(name, "")
    rest = _digest(numbers[MAX_NUMBERS:]) if len(numbers) > MAX_NUMBERS else ""
    return _Mark(name, shape, tuple(numbers[:MAX_NUMBERS]), rest)


def _shape_of(value: Any, numbers: list[float], depth: int) -> Any:
    """Return JSON data without its finite numbers, which are added to `numbers` in a fixed order.

    Raises:
        ValueError: If it is nested too deep.
        OverflowError: If a whole number is beyond every float.
    """
    if depth > MAX_DEPTH:
        raise ValueError
    if isinstance(value, Mapping):
        names = sorted(value, key=str)
        return {str(name): _shape_of(value[name], numbers, depth + 1) for name in names}
    if isinstance(value, list | tuple):
        return [_shape_of(inner, numbers, depth + 1) for inner in value]
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        numbers.append(float(value))
        return 0
    return value if value is None or isinstance(value, bool) else f"text {value}"


def _steady(result: str) -> str:
    """Return a digest of what a result says, fields that change by themselves apart."""
    if result.startswith("{") and len(result) <= MAX_PARSED:
        try:
            told = json.loads(result)
        except (ValueError, RecursionError):
            return _digest(result)
        return _digest({name: value for name, value in told.items() if not _CLOCK.search(name)})
    return _digest(result)


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
