"""Reading scenarios: by the name of a shipped one or from a file, with errors that point at the line."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from heedful.errors import ScenarioError, UnknownNameError
from heedful.scenarios.document import ScenarioDocument
from heedful.scenarios.scenario import Scenario, compile_scenario
from heedful.spec.load import describe_validation, line_numbers, parse_yaml, read_text_file


def shipped_scenarios() -> tuple[str, ...]:
    """Return the names of the scenarios that come with heedful."""
    folder = resources.files("heedful.scenarios") / "library"
    return tuple(sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if f.name.endswith(".yaml")))


@lru_cache(maxsize=16)
def load_scenario(name_or_path: str) -> Scenario:
    """Return the scenario of that name or file.

    Raises:
        ScenarioError: If it is malformed: file, line, what is wrong and what is allowed.
        UnknownNameError: If it does not exist.
    """
    text, where = scenario_text(name_or_path)
    return parse_scenario(text, where)


def scenario_text(name_or_path: str) -> tuple[str, str]:
    """Return a scenario's YAML text and where it was read."""
    if name_or_path in shipped_scenarios():
        resource = resources.files("heedful.scenarios") / "library" / f"{name_or_path}.yaml"
        return resource.read_text(encoding="utf-8"), name_or_path
    path = Path(name_or_path)
    if not path.is_file():
        raise UnknownNameError(
            "Scenario", name_or_path, shipped_scenarios(), where="files and shipped scenarios"
        )
    return read_text_file(path), str(path)


def parse_scenario(text: str, where: str = "scenario") -> Scenario:
    """Return the scenario written in `text`.

    Raises:
        ScenarioError: If it is malformed.
    """
    data = parse_yaml(text, where, ScenarioError)
    try:
        document = ScenarioDocument.model_validate(_with_defaults(data))
    except ValidationError as error:
        raise ScenarioError(describe_validation(error, where, line_numbers(text))) from error
    try:
        return compile_scenario(document, hashlib.sha256(text.encode()).hexdigest()[:16])
    except ScenarioError as error:
        raise ScenarioError(f"{where}: {error}") from error


def _with_defaults(data: Any) -> Any:
    if not isinstance(data, dict) or not isinstance(data.get("turns"), list):
        return data
    defaults = data.get("defaults")
    if not isinstance(defaults, dict):
        return data
    return {**data, "turns": [{**defaults, **t} if isinstance(t, dict) else t for t in data["turns"]]}
