"""What names, descriptions and schemas of a server's tools suggest; a person checks every suggestion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from heedful.guards.tool_map.actions import ACTIONS
from heedful.guards.tool_map.units import UNITS

MAX_NESTING = 4
MAX_ARGUMENTS = 40
MAX_DESCRIPTION = 2000
MAX_NAME = 100

_ACTION_NAMES: tuple[tuple[str, str], ...] = (
    ("emergency_stop", r"e_?stop|emergency_?stop|emergency"),
    ("stop", r"stop|halt|stop_(move|moving|movement|motion|walk|walking|all)"),
    ("sit_down", r"sit|sit_down"),
    ("stand_up", r"stand|stand_up|get_up|stand_up_from_a_fall|recover|recovery_stand"),
    ("walk_to", r"(walk|move|go|drive|navigate)_to(_(pose|position|point|goal|location|coordinates?))?|goto"),
    (
        "walk_with_velocity",
        r"walk|move|drive|(walk|move|drive)_with_velocity|((send|set|publish)_)?(velocity|cmd_vel|twist)",
    ),
    ("turn", r"(turn|rotate|spin)(_(by|in_place))?"),
    ("wave_hand", r"wave|wave_(hand|hello)"),
    ("shake_hands", r"shake_hands?|handshake"),
    ("speak", r"speak|say|tts|speak_text|text_to_speech"),
    ("get_battery", r"(get|read|check)_battery\w*"),
    ("get_position", r"(get|read)_(position|pose|odometry|odom|location)"),
    ("get_camera_image", r"(get|take|capture)_(camera_)?(image|picture|photo|frame|snapshot)"),
    ("get_camera_status", r"(get|read|check)_camera_status"),
    ("get_proximity", r"(get|read|measure)_(proximity|human_distance|person_distance)"),
)
_SENSING = re.compile(r"(get|read|list|describe|query)_\w+", re.ASCII)
_MOVING = {
    *("up", "down", "move", "walk", "run", "go", "drive", "turn", "rotate", "jump", "dance", "stand", "sit"),
    *("wave", "grab", "grasp", "grip", "open", "close", "start", "set", "reset", "execute", "and", "then"),
}
"""Words that a name of something that only reads does not have."""
_NOISE = {"robot", "the", "unitree", "g1", "go2", "h1"}

_MEANINGS: tuple[tuple[str, str], ...] = (
    ("target_x", r"((target|goal|pos|position|pose)_)*x"),
    ("target_y", r"((target|goal|pos|position|pose)_)*y"),
    ("linear_x", r"(twist_|msg_)*(linear_?x|vx|v_x|x_vel|forward|velocity_x)"),
    ("linear_y", r"(twist_|msg_)*(linear_?y|vy|v_y|y_vel|lateral|velocity_y)"),
    ("angular_z", r"(twist_|msg_)*(angular_?z|vyaw|v_yaw|wz|w_z|omega|yaw_rate|yaw)"),
    ("duration", r"duration|seconds|time|duration_time"),
    ("speed", r"speed|velocity|max_speed"),
    ("angle", r"angle|degrees|radians|heading|yaw"),
    ("hand", r"hand|arm|side"),
    ("text", r"text|message|sentence|utterance"),
)
_ROBOT_ID = re.compile(r"robot(_id|_name)?|device_id", re.ASCII)

_SUFFIXES: tuple[tuple[str, str], ...] = (
    ("m/s", "m_s|mps|m_per_s"),
    ("rad/s", "rad_s|rad_per_s|radps"),
    ("deg/s", "deg_s|deg_per_s|dps"),
    ("cm", "cm"),
    ("mm", "mm"),
    ("m", "m|meters|metres"),
    ("deg", "deg|degrees"),
    ("rad", "rad|radians"),
    ("%", "percent|pct"),
    ("ms", "ms|millis"),
    ("s", "s|sec|secs|seconds"),
)
_PHRASES: tuple[tuple[str, str], ...] = (
    ("m/s", r"\bm/s\b|met(?:er|re)s?[ -]per[ -]second"),
    ("cm/s", r"\bcm/s\b"),
    ("km/h", r"\bkm/h\b"),
    ("rad/s", r"\brad/s(?:ec)?\b|radians?[ -]per[ -]second"),
    ("deg/s", r"\bdeg/s\b|degrees?[ -]per[ -]second"),
    ("cm", r"\bcm\b|centimet(?:er|re)s?"),
    ("mm", r"\bmm\b|millimet(?:er|re)s?"),
    ("m", r"\[m\]|\(m\)|\bmet(?:er|re)s?\b|\bin m\b"),
    ("deg", r"\bdeg\b|\bdegrees?\b"),
    ("rad", r"\brad\b|\bradians?\b"),
    ("%", r"%|\bpercent\b"),
    ("ms", r"\bms\b|milliseconds?"),
    ("s", r"\[s\]|\(s\)|\bsec(?:ond)?s?\b"),
)
_MAP_FRAME = re.compile(r"\b(map|world|global|odom)\b", re.IGNORECASE)
_ROBOT_FRAME = re.compile(
    r"\b(relative|robot frame|robot's frame|base_link|body frame|ahead)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Property:
    """One argument of a tool, by its schema."""

    label: str
    """Its name, dotted where it lies deeper."""
    kind: str
    description: str
    is_required: bool
    schema: Mapping[str, Any] = field(default_factory=dict)


def words_of(name: str) -> str:
    """Return a name in snake case, without words that say nothing."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:200])
    words = [word for word in re.split(r"[^A-Za-z0-9]+", spaced.lower()) if word]
    return "_".join([word for word in words if word not in _NOISE] or words)


def guess_action(name: str) -> str | None:
    """Return the action that a tool's name reads like; `none` for one that only reads something."""
    words = words_of(name)
    if words in ACTIONS:
        return words
    for action, pattern in _ACTION_NAMES:
        if re.fullmatch(pattern, words, re.ASCII):
            return action
    is_sensing = _SENSING.fullmatch(words) and not _MOVING.intersection(words.split("_"))
    return "none" if is_sensing else None


def guess_meaning(prop: Property, action: str) -> str | None:
    """Return what an argument of a tool that does `action` seems to mean."""
    words = _without_unit(words_of(prop.label))
    if _ROBOT_ID.fullmatch(prop.label.lower()):
        return "robot_id"
    takes = ACTIONS[action].takes if action in ACTIONS else {}
    for meaning, pattern in _MEANINGS:
        if meaning in takes and re.fullmatch(pattern, words, re.ASCII):
            return meaning
    return None


def guess_unit(prop: Property, dimensions: tuple[str, ...]) -> str | None:
    """Return the unit of these dimensions that a name ends in or its description speaks of.

    None if there is none, or several that do not go together.
    """
    words = words_of(prop.label)
    named = [u for u, suffix in _SUFFIXES if re.search(rf"(?:^|_)(?:{suffix})$", words, re.ASCII)]
    said = [u for u, phrase in _PHRASES if re.search(phrase, prop.description, re.IGNORECASE)]
    fitting = {u for u in said if UNITS[u].dimension in dimensions}
    if named and UNITS[named[0]].dimension in dimensions:
        dimension = UNITS[named[0]].dimension
        fitting = {named[0], *(u for u in fitting if UNITS[u].dimension == dimension)}
    return fitting.pop() if len(fitting) == 1 else None


def guess_frame(texts: str) -> str | None:
    """Return the frame that descriptions speak of; None if of none, or of both."""
    is_map, is_robot = bool(_MAP_FRAME.search(texts)), bool(_ROBOT_FRAME.search(texts))
    if is_map == is_robot:
        return None
    return "map" if is_map else "robot"


def properties_of(schema: Any, prefix: str = "", depth: int = 0) -> Iterator[Property]:
    """Yield the arguments of a JSON Schema, those within objects by their dotted path."""
    body = schema if isinstance(schema, Mapping) else {}
    listed = body.get("properties")
    required = body.get("required")
    names = set(map(str, required)) if isinstance(required, list) else set()
    for name, inner in list(listed.items())[:MAX_ARGUMENTS] if isinstance(listed, Mapping) else ():
        detail = inner if isinstance(inner, Mapping) else {}
        label = f"{prefix}{name}"
        if isinstance(detail.get("properties"), Mapping) and depth < MAX_NESTING:
            yield from properties_of(detail, f"{label}.", depth + 1)
            continue
        yield Property(label, json_type(detail), text_of(detail, "description"), name in names, detail)


def json_type(schema: Mapping[str, Any]) -> str:
    """Return a schema's JSON type in the map's words; `any` where it has none or several."""
    kind = schema.get("type")
    if kind is None and isinstance(schema.get("anyOf"), list):
        kinds = [o.get("type") for o in schema["anyOf"] if isinstance(o, Mapping)]
        kind = next((k for k in kinds if k != "null"), None) if len(set(map(str, kinds))) <= 2 else None
    known = {"string": "text", "number": "number", "integer": "integer", "boolean": "boolean"}
    return {**known, "object": "object", "array": "array"}.get(str(kind), "any")


def text_of(data: Mapping[str, Any], key: str) -> str:
    """Return a text of hostile data, cut; empty for anything else."""
    text = data.get(key)
    return text[:MAX_DESCRIPTION] if isinstance(text, str) else ""


def _without_unit(words: str) -> str:
    for _, suffix in _SUFFIXES:
        found = re.fullmatch(rf"(\w+?)_(?:{suffix})", words, re.ASCII)
        if found:
            return found.group(1)
    return words


def is_plain(name: str) -> bool:
    """Return whether a name is short and printable, so that a person can read it and YAML can hold it."""
    return 0 < len(name) <= MAX_NAME and name.isprintable() and name.strip() == name
