"""From a name that users type to a scenario's text: shipped, a file, or a generated variant.

`NAME+g7` is the seventh seeded variant of a scenario, `NAME+g7-shuffled` one with its turns in another order.
"""

from __future__ import annotations

import re

from heedful.scenarios.generate import GeneratorOptions, generate_scenario
from heedful.scenarios.load import load_scenario, scenario_text
from heedful.scenarios.write import scenario_to_yaml

_VARIANT = re.compile(r"(?P<base>.+)\+g(?P<seed>\d{1,9})(?P<shuffled>-shuffled)?")


def variant_name(base: str, seed: int, *, is_shuffled: bool = False) -> str:
    """Return the name of a generated variant."""
    return f"{base}+g{seed}{'-shuffled' if is_shuffled else ''}"


def resolve_scenario(name_or_path: str) -> str:
    """Return the YAML text of a scenario.

    Raises:
        UnknownNameError: If neither it nor the scenario it varies exists.
        ScenarioError: If the variant cannot keep its base's promises.
    """
    match = _VARIANT.fullmatch(name_or_path)
    if match is None:
        return scenario_text(name_or_path)[0]
    options = GeneratorOptions(order="shuffled" if match["shuffled"] else "written")
    return scenario_to_yaml(generate_scenario(load_scenario(match["base"]), int(match["seed"]), options))
