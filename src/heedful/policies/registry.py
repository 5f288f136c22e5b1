"""Policies by name. Registration is this list."""

from __future__ import annotations

from collections.abc import Callable

from heedful.errors import UnknownNameError
from heedful.policies.noop import NoopPolicy
from heedful.policies.oracle import Grasp, OraclePolicy
from heedful.policies.policy import Policy
from heedful.policies.random import RandomPolicy
from heedful.policies.sweep_plan import push_straight

POLICIES: dict[str, Callable[[], Policy]] = {
    "oracle": OraclePolicy,
    "oracle_deepest": lambda: OraclePolicy(Grasp.DEEPEST),
    "oracle_original": lambda: OraclePolicy(push=push_straight),
    "random": RandomPolicy,
    "noop": NoopPolicy,
}


def build_policy(name: str) -> Policy:
    """Return a policy by its name.

    Raises:
        UnknownNameError: If there is none of that name.
    """
    if name not in POLICIES:
        raise UnknownNameError("Policy", name, POLICIES)
    return POLICIES[name]()
