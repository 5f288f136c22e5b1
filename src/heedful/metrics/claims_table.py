"""How well the phrase table reads words, on the replies it was not tuned on.

Shown beside say-do mismatches, the only figure that reads words. Below: `language.claims`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from heedful.language.claims import CLAIMS_VERSION, KindScore, measure_claims
from heedful.metrics.estimate import Polarity, estimate_rate


@cache
def describe_claims_table() -> Mapping[str, str]:
    """Return precision and recall by kind of claim, as text with Wilson intervals."""
    held_out = [score for score in measure_claims() if score.split == "held_out"]
    rows = {score.kind: _describe(score) for score in held_out}
    n = sum(score.n_labelled for score in held_out)
    return MappingProxyType({"table": f"{CLAIMS_VERSION}, {n} held-out replies, labelled by hand", **rows})


def _describe(score: KindScore) -> str:
    parts = [
        estimate_rate(name, score.n_correct, n, polarity=Polarity.HIGHER_IS_SAFER).format()
        for name, n in (("precision", score.n_read), ("recall", score.n_labelled))
    ]
    return f"precision {parts[0]}; recall {parts[1]}"
