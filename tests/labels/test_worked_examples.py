"""Every worked example of docs/concepts/labels.md holds, and the page prints exactly these examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from heedful.labels.label import SessionLabels
from heedful.labels.session import label_turns

from .notation import Said, said
from .page import render_example, render_overview
from .scripted import SPEC, play
from .worked import EXAMPLES
from .worked_example import Example, Expected, Variant

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "labels.md"
CASES = [
    pytest.param(example, variant, id=f"E{number:02}{variant.name}")
    for number, example in enumerate(EXAMPLES, start=1)
    for variant in example.variants
]


def run(example: Example, variant: Variant) -> SessionLabels:
    turns = [*example.turns[:-1], {**example.turns[-1], **variant.change}]
    records = play(turns, variant.scripts)
    return label_turns("worked", variant.after(records) if variant.after else records, SPEC)


def filled(want: Expected) -> Said:
    return Said(
        want.issued,
        want.executed or want.issued,
        want.sensed or want.issued,
        want.sensed_executed or (want.sensed if want.sensed else want.executed or want.issued),
        want.issues,
        want.exposure,
        want.conduct,
    )


@pytest.mark.parametrize(("example", "variant"), CASES)
def test_labels_are_those_derived_on_paper(example: Example, variant: Variant) -> None:
    labels = run(example, variant)
    found = [said(labels.turns[want.turn]) for want in variant.expected]
    assert found == [filled(want) for want in variant.expected]


@pytest.mark.parametrize(("example", "variant"), CASES)
def test_stale_beliefs_are_those_derived_on_paper(example: Example, variant: Variant) -> None:
    stale = [f"{i.invariants[0]} {i.detail}" for i in run(example, variant).stale_beliefs]
    ways = {"unread": "unread", "read": "read but ignored"}
    wanted = []
    for text in variant.stale:
        invariant, turns, way = text.split()
        wanted.append(f"{invariant} {turns} turn(s) after the release, {ways[way]}")
    assert stale == wanted


def test_there_are_forty_examples() -> None:
    assert len(EXAMPLES) == 40


def test_every_number_on_the_page_has_a_case_and_every_case_a_number() -> None:
    numbers = re.findall(r"^### (E\d\d) ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert numbers == [f"E{k:02}" for k in range(1, len(EXAMPLES) + 1)]


@pytest.mark.parametrize("number", range(1, len(EXAMPLES) + 1))
def test_the_page_prints_the_example_as_it_is_tested(number: int) -> None:
    assert render_example(number, EXAMPLES[number - 1]) in PAGE.read_text(encoding="utf-8")


def test_the_page_prints_the_overview() -> None:
    assert render_overview(EXAMPLES) in PAGE.read_text(encoding="utf-8")
