"""A report of one model on two layers: every format has the comparison, and a stand-in is named as one."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from functools import cache

import pytest
from rich.console import Console

from heedful.labels.label import Label
from heedful.metrics.digest import LabelledSession
from heedful.metrics.layer_result import LayerComparison
from heedful.metrics.summarise import summarise_run
from heedful.metrics.summary import BodyUse, RunSummary
from heedful.metrics.summary_json import summary_from_dict, summary_to_dict
from heedful.metrics.turn_facts import describe_turns
from heedful.reports.arms import Session
from heedful.reports.bodies import STAND_IN
from heedful.reports.html import render_html
from heedful.reports.junit import render_junit
from heedful.reports.layer_tables import (
    agreement_table,
    cause_table,
    confusion_tables,
    disagreement_table,
    ranking_sentences,
    ranking_table,
)
from heedful.reports.limits import limit_sentences
from heedful.reports.markdown import render_markdown
from heedful.reports.sarif import render_sarif
from heedful.reports.terminal import print_summary
from tests.reports.samples import EVIL, SPEC, oracle_session, real_session, summary
from tests.reports.test_markup import read

TITLES = (
    "Agreement between layers",
    "Differences between layers, paired",
    "Ranking of models",
    "Why turns differ",
    "Labels on text (rows) and sim (columns)",
    "Turns that differ",
)
BODY = {"body": "kinematic", "people": "cylinders"}
CHANGED = 30
"""The first scored turn at or after this one gets another label on the second layer."""


def on_sim(session: Session) -> Session:
    """Return a session as if a stand-in had run it, one turn labelled otherwise."""
    trace, labels = session
    name = f"{trace.info.session}--sim"
    info = replace(trace.info, session=name, layer="sim", body=BODY)
    position = next(
        k
        for k, turn in enumerate(labels.turns)
        if k >= CHANGED and turn.verdict("true", "issued").label is Label.C1
    )
    turn = labels.turns[position]
    changed = replace(turn, verdicts=(replace(turn.verdicts[0], label=Label.C2), *turn.verdicts[1:]))
    turns = (*labels.turns[:position], changed, *labels.turns[position + 1 :])
    return replace(trace, info=info), replace(labels, session=name, turns=turns)


@cache
def sessions() -> tuple[Session, ...]:
    found = (oracle_session(), real_session())
    return (*found, *(on_sim(session) for session in found))


@cache
def layered() -> RunSummary:
    labelled = [
        LabelledSession(t.info, t.turns, labels, facts=describe_turns(t.turns, labels, SPEC))
        for t, labels in sessions()
    ]
    return summarise_run(labelled, spec=SPEC, expected_sessions=4, seed=0)


def comparison() -> LayerComparison:
    found = layered().layers
    assert found is not None
    return found


@pytest.fixture(scope="module")
def page() -> str:
    return render_html(layered(), sessions(), SPEC.document)


def printed(result: RunSummary, width: int = 200) -> str:
    out = io.StringIO()
    print_summary(Console(file=out, width=width), result)
    return out.getvalue()


def test_a_run_of_one_layer_says_nothing_of_layers():
    page = render_html(summary())
    assert 'href="#layers"' not in page
    assert "Agreement" not in page
    assert "Agreement" not in render_markdown(summary())
    assert "Between layers" not in printed(summary())


def test_every_format_has_the_comparison(page):
    text = read(page).words
    markdown = render_markdown(layered(), SPEC.document)
    for title in TITLES:
        assert title in text
        assert title in markdown.replace("\\", "")
    assert 'href="#layers"' in page
    assert "Between layers" in printed(layered())


def test_one_changed_label_is_one_disagreement_of_a_hundred():
    rows = agreement_table(comparison()).rows
    assert [row[2].text for row in rows] == ["99.0", "99.0"]
    assert [row[-1].text for row in rows] == ["1", "1"]
    for table in confusion_tables(comparison()):
        by_label = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
        columns = [column.title for column in table.columns[1:]]
        assert by_label["C1"][columns.index("C2")] == "1"


def test_a_disagreement_shows_both_sessions_labels_and_calls():
    table = disagreement_table(comparison())
    assert len(table.rows) == 2
    row = table.rows[0]
    assert row[1].text == "unexplained"
    assert row[3].text == "C1 / C2"
    assert [row[k].text for k in (4, 5)] == ["text", "sim"]
    assert row[5].detail.split("; ")[0].endswith("--sim")
    assert [cell.text for cell in cause_table(comparison()).rows[0][2:]] == ["1"]


def test_the_ranking_is_kept_and_said_in_words(page):
    assert [row[2].text for row in ranking_table(comparison()).rows] == ["yes", "yes"]
    for sentence in ranking_sentences(comparison()):
        assert "kept, tau-b 1.00." in sentence
        assert sentence in read(page).words


def test_a_stand_in_is_named_plainly_in_every_report(page):
    words = f"Layer sim: the body in 2 sessions is {STAND_IN} (kinematic, people cylinders)."
    assert page.count('class="alert"') == 1
    assert words in read(page).words
    assert words in render_markdown(layered(), SPEC.document).replace("\\", "")
    assert words in printed(layered(), 1000)
    assert words in limit_sentences(layered())
    properties = json.loads(render_sarif(layered(), sessions(), SPEC.document))["runs"][0]["properties"]
    assert properties["bodies"] == [words]
    assert render_junit(layered()).count('name="body" value="kinematic, people cylinders"') == 2
    assert summary_to_dict(layered())["bodies"][0]["facts"] == BODY


def test_a_body_with_physics_is_named_and_alarms_nobody():
    body = BodyUse("sim", {"body": "mujoco_g1", "mujoco": "3.16", "assets": "abc"}, 4)
    page = render_html(replace(summary(), bodies=(body,)))
    assert "mujoco_g1, assets abc, mujoco 3.16" in read(page).words
    assert 'class="alert"' not in page
    assert STAND_IN not in page


def test_the_comparison_survives_json():
    assert summary_from_dict(summary_to_dict(layered())).layers is not None
    again = summary_from_dict(summary_to_dict(summary_from_dict(summary_to_dict(layered()))))
    assert summary_to_dict(again) == summary_to_dict(layered())


def test_the_same_sessions_give_the_same_bytes(page):
    assert render_html(layered(), sessions(), SPEC.document) == page


def test_hostile_names_stay_text():
    found = comparison()
    side = replace(found.pairs[0].disagreements[0].a, session=EVIL, calls=EVIL, true_active=EVIL)
    bad = replace(found.pairs[0].disagreements[0], turn_id=EVIL, why=EVIL, a=side, b=side)
    pair = replace(found.pairs[0], model=EVIL, conditions=EVIL, scenario=EVIL, a=EVIL, disagreements=(bad,))
    ranked = tuple(replace(m, model=EVIL) for m in found.rankings[0].models)
    ranking = replace(found.rankings[0], models=ranked, swapped=((EVIL, EVIL),), is_kept=False)
    hostile = replace(
        layered(),
        layers=LayerComparison((pair,), (ranking,)),
        bodies=(BodyUse(EVIL, {"body": EVIL, EVIL: EVIL}, 1),),
    )
    page = render_html(hostile)
    assert page.count("<script") == render_html(layered()).count("<script")
    assert "<img src=x" not in page
    assert "\x1b" not in printed(hostile)
    assert "<script>window" not in render_markdown(hostile)
