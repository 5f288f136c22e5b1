"""The spec as text: the rules a model reads once in its system prompt, and a Markdown page for people."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.spec.document import InvariantDocument, Signal
from heedful.spec.safety_spec import SafetySpec
from heedful.spec.wording import describe_rule

UNKNOWN_SENTENCE = (
    "If a value a rule needs is missing, stale or out of range, treat the rule as active. "
    "All active rules apply together."
)


def render_rules(spec: SafetySpec) -> str:
    """Return the rules for the system prompt: plain text, one line a rule, the same for the same spec."""
    document = spec.document
    lines = [f"Safety rules ({spec.name} {spec.version}):"]
    lines += [f"{rule.id} - {rule.title}: {describe_rule(spec, rule)}" for rule in document.invariants]
    if document.parameters:
        lines.append(f"Parameters: {_parameters(spec)}.")
    lines.append(_workspace(spec))
    lines.append(UNKNOWN_SENTENCE)
    return "\n".join(lines)


def render_spec(spec: SafetySpec) -> str:
    """Return the spec as a Markdown page: rules with their sources, signals, parameters, workspace, tools."""
    document = spec.document
    named = f"`{spec.name}` version {spec.version}, judged by `{document.judge}`."
    lines = [f"# {document.title}", "", named, ""]
    if document.notes:
        lines += [_one_line(document.notes), ""]
    lines += ["## Invariants", "", *_invariant_table(spec), ""]
    lines += ["## Sentences the model reads", ""]
    lines += [f"- **{rule.id}**: {describe_rule(spec, rule)}" for rule in document.invariants]
    lines += ["", "## Signals", "", *_signal_table(spec), ""]
    if document.parameters:
        lines += ["## Parameters", "", *_parameter_table(spec), ""]
    lines += ["## Workspace", "", _workspace(spec), ""]
    lines += ["## Tools", "", *_table(("class", "tools"), _tools_by_class(spec)), ""]
    if document.precedence:
        lines += [f"Precedence, the first wins: {', '.join(document.precedence)}.", ""]
    return "\n".join(lines)


def _parameters(spec: SafetySpec) -> str:
    return ", ".join(f"{n} = {_quantity(p.value, p.unit)}" for n, p in spec.document.parameters.items())


def _workspace(spec: SafetySpec) -> str:
    area = spec.document.workspace
    corners = ", ".join(f"({x:.12g}, {y:.12g})" for x, y in area.polygon)
    frame = f"{area.frame} frame, {area.unit}"
    return f"Workspace ({frame}): the polygon with corners {corners}; its border belongs to it."


def _invariant_table(spec: SafetySpec) -> list[str]:
    head = ("id", "title", "active when", "response", "window", "hazard", "source", "clause", "checked")
    rows = [
        (
            rule.id,
            rule.title,
            f"`{rule.when}`",
            _response(rule),
            f"{rule.window_s:.12g} s",
            rule.hazard,
            rule.source.standard,
            rule.source.clause,
            "yes" if rule.source.checked else (rule.source.note or "no"),
        )
        for rule in spec.document.invariants
    ]
    return _table(head, rows)


def _response(rule: InvariantDocument) -> str:
    response = rule.response
    if response.kind == "prohibit":
        excepted = f" except {', '.join(response.except_tools)}" if response.except_tools else ""
        return f"prohibit {', '.join(response.classes)}{excepted}"
    if response.kind == "limit":
        return f"limit {response.parameter} to {response.max:.12g} for {', '.join(response.classes)}"
    if response.kind == "bound":
        return f"bound targets to the {response.region} ({response.mode})"
    then, latch = response.then, response.latch
    reset = " and an operator reset" if latch.needs_reset else ""
    return (
        f"require {response.action} within {response.within_s:.12g} s, then prohibit "
        f"{', '.join(then.classes)} until `{latch.release_when}`{reset}"
    )


def _signal_table(spec: SafetySpec) -> list[str]:
    head = ("signal", "type", "unit", "allowed", "max age", "tool", "description")
    rows = [
        (
            f"`{name}`",
            signal.type,
            signal.unit,
            _allowed(signal),
            f"{signal.max_age_s:.12g} s",
            f"`{signal.tool}`",
            signal.description,
        )
        for name, signal in spec.document.signals.items()
    ]
    return _table(head, rows)


def _allowed(signal: Signal) -> str:
    if signal.values:
        return ", ".join(signal.values)
    if signal.range is None:
        return "true, false"
    infinite = f", or infinite ({signal.infinite})" if signal.infinite else ""
    return f"{signal.range[0]:.12g} to {signal.range[1]:.12g}{infinite}"


def _parameter_table(spec: SafetySpec) -> list[str]:
    rows = [(f"`{n}`", _quantity(p.value, p.unit), p.note) for n, p in spec.document.parameters.items()]
    return _table(("parameter", "value", "note"), rows)


def _tools_by_class(spec: SafetySpec) -> list[tuple[str, ...]]:
    tools = spec.document.tools
    classes = dict.fromkeys(tools.values())
    return [(c, ", ".join(f"`{t}`" for t, its in tools.items() if its == c)) for c in classes]


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    body = [head, tuple("---" for _ in head), *rows]
    return [f"| {' | '.join(_one_line(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in body]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _quantity(value: float, unit: str) -> str:
    return f"{value:.12g} {unit}".rstrip()
