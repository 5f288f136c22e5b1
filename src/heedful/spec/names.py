"""Words and tools that a spec names but does not declare: a typing error that would silence a rule."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.spec.document import InvariantDocument, Prohibit, Require
from heedful.spec.findings import Finding
from heedful.spec.safety_spec import SafetySpec
from heedful.spec.syntax import Call, Constant, Name, Node, walk


def names_findings(spec: SafetySpec) -> list[Finding]:
    """Return a finding for each rule, and one for the tools that read the signals."""
    readers = {signal.tool for signal in spec.document.signals.values()}
    strays = sorted(f"tool {tool!r}" for tool in readers if tool not in spec.document.tools)
    found = [_finding((), "every signal is read by a declared tool", strays)]
    for rule in spec.document.invariants:
        strays = sorted({*_stray_words(spec, rule), *_stray_tools(spec, rule)})
        found.append(_finding((rule.id,), f"{rule.id} names only declared words and tools", strays))
    return found


def _finding(rules: tuple[str, ...], claim: str, strays: list[str]) -> Finding:
    if not strays:
        return Finding("names", rules, claim, "proved", "info")
    return Finding("names", rules, claim, "refuted", "error", f"not declared: {', '.join(strays)}")


def _stray_tools(spec: SafetySpec, rule: InvariantDocument) -> Iterator[str]:
    response = rule.response
    named: tuple[str, ...] = ()
    if isinstance(response, Prohibit):
        named = response.except_tools
    elif isinstance(response, Require):
        named = (response.action, *response.then.except_tools)
    yield from (f"tool {tool!r}" for tool in named if tool not in spec.document.tools)


def _stray_words(spec: SafetySpec, rule: InvariantDocument) -> Iterator[str]:
    trees = [spec.conditions[rule.id].tree]
    if rule.id in spec.releases:
        trees.append(spec.releases[rule.id].tree)
    for tree in trees:
        for node in walk(tree):
            if isinstance(node, Call) and node.function in {"_==_", "_!=_", "@in"}:
                yield from _undeclared(spec, node)


def _undeclared(spec: SafetySpec, call: Call) -> Iterator[str]:
    """Yield the words that are compared with a text that never has that value."""
    allowed = [words for arg in call.args if (words := _allowed(spec, arg))]
    if not allowed:
        return
    for node in walk(call):
        if isinstance(node, Constant) and isinstance(node.value, str) and node.value not in allowed[0]:
            yield f"word {node.value!r} (allowed: {', '.join(allowed[0])})"


def _allowed(spec: SafetySpec, node: Node) -> tuple[str, ...]:
    if not isinstance(node, Name):
        return ()
    if node.name == "command.tool":
        return tuple(spec.document.tools)
    if node.name == "command.class":
        return tuple(dict.fromkeys(spec.document.tools.values()))
    signal = spec.document.signals.get(node.name)
    return (signal.values or ()) if signal else ()
