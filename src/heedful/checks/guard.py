"""Whether a guard holds commands to a spec: closed on what it does not know, exact on what it does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from heedful.checks.guard_bench import (
    ALLOWED,
    DENIED,
    HEADING,
    PERIOD_S,
    POSITION,
    WITH_KNOWN_PATH,
    Answer,
    Bench,
    MakeGuard,
    SensingGuard,
    ask,
    named,
)
from heedful.checks.guard_cases import boundary_problems
from heedful.errors import InputError
from heedful.guards.guard import Command
from heedful.spec.document import Signal
from heedful.spec.safety_spec import SafetySpec
from heedful.state.series import INFINITE
from heedful.trace.records import Reading

SHOWN = 20
BAD_NUMBERS: tuple[Any, ...] = (math.nan, math.inf, -math.inf, True, "1", None, [1.0])
BAD_SPEEDS: tuple[Any, ...] = (*BAD_NUMBERS, 0, -5.0, 100.5)
ALIASES = {"x": "X", "y": "goal", "angle_deg": "angle", "speed_percent": "speed", "linear_x": "x"}


class _Broken(Mapping[str, Any]):
    """Arguments that fail whoever reads them."""

    def __getitem__(self, name: str) -> Any:
        raise RuntimeError("broken arguments")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("broken arguments")

    def __len__(self) -> int:
        return 1


def check_guard(make_guard: MakeGuard, spec: SafetySpec) -> None:
    """Check that a guard keeps a spec, in states and by commands made from the spec.

    It is closed while a signal is absent, not a number, out of range, too old, frozen or dated ahead,
    on tools and arguments it does not know, and when something fails in it. It allows what needs no
    restriction, clamps to exactly the limit, and answers every generated boundary case as the spec says.
    Protective calls and calls that move nothing pass always. Cases of a release are put to guards with a
    `reset` only. What a guard does by itself (stopping motion, meeting an obligation) is not checked here.

    Args:
        make_guard: Returns a new guard for a spec, without margins.
        spec: The compiled spec.

    Raises:
        InputError: With every broken promise, at most 20 of them.
    """
    bench = Bench(make_guard, spec)
    problems = [
        *_still_calls(bench),
        *_quiet_state(bench),
        *_before_sensing(bench),
        *_unknown_signals(bench),
        *_unknown_place(bench),
        *_unknown_tools(bench),
        *_malformed(bench),
        *_failures(bench),
        *boundary_problems(bench),
    ]
    if problems:
        found = "\n".join(f"- {problem}" for problem in dict.fromkeys(problems[:SHOWN]))
        raise InputError(f"The guard does not keep {spec.name}:\n{found}")


def _still_calls(bench: Bench) -> Iterator[str]:
    """Yield protective calls, and calls that move nothing, that do not pass."""
    for guard, now_s, where in ((bench.fresh(), 0.0, "without samples"), (*bench.fed(bench.quiet, 1.0), "")):
        for tool, tool_class in bench.spec.document.tools.items():
            if tool_class in ("protective", "none"):
                why = ALLOWED.why_not(ask(guard, Command(tool, tool_class), now_s))
                yield from named(f"{tool} {where}".strip(), why)


def _quiet_state(bench: Bench) -> Iterator[str]:
    """Yield commands that are not answered as the spec says where as few rules as possible are active."""
    guard, now_s = bench.fed(bench.quiet, bench.settle_s)
    for command in bench.probes(bench.quiet):
        if not bench.is_unsure(command, bench.quiet):
            active = bench.keys(bench.spec.active(bench.quiet), bench.quiet)
            why = bench.expected(command, active, bench.quiet).why_not(ask(guard, command, now_s))
            yield from named(f"{command.tool} in a quiet state", why)


def _before_sensing(bench: Bench) -> Iterator[str]:
    """Yield commands that pass before any sample came."""
    active = bench.keys(bench.spec.state_ids, {})
    for command in bench.probes(bench.quiet):
        if bench.expected(command, active, {}).kind != "allow":
            yield from _restricted(command, ask(bench.fresh(), command, 0.0), "before any sample")


def _unknown_signals(bench: Bench) -> Iterator[str]:
    """Yield commands that pass although a rule on them reads what is not known."""
    for rule in bench.spec.state_ids:
        active = bench.keys([rule], {})
        commands = [c for c in bench.probes(bench.quiet) if bench.expected(c, active, bench.quiet) != ALLOWED]
        for name in bench.spec.conditions[rule].signals:
            for what, guard, now_s in _without(bench, name):
                for command in commands:
                    where = f"while {name} ({rule}) is {what}"
                    yield from _restricted(command, ask(guard, command, now_s), where)


def _without(bench: Bench, name: str) -> Iterator[tuple[str, SensingGuard, float]]:
    """Yield guards that know everything but one signal: what is wrong with it, the guard, the time."""
    quiet, settle_s = bench.quiet, bench.settle_s
    others = {other: value for other, value in quiet.items() if other != name}
    yield ("absent", *bench.fed(others, settle_s))
    for value, what in _bad_values(bench.spec.document.signals[name]):
        yield (what, *bench.fed({**quiet, name: value}, settle_s))
    too_old_s = bench.spec.max_age_s[name] + settle_s
    guard, now_s = bench.fed(quiet, 0.0)
    yield "too old", guard, bench.feed(guard, others, now_s, too_old_s)
    yield ("frozen", *_fed_dated(bench, name, 0.0, too_old_s))
    yield ("dated ahead", *_fed_dated(bench, name, 1e6, settle_s))


def _fed_dated(bench: Bench, name: str, sampled_s: float, seconds: float) -> tuple[SensingGuard, float]:
    """Return a guard that was given the same sample of one signal again and again."""
    guard, quiet = bench.fresh(), {HEADING: 0.0, **bench.quiet}
    for k in range(math.ceil(seconds / PERIOD_S) + 1):
        t = k * PERIOD_S
        readings = {other: Reading(value, t) for other, value in quiet.items()}
        guard.observe({**readings, name: Reading(quiet[name], sampled_s)}, t)
    return guard, math.ceil(seconds / PERIOD_S) * PERIOD_S


def _bad_values(signal: Signal) -> Iterator[tuple[Any, str]]:
    yield None, "unknown"
    yield math.nan, "not a number"
    yield ["?"], "of another type"
    if signal.range is not None:
        low, high = signal.range
        yield low - 1e-3, "below its range"
        yield high + 1e-3, "above its range"
        yield True, "a boolean"
        if signal.infinite is None:
            yield INFINITE, "infinite"
            yield math.inf, "infinite"
    elif signal.values is not None:
        yield "?", "no declared word"
    else:
        yield 1, "a number"


def _unknown_place(bench: Bench) -> Iterator[str]:
    """Yield walks and turns that pass while nobody knows where the robot is."""
    if not bench.spec.bounds:
        return
    for name in POSITION:
        values = {other: value for other, value in bench.quiet.items() if other != name}
        for place in (values, {**values, name: math.nan}):
            guard, now_s = bench.fed(place, bench.settle_s)
            for command in bench.probes(bench.quiet):
                if command.tool_class == "locomotion":
                    answer = ask(guard, command, now_s)
                    yield from named(f"{command.tool} without {name}", DENIED.why_not(answer))


def _unknown_tools(bench: Bench) -> Iterator[str]:
    """Yield tools that pass although the spec does not know them, or not as what they are said to be."""
    guard, now_s = bench.fed(bench.quiet, bench.settle_s)
    for command in bench.probes(bench.quiet):
        for other in (
            replace(command, tool=f"{command.tool}_2"),
            replace(command, tool_class="acrobatics"),
            replace(command, tool_class="none"),
        ):
            why = DENIED.why_not(ask(guard, other, now_s))
            yield from named(f"{other.tool} as {other.tool_class}", why)


def _malformed(bench: Bench) -> Iterator[str]:
    """Yield walks and turns that pass with arguments that are none."""
    guard, now_s = bench.fed(bench.quiet, bench.settle_s)
    for command in bench.probes(bench.quiet):
        if command.tool not in WITH_KNOWN_PATH:
            continue
        for args in _bad_arguments(command.args):
            why = DENIED.why_not(ask(guard, replace(command, args=args), now_s))
            yield from named(f"{command.tool} with {args}", why)


def _bad_arguments(args: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {**args, "unheard_of": 1.0}
    for name in args:
        rest = {other: value for other, value in args.items() if other != name}
        yield rest
        if name in ALIASES:
            yield {**rest, ALIASES[name]: args[name]}
        for value in BAD_SPEEDS if name == "speed_percent" else BAD_NUMBERS:
            yield {**args, name: value}


def _failures(bench: Bench) -> Iterator[str]:
    """Yield commands that pass although the guard cannot have judged them."""
    guard, now_s = bench.fed(bench.quiet, bench.settle_s)
    for command in bench.probes(bench.quiet):
        if command.tool in WITH_KNOWN_PATH:
            answer = ask(guard, replace(command, args=_Broken()), now_s)
            yield from named(f"{command.tool} with arguments that fail", DENIED.why_not(answer))
        restricted = bench.expected(command, bench.keys(bench.spec.state_ids, {}), {})
        if restricted.kind != "allow":
            for t, what in ((math.nan, "at no time"), (-1.0, "before its last sample")):
                yield from _restricted(command, ask(bench.fed(bench.quiet, 1.0)[0], command, t), what)


def _restricted(command: Command, answer: Answer, where: str) -> Iterator[str]:
    if answer.kind not in ("deny", "clamp"):
        yield f"{command.tool} {where} is answered {answer.kind!r}{answer.detail}"
