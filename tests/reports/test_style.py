"""The page's colours are readable by light and by dark (WCAG 2.2: 1.4.3 text, 1.4.11 shapes)."""

from __future__ import annotations

import re
from importlib import resources

import pytest

CSS = (resources.files("heedful.reports") / "page" / "page.css").read_text(encoding="utf-8")
TEXT = [
    ("ink", "paper"), ("soft", "paper"), ("accent", "paper"), ("ink", "tint"), ("soft", "tint"),
    ("accent", "tint"), ("on-c1", "c1"), ("on-c2", "c2"), ("on-c3", "c3"), ("on-c4", "c4"),
    ("on-na", "na"), ("on-invalid", "invalid"), ("ink", "warn"),
]  # fmt: skip
SHAPES = [("c1", "paper"), ("edge-c2", "paper"), ("edge-c3", "paper"), ("c4", "paper"), ("invalid", "paper")]


def colours(which: int) -> dict[str, str]:
    block = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[which]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))


def luminance(colour: str) -> float:
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("which", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "back"), TEXT)
def test_text_is_readable(which, front, back):
    found = colours(which)
    assert contrast(found[front], found[back]) >= 4.5


@pytest.mark.parametrize("which", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "back"), SHAPES)
def test_shapes_stand_out(which, front, back):
    found = colours(which)
    assert contrast(found[front], found[back]) >= 3
