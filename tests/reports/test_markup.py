"""Markup is escaped by default, in text, attributes and names."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from heedful.reports.markup import Markup, breakable, element, escape, join
from heedful.reports.text import printable
from tests.reports.samples import HOSTILE


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += data


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


@pytest.mark.parametrize("raw", HOSTILE)
def test_hostile_text_reads_back_as_text_and_attribute(raw):
    reader = read(element("p", raw, title=raw))
    assert reader.tags == [("p", {"title": printable(raw)})]
    assert reader.words == printable(raw)


def test_markup_is_not_escaped_twice():
    inner = element("b", "a & b")
    assert element("p", inner) == "<p><b>a &amp; b</b></p>"
    assert escape(inner) is inner
    assert join(("<", Markup("<br>"))) == "&lt;<br>"


def test_attributes_are_written_as_html_names_them():
    made = element(
        "svg", class_="a", aria_label="b", hidden=True, width=None, open=False, y=1.5, viewBox="0 0 1 1"
    )
    assert made == '<svg class="a" aria-label="b" hidden y="1.5" viewBox="0 0 1 1"></svg>'
    assert element("br") == "<br>"


@pytest.mark.parametrize("raw", [*HOSTILE, "a/b_c&d/e"])
def test_breaks_change_no_word(raw):
    reader = read(breakable(raw))
    assert reader.words == printable(raw)
    assert {tag for tag, _ in reader.tags} <= {"wbr"}
