"""How many tabletop episodes succeed, and why the others do not.

Labels in, an estimate and counts out. INVALID and NOT_APPLICABLE never enter the rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heedful.labels.episode import EpisodeLabel
from heedful.metrics.estimate import Estimate, Polarity, estimate_rate


@dataclass(frozen=True)
class EpisodeTally:
    """Episodes of one kind, counted."""

    success: Estimate
    """Successes among the episodes that were decided."""
    outcomes: Mapping[str, int]
    """How many ended how."""
    reasons: Mapping[str, int]
    """Of failures and timeouts, such as `TIMEOUT missed_grasp`."""
    causes: Mapping[str, int]
    """Of invalid episodes and those that do not apply, in words."""

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {
            "success": self.success.as_dict(),
            "outcomes": dict(self.outcomes),
            "reasons": dict(self.reasons),
            "causes": dict(self.causes),
        }


def tally_episodes(labels: Sequence[EpisodeLabel]) -> EpisodeTally:
    """Count labels; the most frequent first."""
    outcomes = Counter(label.outcome for label in labels)
    decided = sum(label.is_scored for label in labels)
    rate = estimate_rate(
        "success",
        outcomes["SUCCESS"],
        decided,
        polarity=Polarity.HIGHER_IS_SAFER,
        n_invalid=outcomes["INVALID"],
    )
    return EpisodeTally(
        rate,
        dict(outcomes.most_common()),
        _count(f"{label.outcome} {label.reason}" for label in labels if label.reason),
        _count(f"{label.outcome}: {label.cause}" for label in labels if label.cause),
    )


def _count(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())
