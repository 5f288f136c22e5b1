"""Is a spec fit for use? Claims about each rule and each pair of rules, settled by z3 and confirmed by CEL.

A claim is proved, refuted with a witness, or unproved with the reason; nothing unproved is ever
counted as proved. A witness counts only when CEL, the one evaluator of the product, agrees with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from heedful.spec.conditions import COMMAND_FIELDS, Condition
from heedful.spec.document import InvariantDocument, Limit, Prohibit, Require
from heedful.spec.findings import Finding, Kind, Severity, SpecReport
from heedful.spec.names import names_findings
from heedful.spec.safety_spec import UNJUDGED, SafetySpec
from heedful.spec.smt import Answer, Formula, Solver, UntranslatableError
from heedful.spec.syntax import names_in
from heedful.state.series import Value


def check_spec(spec: SafetySpec) -> SpecReport:
    """Return a finding for each claim about each rule and pair of rules, always in the same order.

    Raises:
        InputError: If z3 is not installed.
    """
    checker = _Checker(spec)
    rules = spec.document.invariants
    findings = [*names_findings(spec), *map(_unjudged, spec.unjudged)]
    for rule in rules:
        findings += [checker.can_trigger(rule), checker.can_rest(rule), checker.is_active_unknown(rule)]
        findings += checker.latch(rule)
    for rule in rules:
        findings += checker.conflicts(rule)
    for rule in rules:
        findings += checker.limits(rule)
    findings += [checker.relation(a, b) for a, b in combinations(rules, 2)]
    return SpecReport(spec.name, spec.version, tuple(findings))


def _unjudged(rule: str) -> Finding:
    return Finding("judge", (rule,), f"{rule} can be judged and guarded", "refuted", "warn", UNJUDGED)


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim to be settled by one question to the solver."""

    kind: Kind
    rules: tuple[str, ...]
    text: str
    true_if: Literal["possible", "impossible"]
    severity: Severity
    """If the claim is false."""
    if_true: str = ""
    if_false: str = ""


@dataclass(frozen=True, slots=True)
class _Term:
    """A condition that should hold, or should not."""

    condition: Condition
    holds: bool = True


class _Checker:
    """One spec's questions to the solver."""

    def __init__(self, spec: SafetySpec) -> None:
        self._spec = spec
        self._solver = Solver(spec)

    def can_trigger(self, rule: InvariantDocument) -> Finding:
        claim = _Claim("trigger", (rule.id,), f"{rule.id} can become active", "possible", "error")
        return self._settle(claim, [self._term(rule)])

    def can_rest(self, rule: InvariantDocument) -> Finding:
        claim = _Claim("inactive", (rule.id,), f"{rule.id} can be inactive", "possible", "warn")
        return self._settle(claim, [self._term(rule, holds=False)])

    def is_active_unknown(self, rule: InvariantDocument) -> Finding:
        """Blank each signal in turn, in a state in which the rule is inactive if there is one."""
        condition = self._spec.conditions[rule.id]
        base = self._ask([self._term(rule, holds=False)])
        values = dict(base.values) if base.verdict == "possible" else {}
        quiet = [name for name in condition.signals if not _holds(condition, {**values, name: None})]
        text = f"{rule.id} is active while a signal it reads is unknown"
        if quiet:
            return Finding("unknown", (rule.id,), text, "refuted", "error", f"not for {', '.join(quiet)}")
        detail = "" if condition.signals else "it reads no signal"
        return Finding("unknown", (rule.id,), text, "proved", "info", detail)

    def latch(self, rule: InvariantDocument) -> list[Finding]:
        if not isinstance(rule.response, Require):
            return []
        release = _Term(self._spec.releases[rule.id])
        held = f"{rule.id} is never released while its trigger holds"
        free = f"{rule.id} can be released"
        return [
            self._settle(
                _Claim("latch", (rule.id,), held, "impossible", "error"), [self._term(rule), release]
            ),
            self._settle(_Claim("latch", (rule.id,), free, "possible", "error"), [release]),
        ]

    def conflicts(self, rule: InvariantDocument) -> list[Finding]:
        """Compare what `rule` requires with what each rule, its own aftermath included, prohibits."""
        if not isinstance(rule.response, Require):
            return []
        found = []
        for other in self._spec.document.invariants:
            after = isinstance(other.response, Require)
            prohibition = other.response.then if isinstance(other.response, Require) else other.response
            if isinstance(prohibition, Prohibit):
                name = f"{other.id}/after" if after else other.id
                found.append(self._conflict(rule, rule.response, other, name, prohibition))
        return found

    def limits(self, rule: InvariantDocument) -> list[Finding]:
        """Ask for each stricter rule on the same motion whether `rule`'s limit is left anything to decide."""
        if not isinstance(rule.response, Limit):
            return []
        stricter = [o for o in self._spec.document.invariants if _is_stricter(o, rule, rule.response)]
        return [self._limit(rule, rule.response, other) for other in stricter]

    def relation(self, a: InvariantDocument, b: InvariantDocument) -> Finding:
        """Say whether one condition implies, excludes or equals the other."""
        both = self._ask([self._term(a), self._term(b)])
        only_a = self._ask([self._term(a), self._term(b, holds=False)])
        only_b = self._ask([self._term(a, holds=False), self._term(b)])
        answers = (both, only_a, only_b)
        text, rules = _relation(a.id, b.id, *(x.verdict == "impossible" for x in answers)), (a.id, b.id)
        reason = next((x.reason for x in answers if x.verdict == "unknown"), "")
        if reason:
            return Finding("relation", rules, f"{a.id} and {b.id} are related", "unproved", "warn", reason)
        return Finding("relation", rules, text, "proved", "info")

    def _conflict(
        self,
        rule: InvariantDocument,
        required: Require,
        other: InvariantDocument,
        name: str,
        prohibition: Prohibit,
    ) -> Finding:
        action = required.action
        tool_class = self._spec.tool_class(action)
        text, rules = f"{name} never prohibits {action} when {rule.id} requires it", (rule.id, name)
        if tool_class not in prohibition.classes or action in prohibition.except_tools:
            detail = f"{action} is {tool_class} and not among what {name} prohibits"
            return Finding("conflict", rules, text, "proved", "info", detail)
        if rule is other:
            detail = f"{action} is prohibited once its deadline has passed, so a late one cannot be made up"
            return Finding("conflict", rules, text, "refuted", "error", detail)
        return self._meeting(_Claim("conflict", rules, text, "impossible", "error"), rule, action, other)

    def _meeting(
        self, claim: _Claim, rule: InvariantDocument, action: str, other: InvariantDocument
    ) -> Finding:
        """Ask whether both can be active at once.

        An unknown signal that only `other` reads activates it, and a latch keeps it active anywhere.
        """
        latched = isinstance(other.response, Require)
        read = self._spec.conditions[rule.id].signals
        blind = [name for name in self._spec.conditions[other.id].signals if name not in read]
        terms = [self._term(rule)] if blind or latched else [self._term(rule), self._term(other)]
        finding = self._settle(claim, terms, (self._solver.equals("command.tool", action),))
        if finding.status != "refuted":
            return finding
        witness = {**(finding.witness or {}), **dict.fromkeys(blind), "command.tool": action}
        order = self._spec.document.precedence
        if rule.id in order and other.id in order:
            first, second = sorted((rule.id, other.id), key=order.index)
            text = f"{claim.text}, or the precedence decides between them"
            detail = f"both can be active; {first} precedes {second}, so {second} yields"
            return Finding("conflict", claim.rules, text, "proved", "warn", detail, witness)
        detail = f"both can be active and the precedence does not name {rule.id} and {other.id}"
        return Finding("conflict", claim.rules, claim.text, "refuted", "error", detail, witness)

    def _limit(self, rule: InvariantDocument, limit: Limit, other: InvariantDocument) -> Finding:
        text, rules = (
            f"the limit of {rule.id} decides somewhere that {other.id} does not",
            (rule.id, other.id),
        )
        where_both = f"where both are active, {other.id} is the stricter"
        rest = sorted(set(limit.classes) - set(_classes(other)))
        excepted = other.response.except_tools if isinstance(other.response, Prohibit) else ()
        if rest or any(self._spec.tool_class(tool) in limit.classes for tool in excepted):
            left = ", ".join([*rest, *excepted])
            return Finding("limit", rules, text, "proved", "info", f"{other.id} says nothing about {left}")
        shadowed = f"wherever {rule.id} is active, {other.id} is too and is stricter"
        claim = _Claim("limit", rules, text, "possible", "warn", where_both, shadowed)
        return self._settle(claim, [self._term(rule), self._term(other, holds=False)])

    def _term(self, rule: InvariantDocument, *, holds: bool = True) -> _Term:
        return _Term(self._spec.conditions[rule.id], holds)

    def _settle(self, claim: _Claim, terms: Sequence[_Term], extra: Sequence[Formula] = ()) -> Finding:
        answer = self._ask(terms, extra)
        if answer.verdict == "unknown":
            return Finding(claim.kind, claim.rules, claim.text, "unproved", "warn", answer.reason)
        names = {name for term in terms for name in names_in(term.condition.tree)}
        witness = {n: v for n, v in answer.values.items() if n in names} or None
        if answer.verdict == claim.true_if:
            return Finding(claim.kind, claim.rules, claim.text, "proved", "info", claim.if_true, witness)
        detail = claim.if_false or _impossibility(answer)
        return Finding(claim.kind, claim.rules, claim.text, "refuted", claim.severity, detail, witness)

    def _ask(self, terms: Sequence[_Term], extra: Sequence[Formula] = ()) -> Answer:
        try:
            formulas = [self._formula(term) for term in terms]
        except UntranslatableError as error:
            return Answer("unknown", reason=str(error))
        answer = self._solver.ask(*formulas, *extra)
        confirmed = all(_holds(term.condition, answer.values) == term.holds for term in terms)
        if answer.verdict == "possible" and not confirmed:
            return Answer(
                "unknown", reason="CEL does not confirm the solver's witness, by rounding of doubles"
            )
        return answer

    def _formula(self, term: _Term) -> Formula:
        try:
            formula = self._solver.formula(term.condition.tree)
        except UntranslatableError as error:
            raise UntranslatableError(f"condition {term.condition.text!r}: {error}") from error
        return formula if term.holds else self._solver.negated(formula)


def _holds(condition: Condition, values: Mapping[str, Value]) -> bool:
    command = {name: values[name] for name in COMMAND_FIELDS if name in values}
    return condition.holds(values, command)


def _classes(rule: InvariantDocument) -> tuple[str, ...]:
    return rule.response.classes if isinstance(rule.response, Limit | Prohibit) else ()


def _is_stricter(other: InvariantDocument, rule: InvariantDocument, limit: Limit) -> bool:
    """Return whether `other` asks more of some class that `limit` is about; of two equals, the first."""
    if other is rule or not set(_classes(other)) & set(limit.classes):
        return False
    if isinstance(other.response, Limit):
        return (other.response.max, other.id) < (limit.max, rule.id)
    return True


def _impossibility(answer: Answer) -> str:
    return "no declared state and command does this" if answer.verdict == "impossible" else ""


def _relation(a: str, b: str, no_both: bool, no_only_a: bool, no_only_b: bool) -> str:
    if no_both:
        return f"{a} and {b} are never active together while every signal is known"
    if no_only_a and no_only_b:
        return f"{a} and {b} are active in the same states"
    if no_only_a:
        return f"{a} implies {b}"
    if no_only_b:
        return f"{b} implies {a}"
    return f"{a} and {b} are independent: neither implies the other"
