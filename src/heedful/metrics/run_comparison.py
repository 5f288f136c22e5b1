"""Two runs against each other: arms paired by name, sessions on (scenario, seed); layers turn by turn.

Arms pair when they are the same but for the run; an arm without such a partner pairs with the one that
differs in the layer alone. Below: `comparisons`, `layers`. Above: cli and reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from heedful.errors import InputError
from heedful.metrics.arms import group_arms
from heedful.metrics.comparisons import RUN_FACTOR, ArmPair, compare_pairs
from heedful.metrics.layer_result import LAYER_FACTOR, LayerComparison
from heedful.metrics.layers import compare_layers
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.summarise import list_bodies
from heedful.metrics.summary import ArmKey, BodyUse, Comparison

COMPARISON_VERSION = "heedful-comparison-1"
FAMILY = "every arm of one run against its like in another"


@dataclass(frozen=True, slots=True)
class RunSide:
    """One of the two runs."""

    name: str
    heedful: str
    sessions: int
    bodies: tuple[BodyUse, ...]
    unpaired: tuple[str, ...]
    """Arms that the other run has no like of."""


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs, judged by one spec."""

    a: RunSide
    b: RunSide
    spec: str
    judge: str
    comparisons: tuple[Comparison, ...]
    """Each b minus a; Holm over all of them."""
    layers: LayerComparison | None
    """Turn by turn, where the runs hold one arm on different layers."""
    version: str = field(default=COMPARISON_VERSION)


def compare_runs(
    names: tuple[str, str], first: Sequence[SessionDigest], second: Sequence[SessionDigest]
) -> RunComparison:
    """Return the comparison of two runs whose sessions were labelled by one spec.

    Args:
        names: What the runs are called.
        first: The sessions of the one, at least one.
        second: Of the other.

    Raises:
        InputError: If no arms pair, or a scenario of one name differs between the runs.
    """
    _check_scenarios(names, first, second)
    arms_a, arms_b = group_arms(first), group_arms(second)
    pairs = pair_arms(tuple(arms_a), tuple(arms_b))
    if not pairs:
        raise InputError(
            f"No arm of {names[0]} has its like in {names[1]}. Arms pair on model, context, push, guard and "
            f"scenario; {names[0]} has {_listed(arms_a)}; {names[1]} has {_listed(arms_b)}."
        )
    layered = [pair for pair in pairs if pair.factor == LAYER_FACTOR]
    return RunComparison(
        a=_side(names[0], first, [key for key in arms_a if key not in {pair.a for pair in pairs}]),
        b=_side(names[1], second, [key for key in arms_b if key not in {pair.b for pair in pairs}]),
        spec=first[0].spec,
        judge=first[0].judge,
        comparisons=compare_pairs(pairs, arms_a, arms_b, 0, FAMILY),
        layers=compare_layers(layered, arms_a, arms_b),
    )


def pair_arms(first: Sequence[ArmKey], second: Sequence[ArmKey]) -> tuple[ArmPair, ...]:
    """Return each arm of the first run with its like in the second."""
    taken = set(first) & set(second)
    left = {replace(key, layer=""): key for key in reversed(second) if key not in taken}
    pairs = []
    for key in first:
        if key in taken:
            pairs.append(ArmPair(key, key, RUN_FACTOR))
        elif (other := left.pop(replace(key, layer=""), None)) is not None:
            pairs.append(ArmPair(key, other, LAYER_FACTOR))
    return tuple(pairs)


def _side(name: str, digests: Sequence[SessionDigest], unpaired: Sequence[ArmKey]) -> RunSide:
    versions = ", ".join(sorted({digest.heedful for digest in digests}))
    titles = tuple(f"{key.title}, {key.scenario}" for key in unpaired)
    return RunSide(name, versions, len(digests), list_bodies(digests), titles)


def _check_scenarios(
    names: tuple[str, str], first: Sequence[SessionDigest], second: Sequence[SessionDigest]
) -> None:
    known = {digest.scenario: digest.scenario_hash for digest in first}
    for digest in second:
        if known.get(digest.scenario, digest.scenario_hash) != digest.scenario_hash:
            raise InputError(
                f"Scenario {digest.scenario!r} is not the same text in {names[0]} and {names[1]}: "
                "their turns do not pair."
            )


def _listed(keys: Iterable[ArmKey]) -> str:
    return "; ".join(f"{key.title}, {key.scenario}" for key in keys)
