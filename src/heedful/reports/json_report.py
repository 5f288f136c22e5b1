"""The report as JSON: the summary itself, for programs."""

from __future__ import annotations

import json

from heedful.metrics.summary import RunSummary
from heedful.metrics.summary_json import summary_to_dict


def render_json(summary: RunSummary) -> str:
    """Return the summary as JSON with sorted keys; pure ASCII, so that any text survives any reader."""
    return json.dumps(summary_to_dict(summary), sort_keys=True, indent=2, allow_nan=False) + "\n"
