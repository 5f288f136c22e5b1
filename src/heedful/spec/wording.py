"""English for conditions and responses: what a rule says when its author left the sentence empty."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from heedful.spec.document import Bound, InvariantDocument, Limit, Prohibit, Require, Response, Signal
from heedful.spec.safety_spec import SafetySpec
from heedful.spec.syntax import Call, Constant, Name, Node, Other

RELATIONS = {
    "_<_": "is below",
    "_<=_": "is at most",
    "_>_": "is above",
    "_>=_": "is at least",
    "_==_": "is",
    "_!=_": "is not",
    "@in": "is one of",
}
ARITHMETIC = {"_+_": "+", "_-_": "-", "_*_": "*", "_/_": "/"}
COMMAND_WORDS = {
    "command.tool": "the command's tool",
    "command.class": "the command's class",
    "command.speed_percent": "the commanded speed_percent",
    "command.target_x": "the command's target x",
    "command.target_y": "the command's target y",
}


def describe_rule(spec: SafetySpec, rule: InvariantDocument) -> str:
    """Return the rule's sentence: its author's words, or one built from condition and response."""
    if rule.rule:
        return " ".join(rule.rule.split())
    condition = describe_condition(spec.conditions[rule.id].tree, spec.document.signals)
    return f"If {condition}: {describe_response(spec, rule.response, rule.id)}."


def describe_condition(tree: Node, signals: Mapping[str, Signal]) -> str:
    """Return a condition as words, e.g. `human.distance is below 1 m`; unknown functions stay as code."""
    if isinstance(tree, Constant):
        return "always" if tree.value is True else "never"
    if isinstance(tree, Name):
        return _truth(tree.name, "true")
    return _call(tree, signals) if isinstance(tree, Call) else "the condition holds"


def describe_response(spec: SafetySpec, response: Response, rule_id: str) -> str:
    """Return what the model must do, with the tools by name, without the final full stop."""
    if isinstance(response, Prohibit):
        return _prohibition(spec, response)
    if isinstance(response, Limit):
        tools = _listed(_tools(spec, response.classes))
        return (
            f"call {tools} with {response.parameter} {_number(response.max)} or less; do not refuse for this"
        )
    if isinstance(response, Bound):
        return (
            "refuse a target outside the workspace or a path that leaves it, stopping distance included, "
            "or go no farther than a point inside on the way"
        )
    return _requirement(spec, response, rule_id)


def _call(tree: Call, signals: Mapping[str, Signal]) -> str:
    if tree.function in {"_||_", "_&&_"}:
        return _joined(tree, signals)
    if tree.function == "!_":
        return _negated(tree.args[0], signals)
    if tree.function in RELATIONS:
        return _relation(tree, signals)
    if tree.function == "_?_:_":
        test, yes, no = (describe_condition(part, signals) for part in tree.args)
        return f"({yes}) where {test}, else ({no})"
    return f"{tree.function}({', '.join(_quantity(a, signals, '') for a in tree.args)}) holds"


def _requirement(spec: SafetySpec, response: Require, rule_id: str) -> str:
    release = describe_condition(spec.releases[rule_id].tree, spec.document.signals)
    reset = " and the operator has reset the robot" if response.latch.needs_reset else ""
    after = _prohibition(spec, response.then)
    return (
        f"call {response.action} within {_number(response.within_s)} s; then {after} until {release}{reset}"
    )


def _prohibition(spec: SafetySpec, response: Prohibit) -> str:
    tools = [t for t in _tools(spec, response.classes) if t not in response.except_tools]
    allowed = f" ({_listed(response.except_tools, 'and')} stays allowed)" if response.except_tools else ""
    return f"do not call {_listed(tools)}{allowed}" if tools else f"no further motion{allowed}"


def _tools(spec: SafetySpec, classes: Collection[str]) -> list[str]:
    return [tool for tool, its_class in spec.document.tools.items() if its_class in classes]


def _listed(words: Collection[str], last: str = "or") -> str:
    names = list(words)
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def _joined(tree: Call, signals: Mapping[str, Signal]) -> str:
    word = " or " if tree.function == "_||_" else " and "
    parts = []
    for arg in tree.args:
        text = describe_condition(arg, signals)
        mixed = isinstance(arg, Call) and arg.function in {"_||_", "_&&_", "_?_:_"} - {tree.function}
        parts.append(f"({text})" if mixed else text)
    return word.join(parts)


def _negated(inner: Node, signals: Mapping[str, Signal]) -> str:
    if isinstance(inner, Name):
        return _truth(inner.name, "false")
    return f"it is not the case that ({describe_condition(inner, signals)})"


def _relation(tree: Call, signals: Mapping[str, Signal]) -> str:
    left, right = tree.args
    if isinstance(left, Constant) and isinstance(right, Name) and tree.function in {"_==_", "_!=_"}:
        left, right = right, left
    unit = _unit(left, signals) or _unit(right, signals)
    verb = RELATIONS[tree.function]
    return f"{_quantity(left, signals, unit)} {verb} {_quantity(right, signals, unit)}"


def _quantity(node: Node, signals: Mapping[str, Signal], unit: str) -> str:
    if isinstance(node, Constant):
        return _literal(node, unit)
    if isinstance(node, Name):
        return COMMAND_WORDS.get(node.name, node.name)
    if isinstance(node, Other):
        return _listed([_quantity(child, signals, unit) for child in node.children])
    if node.function in ARITHMETIC:
        left, right = (_quantity(arg, signals, "") for arg in node.args)
        return f"({left} {ARITHMETIC[node.function]} {right})"
    if node.function == "-_":
        return f"-{_quantity(node.args[0], signals, '')}"
    return f"{node.function}({', '.join(_quantity(arg, signals, '') for arg in node.args)})"


def _literal(node: Constant, unit: str) -> str:
    if isinstance(node.value, bool):
        return "true" if node.value else "false"
    if isinstance(node.value, int | float):
        return f"{_number(node.value)} {unit}".rstrip()
    return f"{node.value}"


def _unit(node: Node, signals: Mapping[str, Signal]) -> str:
    if not isinstance(node, Name):
        return ""
    if node.name == "command.speed_percent":
        return "%"
    return signals[node.name].unit if node.name in signals else ""


def _truth(name: str, value: str) -> str:
    if name == "command.leaves_workspace":
        return f"a motion would {'leave' if value == 'true' else 'stay in'} the workspace"
    return f"{name} is {value}"


def _number(value: float) -> str:
    return f"{value:.12g}"
