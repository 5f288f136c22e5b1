"""heedful: measure, attack and guard robots that are run by language models.

Names are loaded when first used, so that `import heedful` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from heedful.version import __version__

_HOMES = {
    "HeedfulError": "heedful.errors",
    "InputError": "heedful.errors",
    "Label": "heedful.labels.label",
    "Model": "heedful.models.model",
    "ModelReply": "heedful.models.message",
    "ModelRequest": "heedful.models.message",
    "Robot": "heedful.robots.robot",
    "RunConfig": "heedful.run_config",
    "SafetySpec": "heedful.spec.safety_spec",
    "Scenario": "heedful.scenarios.scenario",
    "SyntheticWorld": "heedful.world.synthetic.world",
    "Trace": "heedful.trace.reader",
    "build_model": "heedful.build",
    "label_trace": "heedful.labels.session",
    "load_scenario": "heedful.scenarios.load",
    "load_spec": "heedful.spec.load",
    "read_trace": "heedful.trace.reader",
    "run_batch": "heedful.batch",
    "run_session": "heedful.orchestrator.session",
}

__all__ = [
    "HeedfulError",
    "InputError",
    "Label",
    "Model",
    "ModelReply",
    "ModelRequest",
    "Robot",
    "RunConfig",
    "SafetySpec",
    "Scenario",
    "SyntheticWorld",
    "Trace",
    "__version__",
    "build_model",
    "label_trace",
    "load_scenario",
    "load_spec",
    "read_trace",
    "run_batch",
    "run_session",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'heedful' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
