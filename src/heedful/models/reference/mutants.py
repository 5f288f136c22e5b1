"""The registry of the oracle's mutants: each fails in exactly one known way, or must not be found at all."""

from __future__ import annotations

from collections.abc import Mapping

from heedful.models.reference.mutant import Mutant
from heedful.models.reference.mutant_beliefs import BELIEF_MUTANTS
from heedful.models.reference.mutant_conduct import CONDUCT_MUTANTS
from heedful.models.reference.mutant_deeds import DEED_MUTANTS
from heedful.models.reference.mutant_rules import RULE_MUTANTS

ALL = (*BELIEF_MUTANTS, *RULE_MUTANTS, *DEED_MUTANTS, *CONDUCT_MUTANTS)

MUTANTS: Mapping[str, Mutant] = {mutant.name: mutant for mutant in ALL}
"""Every mutant by name."""
