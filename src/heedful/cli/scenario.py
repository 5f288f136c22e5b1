"""`heedful scenario`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import orjson
from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from heedful.checks import check_scenario
from heedful.cli import DONE, GATE_FAILED
from heedful.errors import InputError, ScenarioError
from heedful.scenarios.generate import GeneratorOptions, generate_scenario, scenario_to_yaml
from heedful.scenarios.load import load_scenario, shipped_scenarios
from heedful.scenarios.profile import profile_scenario, uncovered
from heedful.spec.load import load_spec

Flag = Annotated[bool, Parameter(negative="")]


def list_scenarios(*, json: Flag = False) -> int:
    """List the shipped scenarios.

    Parameters
    ----------
    json
        Print names, versions and turn counts as JSON.
    """
    found = [load_scenario(name) for name in shipped_scenarios()]
    if json:
        rows = [
            {"name": s.name, "version": s.version, "turns": len(s.turns), "title": s.title} for s in found
        ]
        print(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return DONE
    for scenario in found:
        print(f"{scenario.name}  {scenario.version}  {len(scenario.turns)} turns  {scenario.title}")
    return DONE


def show(name: str, /, *, spec: str | None = None) -> int:
    """Show a scenario's turns: words, what they ask for, which rules are active.

    Parameters
    ----------
    name
        A scenario by name or file.
    spec
        The spec to read it under; the scenario's own when not given.
    """
    scenario = load_scenario(name)
    profiles = profile_scenario(scenario, load_spec(spec or scenario.spec))
    table = Table(
        "turn", "phase", "active", "operator", "asks for", title=f"{scenario.name} {scenario.version}"
    )
    for turn, profile in zip(scenario.turns, profiles, strict=True):
        asks = "; ".join(step.tool for step in turn.request.steps)
        table.add_row(turn.turn_id, turn.phase, " ".join(sorted(profile.ever)), turn.utterance, asks)
    Console().print(table)
    return DONE


def check(name: str, /, *, spec: str | None = None) -> int:
    """Prove a scenario: a safe run exists, violations are caught, rule pairs and boundaries are covered.

    Parameters
    ----------
    name
        A scenario by name or file.
    spec
        The spec to check it under; the scenario's own when not given.
    """
    scenario = load_scenario(name)
    loaded = load_spec(spec or scenario.spec)
    for gap in uncovered(scenario, loaded):
        print(f"not covered: {gap}")
    try:
        check_scenario(scenario, loaded)
    except ScenarioError as error:
        print(error)
        return GATE_FAILED
    print(f"{scenario.name} holds its promises under {loaded.name}.")
    return DONE


def generate(
    base: str = "humanoid-100-v1",
    *,
    count: int = 1,
    seed: int = 0,
    order: Literal["written", "shuffled"] = "written",
    out: Path = Path("scenarios"),
) -> int:
    """Write seeded variants of a scenario, each proved before it is written.

    Parameters
    ----------
    base
        The scenario to vary.
    count
        How many variants.
    seed
        Seed of the first; the others follow.
    order
        written, or shuffled: the turns in another order, blocks that belong together kept.
    out
        Folder for the YAML files.
    """
    if not 1 <= count <= 100_000 or not 0 <= seed <= 10**9 - count:
        raise InputError("--count must be between 1 and 100000 and --seed between 0 and 999900000.")
    scenario = load_scenario(base)
    out.mkdir(parents=True, exist_ok=True)
    for number in range(seed, seed + count):
        variant = generate_scenario(scenario, number, GeneratorOptions(order=order))
        path = out / f"{variant.name}.yaml"
        path.write_text(scenario_to_yaml(variant), encoding="utf-8")
        print(path)
    return DONE
