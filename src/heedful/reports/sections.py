"""The page's static sections, in reading order: each a heading, a sentence, charts and tables."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.metrics.layer_result import LayerComparison
from heedful.metrics.summary import RunSummary
from heedful.reports.arm_tables import headline_table
from heedful.reports.behaviour_tables import (
    claim_count_table,
    conduct_table,
    exposure_table,
    issue_table,
    latency_table,
    pass_table,
    rejection_table,
    subtype_table,
    token_table,
)
from heedful.reports.bodies import body_sentences
from heedful.reports.body_tables import (
    BODY_LEAD,
    fall_table,
    has_body,
    limit_table,
    motion_table,
    prohibition_table,
    speed_table,
    standstill_table,
)
from heedful.reports.body_words import standstill_sentences
from heedful.reports.charts.bars import invariant_bars, label_bars, phase_bars, turn_strips
from heedful.reports.charts.curves import survival_chart, token_chart
from heedful.reports.charts.guard import productivity_chart, residual_bars
from heedful.reports.charts.intervals import drift_chart, sps_chart
from heedful.reports.charts.layers import agreement_chart
from heedful.reports.clips import CLIP_LEAD, NO_CLIPS, ClipReel, clip_parts
from heedful.reports.figure_tables import PRIMARY_AXIS, survival_table
from heedful.reports.guard_tables import (
    WALL_CLOCK,
    executed_sense_table,
    guard_exposure_table,
    has_guard,
    intervention_table,
    paired_table,
    reaction_table,
    restriction_table,
)
from heedful.reports.html_table import fold, folded, table_element
from heedful.reports.layer_tables import (
    LAYER_LEAD,
    cause_table,
    confusion_tables,
    disagreement_table,
    has_layers,
    layer_difference_table,
    ranking_sentences,
    ranking_table,
)
from heedful.reports.limits import limit_sentences
from heedful.reports.markup import Markup, element
from heedful.reports.run_tables import (
    claims_table,
    comparison_table,
    paper_table,
    rule_table,
    sense_table,
    session_table,
)
from heedful.spec.document import SpecDocument

NAVIGATION = (
    ("arms", "Arms"),
    ("labels", "Labels"),
    ("violations", "Violations"),
    ("guard", "Guard"),
    ("body", "Body"),
    ("layers", "Layers"),
    ("time", "Over the session"),
    ("behaviour", "Behaviour"),
    ("cost", "Tokens and latency"),
    ("comparisons", "Comparisons"),
    ("clips", "Clips"),
    ("timeline", "Timeline"),
    ("limits", "Limits"),
    ("paper", "The paper"),
)


def result_sections(summary: RunSummary) -> list[Markup]:
    """Return what stands before the timeline."""
    guard = (_guard,) if has_guard(summary) else ()
    body = (_body,) if has_body(summary) else ()
    layers = (_layers,) if has_layers(summary) else ()
    build = (_arms, _labels, _violations, *guard, *body, *layers, _time, _behaviour, _cost, _comparisons)
    return [section_of(summary) for section_of in build]


def closing_sections(summary: RunSummary, document: SpecDocument | None) -> list[Markup]:
    """Return what stands after the timeline."""
    paper = paper_table(summary)
    sentences = element("ul", *(element("li", words) for words in limit_sentences(summary)), class_="limits")
    rules = [table_element(rule_table(document))] if document else []
    tables = (exposure_table(summary), claims_table(summary))
    parts = [sentences, *(table_element(table) for table in tables), *rules]
    lead = "What this report does not show, and what its numbers rest on."
    return [
        section("limits", "Limits", lead, parts),
        section(
            "paper", "The paper\u2019s figures", "Printed by others about others.", [table_element(paper)]
        ),
    ]


def section(key: str, title: str, lead: str, parts: Iterable[Markup]) -> Markup:
    """Return one section of the page."""
    heading = element("h2", title, id=f"{key}-h")
    return element("section", heading, element("p", lead), *parts, id=key, aria_labelledby=f"{key}-h")


def clip_section(reel: ClipReel) -> list[Markup]:
    """Return the section of clips; nothing where there is nothing to film."""
    parts = clip_parts(reel)
    return [section("clips", "Clips", CLIP_LEAD, parts)] if parts else []


def navigation(summary: RunSummary, reel: ClipReel = NO_CLIPS) -> Markup:
    """Return links to every section that the page has."""
    absent = {"guard"} if not has_guard(summary) else set()
    absent |= {"body"} if not has_body(summary) else set()
    absent |= {"layers"} if not has_layers(summary) else set()
    absent |= {"clips"} if reel == NO_CLIPS else set()
    shown = [(key, words) for key, words in NAVIGATION if key not in absent]
    return Markup("".join(element("a", words, href=f"#{key}") for key, words in shown))


def _arms(summary: RunSummary) -> Markup:
    lead = (
        "One row per arm: a model under one set of conditions. Brackets are 95 % intervals with sessions as "
        "clusters; point at a figure to see its n and method."
    )
    parts = [
        table_element(headline_table(summary), with_title=False),
        folded(session_table(summary), "Every session"),
    ]
    return section("arms", "Arms", lead, parts)


def _labels(summary: RunSummary) -> Markup:
    lead = "Each turn with an active trigger gets one label, the worst of its decisions."
    charts = [label_bars(summary), sps_chart(summary), turn_strips(summary)]
    return section("labels", "Labels", lead, charts)


def _violations(summary: RunSummary) -> Markup:
    lead = "Where the rules were broken, and in which part of the session."
    return section("violations", "Violations", lead, [invariant_bars(summary), phase_bars(summary)])


def _guard(summary: RunSummary) -> Markup:
    lead = (
        "What the guard between model and robot left of the violations, what it cost in permitted motion, "
        f"and how soon it acted. {WALL_CLOCK}"
    )
    parts = [
        residual_bars(summary),
        folded(paired_table(summary), "Guard against none, paired"),
        productivity_chart(summary),
        table_element(reaction_table(summary)),
        table_element(restriction_table(summary)),
        table_element(intervention_table(summary)),
        folded(executed_sense_table(summary)),
        table_element(guard_exposure_table(summary)),
    ]
    return section("guard", "Guard", lead, parts)


def _body(summary: RunSummary) -> Markup:
    told = [element("p", words, class_="note") for words in standstill_sentences(summary)]
    first, later = (fall_table, speed_table, limit_table), (standstill_table, prohibition_table)
    parts = [
        *(table_element(build(summary)) for build in first),
        *told,
        *(table_element(build(summary)) for build in later),
        folded(motion_table(summary)),
    ]
    return section("body", "Body", BODY_LEAD, parts)


def _layers(summary: RunSummary) -> Markup:
    layers = summary.layers or LayerComparison((), ())
    parts = [
        agreement_chart(layers),
        table_element(layer_difference_table(summary.comparisons)),
        table_element(ranking_table(layers)),
        table_element(cause_table(layers)),
        *(folded(table) for table in confusion_tables(layers)),
        folded(disagreement_table(layers)),
    ]
    words = [*body_sentences(summary), *ranking_sentences(layers)]
    told = [element("p", sentence, class_="note") for sentence in words]
    return section("layers", "Layers", LAYER_LEAD, [*told, *parts])


def _time(summary: RunSummary) -> Markup:
    lead = "How long a session goes without a violation, and whether behaviour changes as it goes on."
    curves = dict.fromkeys((s.axis, s.view) for arm in summary.arms for s in arm.survival)
    others = [
        fold(f"The same over {axis}, {state} state", survival_chart(summary, axis, state))
        for axis, state in curves
        if (axis, state) != (PRIMARY_AXIS, "true")
    ]
    parts = [survival_chart(summary), *others, table_element(survival_table(summary))]
    return section(
        "time",
        "Over the session",
        lead,
        [*parts, folded(pass_table(summary), "pass^k"), drift_chart(summary)],
    )


def _behaviour(summary: RunSummary) -> Markup:
    lead = "How the model went about it. An ignored stop is critical and stands beside violations."
    more = (rejection_table, subtype_table, conduct_table, claim_count_table)
    parts = [
        table_element(issue_table(summary)),
        *(folded(table) for table in (build(summary) for build in more)),
    ]
    return section("behaviour", "Behaviour", lead, parts)


def _cost(summary: RunSummary) -> Markup:
    lead = "What a session costs in tokens, time and distance walked while the model thinks."
    parts = [token_chart(summary), folded(token_table(summary)), table_element(latency_table(summary))]
    return section("cost", "Tokens and latency", lead, parts)


def _comparisons(summary: RunSummary) -> Markup:
    lead = "Arms against each other, and what the sensors reported against what was true."
    tables = (comparison_table, sense_table)
    return section("comparisons", "Comparisons", lead, [table_element(table(summary)) for table in tables])
