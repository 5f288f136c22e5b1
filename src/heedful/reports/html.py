"""The HTML report: one page that opens from a file, fetches nothing and shows data as text only.

Charts and tables are in the page as written here and need no script. The timeline's sessions travel
compressed and are opened by the page's script. The same input gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from typing import Any

from heedful.metrics.digest import arm_of
from heedful.metrics.summary import ArmKey, RunSummary
from heedful.reports.arms import Session, distinguish_arms, full_title
from heedful.reports.bodies import body_facts, stand_in_sentences
from heedful.reports.body_words import fall_sentences
from heedful.reports.charts.svg import patterns
from heedful.reports.clips import NO_CLIPS, ClipReel
from heedful.reports.markup import Markup, element, escape, join
from heedful.reports.sections import clip_section, closing_sections, navigation, result_sections
from heedful.reports.text import one_line, printable
from heedful.reports.timeline import pack, session_payload
from heedful.spec.document import SpecDocument

_SLOT = re.compile(r"\{\{(\w+)\}\}")


def render_html(
    summary: RunSummary,
    sessions: Iterable[Session] = (),
    spec: SpecDocument | None = None,
    reel: ClipReel = NO_CLIPS,
) -> str:
    """Return the whole report as one HTML page.

    Args:
        summary: The run's results.
        sessions: Traces with their labels for the timeline, in the order to list them; read once.
        spec: The spec's document, to list the rules with their sources.
        reel: Clips of violations.
    """
    index, payloads = _packed(sessions, full_title if len(summary.scenarios) > 1 else lambda key: key.title)
    summary = distinguish_arms(summary)
    style, script = _asset("page.css"), _asset("page.js")
    models = dict.fromkeys(arm.key.model for arm in summary.arms)
    return _fill(
        _asset("page.html"),
        {
            "policy": escape(_policy(style, script)),
            "version": escape(summary.heedful),
            "title": escape(f"heedful: {summary.spec}, {', '.join(summary.scenarios)}"),
            "style": style,
            "patterns": patterns(),
            "heading": escape(_heading(len(summary.arms), len(models), summary.sessions)),
            "statement": escape(summary.statement),
            "identity": _identity(summary),
            "navigation": navigation(summary, reel),
            "sections": join([*result_sections(summary), *clip_section(reel)], "\n"),
            "after": join(closing_sections(summary, spec), "\n"),
            "kept": _kept(len(index), summary.sessions),
            "sessions": _script_json(index),
            "payloads": join(payloads, "\n"),
            "script": script,
        },
    )


def _packed(
    sessions: Iterable[Session], title: Callable[[ArmKey], str]
) -> tuple[list[dict[str, Any]], list[Markup]]:
    index, payloads = [], []
    for position, (trace, labels) in enumerate(sessions):
        info = trace.info
        index.append(
            {
                "session": printable(info.session),
                "arm": printable(title(arm_of(info))),
                "repetition": info.repetition,
                "seed": info.seed,
                "complete": trace.is_complete,
            }
        )
        packed = Markup(pack(session_payload(trace, labels)))
        payloads.append(element("script", packed, type="application/gzip+base64", id=f"session-{position}"))
    return index, payloads


def _kept(timelines: int, sessions: int) -> Markup:
    """Return how many sessions the timeline holds, where that is not all of them."""
    if not timelines or timelines >= sessions:
        return Markup()
    words = f"The timeline holds {timelines} of {sessions} sessions; every figure above is over all of them."
    return element("p", words, class_="note")


def _heading(arms: int, models: int, sessions: int) -> str:
    return f"{_counted(models, 'model')} in {_counted(arms, 'arm')}, {_counted(sessions, 'session')}"


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _identity(summary: RunSummary) -> Markup:
    facts = (
        ("Spec", summary.spec, one_line(summary.spec_hash, 17)),
        ("Scenario", ", ".join(summary.scenarios), ""),
        ("Judge", summary.judge, ""),
        ("Seed", str(summary.seed), ""),
        ("Sessions", f"{summary.sessions} of {summary.expected_sessions}", ""),
        ("heedful", summary.heedful, summary.version),
    )
    bodies = [(f"Body, {b.layer}", b.facts.get("body", ""), body_facts(b)) for b in summary.bodies]
    rows = [element("div", element("dt", name), _fact(value, detail)) for name, value, detail in facts]
    rows += [
        element("div", element("dt", name), _fact(value, detail), class_="whole")
        for name, value, detail in bodies
    ]
    parts = [element("dl", *rows, class_="facts")]
    parts += [element("p", words, class_="alert", role="note") for words in _alerts(summary)]
    if summary.sessions < summary.expected_sessions:
        words = (
            f"Incomplete run: {summary.sessions} of {summary.expected_sessions} sessions are in this report."
        )
        parts.append(element("p", words, class_="alert", role="note"))
    return join(parts)


def _alerts(summary: RunSummary) -> list[str]:
    return [*fall_sentences(summary), *stand_in_sentences(summary)]


def _fact(value: str, detail: str) -> Markup:
    return element("dd", value, *([element("small", detail)] if detail else []))


def _policy(style: str, script: str) -> str:
    """Return a content security policy under which only this page's own script and style run."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _script_json(value: Any) -> Markup:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(value, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _fill(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its slots filled in one pass, so that no value is read as a slot."""
    return _SLOT.sub(lambda match: values[match.group(1)], template)


def _asset(name: str) -> str:
    return (resources.files("heedful.reports") / "page" / name).read_text(encoding="utf-8")
