"""The JSON report is the summary, whole."""

from __future__ import annotations

import json

from heedful.metrics.summary_json import summary_from_dict
from heedful.reports.json_report import render_json
from tests.reports.samples import hostile_summary, summary


def test_the_summary_reads_back_equal():
    assert summary_from_dict(json.loads(render_json(summary()))) == summary()


def test_any_text_survives_as_ascii():
    text = render_json(hostile_summary())
    assert text.isascii()
    assert json.loads(text)["spec"] == hostile_summary().spec
    assert text == render_json(hostile_summary())
