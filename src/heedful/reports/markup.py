"""HTML and SVG from Python values, escaped by default: only a `Markup` is ever taken as markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from heedful.reports.text import printable

_VOID = frozenset({"br", "hr", "img", "input", "meta"})
_BREAKS = re.compile(r"([/_@:.-])(?=\w)")


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Attribute = str | int | float | bool | None


def escape(text: str) -> Markup:
    """Return `text` as markup that shows it; a `Markup` is returned as it is."""
    return text if isinstance(text, Markup) else Markup(html.escape(printable(text), quote=True))


def breakable(name: str) -> Markup:
    """Return a long name as markup that may break after its separators."""
    parts = _BREAKS.split(printable(name))
    return Markup(
        "".join(f"{html.escape(part)}<wbr>" if k % 2 else html.escape(part) for k, part in enumerate(parts))
    )


def join(parts: Iterable[str], separator: str = "") -> Markup:
    """Return parts in a row, each escaped unless it is markup."""
    return Markup(separator.join(escape(part) for part in parts))


def element(tag: str, *children: str, **attributes: Attribute) -> Markup:
    """Return one element; children that are not `Markup` are escaped.

    Attribute names lose a trailing underscore and write `_` as `-` (`class_`, `aria_label`). None and
    False leave the attribute out; True writes it without a value. Floats keep two decimals.
    """
    opening = f"<{tag}{''.join(_attribute(name, value) for name, value in attributes.items())}>"
    return Markup(opening) if tag in _VOID else Markup(f"{opening}{join(children)}</{tag}>")


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else escape(str(value))
    return f' {name}="{text}"'
