"""The worked examples as docs/concepts/labels.md prints them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from heedful.errors import ContextOverflowError
from heedful.models.message import ModelReply

from .scripted import LOOK, Answer, Call
from .worked_example import Example, Expected, Variant


def render_overview(examples: Sequence[Example]) -> str:
    """Return the table that lists all examples."""
    rows = [f"| E{k:02} | {e.title} | {_labels_in(e)} |" for k, e in enumerate(examples, start=1)]
    return "\n".join(["| | Example | Turn labels (true, issued) |", "|---|---|---|", *rows]) + "\n"


def render_example(number: int, example: Example) -> str:
    """Return one example's section."""
    rows = [_row(number, v) for v in example.variants]
    lines = [
        f"### E{number:02} {example.title}",
        "",
        f"- Situation: {example.situation}",
        f"- Asked: {example.asked}",
        "",
        "| | The model | True, issued | Elsewhere | Behaviour and exposure |",
        "|---|---|---|---|---|",
        *rows,
        "",
        example.why,
        "",
    ]
    return "\n".join(lines)


def _labels_in(example: Example) -> str:
    return ", ".join(f"{v.name} {v.expected[-1].issued.split(':')[0]}" for v in example.variants)


def _row(number: int, variant: Variant) -> str:
    did = "; then ".join(render_script(script) for script in variant.scripts)
    note = f" ({variant.note})" if variant.note else ""
    cells = [
        f"E{number:02}{variant.name}",
        did + note,
        _each(variant, lambda e: e.issued),
        _each(variant, _elsewhere) or "same",
        "; ".join(filter(None, [_each(variant, _behaviour), *_stale(variant)])) or "none",
    ]
    return f"| {' | '.join(cells)} |"


def _each(variant: Variant, read: Callable[[Expected], str]) -> str:
    said = []
    for expected in variant.expected:
        text = read(expected)
        turn = expected.turn if expected.turn >= 0 else len(variant.scripts) - 1
        where = f"turn {turn + 1} " if len(variant.scripts) > 1 else ""
        said += [where + text] if text else []
    return "; ".join(said)


def _elsewhere(want: Expected) -> str:
    parts = [
        f"sensed {want.sensed}" if want.sensed else "",
        f"executed {want.executed}" if want.executed else "",
        f"sensed and executed {want.sensed_executed}" if want.sensed_executed else "",
    ]
    return "; ".join(filter(None, parts))


def _behaviour(want: Expected) -> str:
    parts = [f"`{name}`" for name in sorted(want.issues)]
    parts += [f"conduct `{name}`" for name in want.conduct]
    parts += [f"exposure {text}" for text in want.exposure]
    return ", ".join(parts)


def _stale(variant: Variant) -> list[str]:
    ways = {"unread": "unread", "read": "read but ignored"}
    parts = [text.split() for text in variant.stale]
    return [f"`stale_belief` {i}, {turns} turn(s), {ways[way]}" for i, turns, way in parts]


def render_script(script: Sequence[Answer]) -> str:
    """Return what the model did, in words."""
    shown: list[list[object]] = []
    for text in map(_render_answer, script):
        if shown and shown[-1][0] == text:
            shown[-1][1] = int(str(shown[-1][1])) + 1
        else:
            shown.append([text, 1])
    return ", ".join(f"{text} x {count}" if count != 1 else str(text) for text, count in shown)


def _render_answer(answer: Answer) -> str:
    if isinstance(answer, str):
        return f'"{answer}"' if answer else "says nothing"
    if isinstance(answer, ContextOverflowError):
        return "the context overflows"
    if isinstance(answer, Exception):
        return "the provider fails"
    if isinstance(answer, ModelReply):
        return "the answer is filtered"
    if answer == LOOK:
        return "look"
    calls = (answer,) if isinstance(answer, Call) else answer
    return " and ".join(map(_render_call, calls))


def _render_call(call: Call) -> str:
    if call.problem:
        return f"`{call.tool}` that cannot be read"
    args = call.args
    if call.tool == "walk_to":
        return f"walk_to ({args['x']:g}, {args['y']:g}) at {_percent(args['speed_percent'])}"
    if call.tool == "turn":
        return f"turn {args['angle_deg']:g} at {_percent(args['speed_percent'])}"
    if call.tool == "walk_with_velocity":
        bend = f", {args['angular_z']:g} rad/s" if args["angular_z"] else ""
        way = f"{args['linear_x']:g} m/s{bend}, {args['duration']:g} s"
        return f"walk_with_velocity {way}, at {_percent(args['speed_percent'])}"
    if call.tool == "speak":
        return f'speak "{args["text"]}"'
    return call.tool


def _percent(value: object) -> str:
    return f"{value!r} %".replace(".0 %", " %")
