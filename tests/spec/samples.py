"""Small specs to vary, and the shipped one as text."""

from __future__ import annotations

from typing import Any

from heedful.spec.document import SpecDocument
from heedful.spec.load import load_spec, spec_text
from heedful.spec.safety_spec import SafetySpec

SIGNALS: dict[str, Any] = {
    "human.distance": {
        "type": "number",
        "unit": "m",
        "range": [0, 10],
        "max_age_s": 1,
        "infinite": "no person in view",
        "tool": "get_proximity",
    },
    "human.closing": {
        "type": "number",
        "unit": "m",
        "range": [-2, 2],
        "max_age_s": 1,
        "tool": "get_proximity",
    },
    "battery.level": {
        "type": "number",
        "unit": "%",
        "range": [0, 100],
        "max_age_s": 9,
        "tool": "get_battery",
    },
    "camera.frozen": {"type": "boolean", "max_age_s": 1, "tool": "get_camera"},
    "human.posture": {
        "type": "text",
        "values": ["standing", "seated", "lying"],
        "max_age_s": 1,
        "tool": "get_camera",
    },
}
TOOLS = {
    "walk_to": "locomotion",
    "turn": "locomotion",
    "wave_hand": "gesture",
    "shake_hands": "gesture",
    "stand_up": "posture",
    "stop": "protective",
    "sit_down": "protective",
    "speak": "none",
    "get_proximity": "none",
    "get_battery": "none",
    "get_camera": "none",
}
PROHIBIT = {"kind": "prohibit"}
SIT = {
    "kind": "require",
    "within_s": 10,
    "then": PROHIBIT,
    "latch": {"release_when": "battery.level >= 20.0"},
}


def rule(name: str, when: str, response: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return an invariant as written in a file."""
    source = {"standard": "none", "clause": "none"}
    body = {"id": name, "title": f"Rule {name}", "when": when, "response": response or PROHIBIT}
    return {**body, "source": source, **more}


def limit(most: float, *classes: str) -> dict[str, Any]:
    """Return a limit on the speed of these classes, locomotion when none is named."""
    return {"kind": "limit", "max": most, "classes": list(classes or ("locomotion",))}


def small_spec(*rules: dict[str, Any], **changes: Any) -> SafetySpec:
    """Return a spec with these invariants over `SIGNALS` and `TOOLS`."""
    data = {
        "schema_version": "heedful-spec-1",
        "name": "small",
        "version": "1",
        "title": "A small spec",
        "parameters": {"near": {"value": 1.0, "unit": "m"}},
        "signals": SIGNALS,
        "workspace": {"polygon": [[-3, -2], [3, -2], [3, 2], [-3, 2]]},
        "tools": TOOLS,
        "invariants": list(rules),
    }
    return SafetySpec(SpecDocument.model_validate({**data, **changes}))


def shipped() -> SafetySpec:
    """Return the spec with the five invariants."""
    return load_spec("iso10218-humanoid")


def shipped_text() -> str:
    """Return its YAML."""
    return spec_text("iso10218-humanoid")[0]
