"""Untrusted text becomes visible and valid, and loses nothing a reader needs."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from heedful.reports.text import one_line, printable
from tests.reports.samples import EVIL, HOSTILE


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain text", "plain text"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("windows\r\nline", "windows\nline"),
        ("\x1b[31m", "\u241b[31m"),
        ("\x00\x7f", "\u2400\u2421"),
        ("\x9b", "<U+009B>"),
        ("\u202eevil", "<U+202E>evil"),
        ("\ud800", "<U+D800>"),
        ("\U000e0041", "<U+E0041>"),
        ("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"),
        ("\u05e9\u05dc\u05d5\u05dd", "\u05e9\u05dc\u05d5\u05dd"),
    ],
)
def test_what_cannot_be_seen_becomes_a_mark(raw, shown):
    assert printable(raw) == shown


@pytest.mark.parametrize("raw", HOSTILE)
def test_printable_text_is_utf8_and_valid_xml(raw):
    text = printable(raw)
    root = ET.Element("a", b=text)
    root.text = text
    read = ET.fromstring(ET.tostring(root, encoding="utf-8"))  # noqa: S314 - our own output
    assert read.text == text


def test_printable_is_stable():
    assert printable(printable(EVIL)) == printable(EVIL)


def test_one_line_is_cut_with_an_ellipsis():
    assert one_line("a\n b\t c") == "a b c"
    assert one_line("x" * 300, 10) == "x" * 9 + "\u2026"
