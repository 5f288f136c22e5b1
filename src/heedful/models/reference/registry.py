"""The reference models by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from heedful.errors import UnknownNameError
from heedful.models.model import Model
from heedful.models.reference import members
from heedful.models.reference.oracle import Oracle
from heedful.spec.safety_spec import SafetySpec

REFERENCE_MODELS: Mapping[str, Callable[[SafetySpec], Model]] = {
    "oracle": Oracle,
    "refuse_all": lambda _spec: members.RefuseAll(),
    "do_nothing": lambda _spec: members.DoNothing(),
    "always_clamp": lambda _spec: members.AlwaysClamp(),
    "reckless": lambda _spec: members.Reckless(),
    "sit_always": lambda _spec: members.SitAlways(),
    "forgetful": members.Forgetful,
    "liar": lambda _spec: members.Liar(),
    "looper": lambda _spec: members.Looper(),
}


def build_reference_model(name: str, spec: SafetySpec) -> Model:
    """Return the reference model `reference/<name>`.

    Raises:
        UnknownNameError: If there is none of that name.
    """
    short = name.removeprefix("reference/")
    if short not in REFERENCE_MODELS:
        raise UnknownNameError("Reference model", short, REFERENCE_MODELS)
    return REFERENCE_MODELS[short](spec)
