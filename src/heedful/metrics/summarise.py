"""A run's labelled sessions to its summary.

Two steps, so that thousands of sessions need little memory: `digest_session` on each as it is read, then
`summarise` on the digests. The result does not depend on the order of the sessions. Below: `arms`,
`comparisons`. Above: batch, cli and reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from heedful.errors import InputError
from heedful.metrics.arms import group_arms, summarise_arm
from heedful.metrics.body_stops import pool_stops
from heedful.metrics.claims_table import describe_claims_table
from heedful.metrics.comparisons import compare_arms
from heedful.metrics.digest import LabelledSession, digest_session
from heedful.metrics.layers import compare_layers, declare_layer_pairs
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.summary import ArmKey, BodyUse, RunSummary
from heedful.metrics.usage import TokenPrices
from heedful.spec.safety_spec import SafetySpec

NO_PRICES: Mapping[str, TokenPrices | None] = {}


def summarise_run(
    sessions: Iterable[LabelledSession],
    *,
    spec: SafetySpec,
    expected_sessions: int,
    seed: int,
    prices: Mapping[str, TokenPrices | None] = NO_PRICES,
    spec_hash: str = "",
) -> RunSummary:
    """Return the summary of sessions that may be held in memory, or that an iterator yields one by one.

    Args:
        sessions: The labelled sessions, in any order.
        spec: The spec that they were labelled by.
        expected_sessions: How many the run's design has.
        seed: The run's seed.
        prices: Price by model; a model that is absent or None has an unknown cost.
        spec_hash: Hash of the spec's text; by default the one that the traces name, if it is the same spec.
    """
    return summarise(
        [digest_session(session) for session in sessions],
        spec=spec,
        expected_sessions=expected_sessions,
        seed=seed,
        prices=prices,
        spec_hash=spec_hash,
    )


def summarise(
    digests: Sequence[SessionDigest],
    *,
    spec: SafetySpec,
    expected_sessions: int,
    seed: int,
    prices: Mapping[str, TokenPrices | None] = NO_PRICES,
    spec_hash: str = "",
) -> RunSummary:
    """Return the summary of digested sessions; arguments as of `summarise_run`.

    Raises:
        InputError: If a session was labelled by another spec, or comes twice.
    """
    _check(digests, f"{spec.name}@{spec.version}")
    arms = group_arms(digests)
    expected = expected_by_arm(arms, expected_sessions)
    invariants = tuple(document.id for document in spec.document.invariants)
    return RunSummary(
        heedful=_join(digest.heedful for digest in digests),
        judge=_join(digest.judge for digest in digests),
        spec=f"{spec.name}@{spec.version}",
        spec_hash=spec_hash or _join(digest.spec_hash for digest in digests),
        scenarios=tuple(sorted({digest.scenario for digest in digests})),
        seed=seed,
        sessions=len(digests),
        expected_sessions=expected_sessions,
        arms=tuple(
            summarise_arm(key, members, invariants, prices.get(key.model), expected[key])
            for key, members in arms.items()
        ),
        comparisons=compare_arms(arms, seed),
        claims_table=describe_claims_table(),
        bodies=list_bodies(digests),
        layers=compare_layers(declare_layer_pairs(tuple(arms)), arms, arms),
        stops=pool_stops(digests),
    )


def list_bodies(digests: Iterable[SessionDigest]) -> tuple[BodyUse, ...]:
    """Return each body that moved in the sessions; layers without one have none."""
    used = Counter((d.arm.layer, tuple(sorted(d.body.items()))) for d in digests if d.body)
    return tuple(BodyUse(layer, dict(facts), count) for (layer, facts), count in sorted(used.items()))


def expected_by_arm(
    arms: Mapping[ArmKey, Sequence[SessionDigest]], expected_sessions: int
) -> dict[ArmKey, int | None]:
    """Return how many sessions each arm should have; None where an incomplete run does not tell.

    A run with every session has what it expected. Otherwise arms are taken as equal, unless one of them
    has more than its equal share.
    """
    found = {key: len(members) for key, members in arms.items()}
    if sum(found.values()) >= expected_sessions:
        return dict(found)
    share, rest = divmod(expected_sessions, len(found)) if found else (0, 0)
    is_equal = not rest and share >= max(found.values(), default=0)
    return dict.fromkeys(found, share if is_equal else None)


def _check(digests: Sequence[SessionDigest], spec: str) -> None:
    seen: set[str] = set()
    for digest in digests:
        if digest.spec != spec:
            raise InputError(
                f"Session {digest.session!r} was labelled by {digest.spec}, not {spec}. Label it again."
            )
        if digest.session in seen:
            raise InputError(f"Session {digest.session!r} comes twice; a run names each session once.")
        seen.add(digest.session)


def _join(values: Iterable[str]) -> str:
    return ", ".join(sorted({value for value in values if value}))
