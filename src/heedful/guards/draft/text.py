"""Writing a draft: YAML whose every hostile word is quoted, with a comment at each guess."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from heedful.guards.draft.signals import DraftedSignals

WIDTH = 1_000_000
MAX_COMMENT = 100
_SAFE_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*", re.ASCII)
HEADER = """\
# Drafted from the server's tool list. Every guess is marked 'check:' with its reason; everything unsure is an
# open point under 'review' and does not pass. Settle each point, delete it, and the map loads.
# Annotations such as readOnlyHint are claims of the server; none was used.
"""
CHECKS = "compare every line marked 'check:' ({0}) with the robot's documentation, then delete this point"


@dataclass
class DraftedTool:
    """A tool of the server, as far as it is understood."""

    name: str
    data: dict[str, Any]
    """Its declaration as a map writes it."""
    why: str
    notes: dict[str, str] = field(default_factory=dict)
    """Argument -> why it is taken for what it is."""
    problems: list[str] = field(default_factory=list)
    """Why it must not pass as it is."""


def one_line(text: str) -> str:
    """Return a text as one short line of printable characters."""
    shown = "".join(c if c.isprintable() else " " for c in text[: 10 * MAX_COMMENT])
    shown = " ".join(shown.split())
    return shown if len(shown) <= MAX_COMMENT else f"{shown[: MAX_COMMENT - 3]}..."


def write_draft(
    head: Mapping[str, Any], tools: Sequence[DraftedTool], signals: DraftedSignals, points: Mapping[str, str]
) -> str:
    """Return the text of a draft.

    Args:
        head: Its first fields.
        tools: Those that are understood.
        signals: Those that have a source, and those that have none.
        points: What a person must settle, by where.
    """
    lines = [f"{key}: {_flow(value)}" for key, value in head.items()]
    if tools:
        lines += ["", "tools:", *(line for tool in tools for line in _tool_lines(tool))]
    if signals.found:
        lines += ["", "signals:"]
        lines += [
            f"  {name}: {_flow(data)}  # check: {one_line(why)}"
            for name, (data, why) in signals.found.items()
        ]
    if signals.missing:
        lines += ["", "missing:", *_texts(signals.missing)]
    guesses = sum("# check:" in line for line in lines)
    settle = {"checks": CHECKS.format(guesses), **points} if guesses else points
    return "\n".join([HEADER + lines[0], *lines[1:], "", "review:", *_texts(settle), ""])


def _tool_lines(tool: DraftedTool) -> list[str]:
    kind = next(key for key in ("does", "class") if key in tool.data)
    lines = [f"  {_key(tool.name)}:  # check: {one_line(tool.why)}", f"    {kind}: {_flow(tool.data[kind])}"]
    args = tool.data.get("args", {})
    if args:
        lines.append("    args:")
    return lines + [
        f"      {_key(label)}: {_flow(data)}  # check: {one_line(tool.notes[label])}"
        for label, data in args.items()
    ]


def _texts(texts: Mapping[str, str]) -> list[str]:
    return [f"  {_key(name)}: {_quoted(' '.join(text.split()))}" for name, text in texts.items()]


def _key(text: str) -> str:
    is_safe = _SAFE_KEY.fullmatch(text) is not None and yaml.safe_load(text) == text
    return text if is_safe else _quoted(text)


def _quoted(text: str) -> str:
    return yaml.safe_dump(text, default_style='"', width=WIDTH).strip()


def _flow(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=WIDTH, sort_keys=False)
    return text.removesuffix("...\n").strip()
