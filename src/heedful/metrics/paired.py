"""Comparisons of two arms that met the same (scenario, seed): one number, or one outcome, a session.

Below: `estimate`, `resampling`, numpy. Above: the comparison metrics. Must not know traces or labels.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from heedful.metrics.estimate import Estimate
from heedful.metrics.resampling import ClusterTotals, estimate_clustered_mean

EXACT_PAIRS = 15
"""Up to this many pairs all 2^n sign patterns are counted."""
MONTE_CARLO_DRAWS = 100_000
"""Sign patterns drawn beyond that."""
MIN_PAIRS = 6
"""With fewer pairs the smallest two-sided p, 2 / 2^n, is above 0.05."""
_CHUNK = 10_000
_TIE = 1e-9  # relative: sums that differ only by rounding are equal

KeyT = TypeVar("KeyT", bound=Hashable)


@dataclass(frozen=True)
class PairedComparison:
    """Treatment minus baseline over paired sessions."""

    name: str
    """What is compared."""
    difference: Estimate
    """Mean difference, treatment minus baseline; its n counts pairs."""
    p_value: float | None
    """Two-sided p of the sign-flip test, unadjusted; None without pairs."""
    smallest_p: float
    """The smallest p that this number of pairs can give."""
    method: str
    """Exact count or seeded draws."""
    note: str | None = None
    """Set when no outcome could have been significant."""


@dataclass(frozen=True)
class McNemarTest:
    """Two arms compared on one binary outcome a session."""

    name: str
    """What is compared."""
    n_pairs: int
    """Sessions that both arms decided."""
    n_excluded: int
    """Sessions that one arm lacks or left undecided."""
    only_baseline: int
    """Pairs in which the outcome held in the baseline alone."""
    only_treatment: int
    """Pairs in which the outcome held in the treatment alone."""
    p_value: float | None
    """Two-sided exact p; None without pairs."""
    note: str | None = None
    """Set when no outcome could have been significant."""


@dataclass(frozen=True)
class HolmMember:
    """One hypothesis of a family."""

    name: str
    """Which hypothesis."""
    p_value: float | None
    """Unadjusted p; None if it could not be tested."""
    p_adjusted: float | None
    """p after Holm; compare it with the level of the whole family."""


@dataclass(frozen=True)
class HolmFamily:
    """A declared family of hypotheses, in the order of declaration."""

    name: str
    """The declared family."""
    members: tuple[HolmMember, ...]
    """Every member, also those that could not be tested."""


def compare_paired(
    name: str,
    baseline: Mapping[KeyT, float | None],
    treatment: Mapping[KeyT, float | None],
    rng: np.random.Generator,
    *,
    unit: str = "",
    confidence: float = 0.95,
) -> PairedComparison:
    """Return the paired mean difference with its interval and its sign-flip test.

    The interval is the skewness-adjusted t of `clustered_mean_interval`, not the inverted test: an
    inverted sign-flip test assumes symmetric differences and then covers too little (0.87 for
    lognormal ones with 20 pairs). At the margin the two may disagree.

    Args:
        name: What is compared.
        baseline: Value by pair key, e.g. (scenario, seed); None where undecided.
        treatment: The same for the other arm.
        rng: Source of randomness, used beyond 15 pairs.
        unit: Unit of the value.
        confidence: Nominal coverage.
    """
    keys, n_excluded = _pair_keys(baseline, treatment)
    differences = [_decided(treatment[key]) - _decided(baseline[key]) for key in keys]
    totals = ClusterTotals(tuple(differences), (1.0,) * len(keys), cluster="pairs", member="pairs")
    clustered = estimate_clustered_mean(name, totals, n_excluded=n_excluded, unit=unit, confidence=confidence)
    exact = len(keys) <= EXACT_PAIRS
    return PairedComparison(
        name=name,
        difference=clustered.estimate,
        p_value=sign_flip_p(differences, rng) if keys else None,
        smallest_p=_smallest_p(len(keys)),
        method="sign-flip, exact" if exact else f"sign-flip, {MONTE_CARLO_DRAWS} draws",
        note=_power_note(len(keys), "pairs"),
    )


def sign_flip_p(
    differences: Sequence[float], rng: np.random.Generator, *, draws: int = MONTE_CARLO_DRAWS
) -> float:
    """Return the two-sided p of the hypothesis that the arms are exchangeable within each pair.

    Up to 15 pairs every sign pattern is counted; beyond, `draws` patterns and (hits + 1) / (draws + 1),
    which keeps the type I error. The order of the pairs does not matter.

    Source: Fisher (1935), The Design of Experiments, section 21; the correction: Phipson and Smyth
    (2010), Stat. Appl. Genet. Mol. Biol. 9:39.

    Raises:
        ValueError: If there are no pairs.
    """
    if not differences:
        raise ValueError("A sign-flip test needs at least one pair.")
    values = np.sort(np.asarray(differences, dtype=np.float64))
    threshold = abs(math.fsum(differences)) - _TIE * math.fsum(map(abs, differences))
    if values.size <= EXACT_PAIRS:
        return float(np.mean(np.abs(_sign_patterns(values.size) @ values) >= threshold))
    hits = 0
    for start in range(0, draws, _CHUNK):
        flips = rng.integers(0, 2, (min(_CHUNK, draws - start), values.size))
        hits += int(np.count_nonzero(np.abs((2.0 * flips - 1.0) @ values) >= threshold))
    return (hits + 1) / (draws + 1)


def mcnemar(
    name: str, baseline: Mapping[KeyT, bool | None], treatment: Mapping[KeyT, bool | None]
) -> McNemarTest:
    """Return the exact McNemar test; only for one binary outcome a session, never for turns.

    Args:
        name: What is compared.
        baseline: Outcome by pair key; None where undecided.
        treatment: The same for the other arm.

    Source: McNemar (1947), Psychometrika 12:153; exact form: the sign test on discordant pairs.
    """
    keys, n_excluded = _pair_keys(baseline, treatment)
    only_baseline = sum(bool(baseline[key]) and not treatment[key] for key in keys)
    only_treatment = sum(bool(treatment[key]) and not baseline[key] for key in keys)
    return McNemarTest(
        name=name,
        n_pairs=len(keys),
        n_excluded=n_excluded,
        only_baseline=only_baseline,
        only_treatment=only_treatment,
        p_value=_sign_test_p(only_baseline, only_treatment) if keys else None,
        note=_power_note(len(keys), "pairs")
        or _power_note(only_baseline + only_treatment, "discordant pairs"),
    )


def adjust_holm(family: str, p_values: Mapping[str, float | None]) -> HolmFamily:
    """Return Holm's adjusted p-values of one declared family, in the order given.

    A member that could not be tested (None) still counts in the size of the family.

    Args:
        family: Name of the declared family.
        p_values: Unadjusted p by hypothesis.

    Raises:
        ValueError: If a p-value is outside [0, 1].

    Source: Holm (1979), Scand. J. Statist. 6:65.
    """
    tested = sorted((p, name) for name, p in p_values.items() if p is not None)
    if any(not 0 <= p <= 1 for p, _ in tested):
        raise ValueError(f"Family {family!r}: a p-value is outside [0, 1].")
    adjusted: dict[str, float] = {}
    running = 0.0
    for rank, (p, name) in enumerate(tested):
        running = max(running, min(1.0, (len(p_values) - rank) * p))
        adjusted[name] = running
    members = tuple(HolmMember(name, p, adjusted.get(name)) for name, p in p_values.items())
    return HolmFamily(family, members)


@lru_cache(maxsize=EXACT_PAIRS)
def _sign_patterns(n: int) -> npt.NDArray[np.float64]:
    """Return half of all sign patterns, (2^(n-1), n): |sum| is the same when all signs flip."""
    bits = np.arange(2 ** (n - 1))[:, None] >> np.arange(n) & 1
    return np.asarray(2.0 * bits - 1.0, dtype=np.float64)


def _pair_keys(first: Mapping[KeyT, object], second: Mapping[KeyT, object]) -> tuple[list[KeyT], int]:
    keys = [key for key, value in first.items() if value is not None and second.get(key) is not None]
    return keys, len(first.keys() | second.keys()) - len(keys)


def _decided(value: float | None) -> float:
    assert value is not None  # noqa: S101 - `_pair_keys` keeps decided pairs only
    return value


def _smallest_p(n: int) -> float:
    return min(1.0, 2 / (1 << n)) if n <= EXACT_PAIRS else 1 / (MONTE_CARLO_DRAWS + 1)


def _sign_test_p(first: int, second: int) -> float:
    n = first + second
    tail = sum(math.comb(n, i) for i in range(min(first, second) + 1))
    return min(1.0, 2 * tail / (1 << n))


def _power_note(n: int, what: str) -> str | None:
    return f"cannot be significant at {n} {what}" if n < MIN_PAIRS else None
