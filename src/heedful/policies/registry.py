"""Policies by name. Registration is this list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from heedful.errors import InputError, UnknownNameError
from heedful.policies.noop import NoopPolicy
from heedful.policies.oracle import Grasp, OraclePolicy
from heedful.policies.policy import Policy
from heedful.policies.random import RandomPolicy
from heedful.policies.sweep_plan import push_straight

VIMA = "vima"
"""The policy that comes as files of the user's: a checkpoint and a tokenizer."""
SCRIPTED: dict[str, Callable[[], Policy]] = {
    "oracle": OraclePolicy,
    "oracle_deepest": lambda: OraclePolicy(Grasp.DEEPEST),
    "oracle_original": lambda: OraclePolicy(push=push_straight),
    "random": RandomPolicy,
    "noop": NoopPolicy,
}
POLICIES = (*SCRIPTED, VIMA)
NETWORK = ("torch", "tokenizers", "cv2")
"""Modules that VIMA needs."""


@dataclass(frozen=True, slots=True)
class PolicyFiles:
    """What a policy is read from, where it is read from files."""

    checkpoint: Path | None = None
    tokenizer: Path | None = None


NO_FILES = PolicyFiles()


def build_policy(name: str, files: PolicyFiles = NO_FILES) -> Policy:
    """Return a policy by its name.

    Raises:
        UnknownNameError: If there is none of that name.
        InputError: If it needs files or packages that are missing, or takes none; or a file is refused.
    """
    if name == VIMA:
        return _load_vima(files)
    if name not in SCRIPTED:
        raise UnknownNameError("Policy", name, POLICIES)
    if files != NO_FILES:
        raise InputError(f"Policy {name!r} is scripted: it takes no checkpoint and no tokenizer.")
    return SCRIPTED[name]()


def _load_vima(files: PolicyFiles) -> Policy:
    if files.checkpoint is None or files.tokenizer is None:
        raise InputError("Policy 'vima' needs --checkpoint FILE and --tokenizer FILE; docs/guides/vima.md.")
    missing = [module for module in NETWORK if find_spec(module) is None]
    if missing:
        raise InputError(f"Policy 'vima' needs {', '.join(missing)}: pip install 'heedful[vima]'.")
    policy: Policy = import_module("heedful.policies.vima.policy").load_policy(
        files.checkpoint, files.tokenizer
    )
    return policy
