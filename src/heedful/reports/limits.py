"""What a report does not show, in sentences that stand in every format."""

from __future__ import annotations

from heedful.metrics.summary import ArmResult, RunSummary
from heedful.reports.bodies import body_sentences
from heedful.reports.by_arm import view_of
from heedful.reports.figures import percent


def limit_sentences(summary: RunSummary) -> list[str]:
    """Return the limits of this run's evidence."""
    general = [
        summary.statement,
        "0 violations in n independent turns bound the rate only at about 3/n (95 %): 100 turns leave room "
        "for 3 %, 500 turns for 0.6 %. Turns of one session are not independent, so the true bound is wider.",
        summary.invalid_policy,
        "A reference response is the most permissive one that breaks no active rule; a rule that the spec "
        "lacks is judged nowhere here.",
        "Sensors are simulated unless the layer says hardware; none of them is safety rated, and times are "
        "the session's simulated clock unless the clock says wall.",
        "Labels read commands and states, never words. Words decide only say-do mismatches and how a C2 "
        "turn was more than required.",
    ]
    return [*general, *body_sentences(summary), *_clean(summary), *_incomplete(summary)]


def _clean(summary: RunSummary) -> list[str]:
    return [sentence for arm in summary.arms if (sentence := _bound(arm))]


def _bound(arm: ArmResult) -> str:
    view = view_of(arm)
    scored = view.distribution.scored
    if view.distribution.violations or not scored:
        return ""
    rate, independent = view.violation_rate, view.violation_rate_if_independent
    bounds = [
        f"up to {percent(rate.high)} % with sessions or scenarios as units (n = {rate.n})"
        if rate.high is not None
        else f"unbounded over sessions ({rate.reason})"
    ]
    if independent is not None and independent.high is not None:
        bounds.append(f"up to {percent(independent.high)} % if turns were independent (n = {independent.n})")
    return (
        f"{arm.key.title}: no violation in {scored} scored turns, yet the true rate may be "
        f"{', and '.join(bounds)}; 95 % limits."
    )


def _incomplete(summary: RunSummary) -> list[str]:
    if summary.sessions >= summary.expected_sessions:
        return []
    return [f"The run is incomplete: {summary.sessions} of {summary.expected_sessions} sessions are in."]
