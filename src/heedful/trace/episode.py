"""What happened in tabletop episodes: records, and JSON lines that hold them exactly.

An episode is a line of kind `episode`, a line of kind `step` for each step, and a line of kind `end`; one
file holds any number of them, one after the other. Nothing in them varies between identical runs.
`labels.episode` reads them; the rollout writes them. A file cut off in the middle gives an episode without an
end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import TypeAdapter

from heedful.errors import InputError, TraceError
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.codec import decode, scene_from_json, scene_to_json
from heedful.state.tabletop.progress import Rule, TableState
from heedful.state.tabletop.scene import TableScene

EPISODE_SCHEMA = "heedful-episode-1"
Parameter = float | int | str


@dataclass(frozen=True, slots=True)
class AttackDraw:
    """Which attack an episode was under, and what was drawn for it."""

    name: str = "none"
    mode: str = ""
    """`paper`, `sound`, or another of the attack's own."""
    seed: int = 0
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EpisodeInfo:
    """Everything that identifies an episode: its first line."""

    episode: str
    """Identifier, unique in a run."""
    task: str
    level: str
    seed: int
    policy: str
    scene: TableScene | None = None
    """As it was drawn; None if the episode does not apply."""
    prompt: str = ""
    """The words that the policy was given, placeholders in braces; an attack may have changed them."""
    rule: Rule = "centre"
    """By which the world decided when to stop."""
    spawn: str = "sound"
    profile: str = "vima"
    """Whether the arm is hidden (`vima`) or seen (`paper`)."""
    attack: AttackDraw = AttackDraw()
    defence: str = "none"
    guard: str = "none"
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of heedful, the renderer, the weights and whatever else can move a number."""
    schema: str = EPISODE_SCHEMA


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step: what was seen, what was done, what came of it."""

    index: int
    """From 0."""
    action: TableAction | None
    """As the policy chose it, before it is clipped; None if it did nothing."""
    state: TableState
    """The table after the step, as it truly is."""
    contacts: tuple[tuple[int, int], ...] = ()
    """Pairs of ids that touch after the step, the smaller first."""
    observation_hash: str = ""
    """Of what the policy was shown before the step."""
    attack_parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """Drawn for this step; those of the whole episode are in its first line."""
    log_probabilities: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Of the policy's bins, by head; empty if it has none."""
    similarities: Mapping[str, float] = field(default_factory=dict)
    """Of what was shown to what would have been shown without the attack, by measure."""


@dataclass(frozen=True, slots=True)
class EpisodeEnd:
    """How the recording ended: its last line."""

    steps: int
    error: str = ""
    """What broke, in words; empty if nothing did."""
    not_applicable: str = ""
    """Why the episode means nothing, in words: the level lacks the task, the attack changed nothing."""


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One episode as recorded."""

    info: EpisodeInfo
    steps: tuple[StepRecord, ...] = ()
    end: EpisodeEnd | None = None
    """None if the recording was cut off."""


Line = EpisodeInfo | StepRecord | EpisodeEnd
_KINDS: dict[str, type[Line]] = {"episode": EpisodeInfo, "step": StepRecord, "end": EpisodeEnd}
_ADAPTERS: dict[str, TypeAdapter[Any]] = {kind: TypeAdapter(cls) for kind, cls in _KINDS.items()}


def encode_episode(record: EpisodeRecord) -> bytes:
    """Return an episode's lines.

    Raises:
        TraceError: If a record holds what JSON cannot, such as a number that is not finite.
    """
    lines: list[Line] = [record.info, *record.steps]
    if record.end is not None:
        lines.append(record.end)
    return b"".join(encode_line(line) for line in lines)


def encode_line(record: Line) -> bytes:
    """Return one line with its newline.

    Raises:
        TraceError: If the record holds what JSON cannot, such as a number that is not finite.
    """
    kind = next(name for name, cls in _KINDS.items() if isinstance(record, cls))
    try:
        data = orjson.loads(orjson.dumps(record, default=sorted, option=orjson.OPT_NON_STR_KEYS))
    except TypeError as error:
        raise TraceError(f"A {kind} record cannot be stored: {error}.") from error
    if isinstance(record, EpisodeInfo) and record.scene is not None:
        data["scene"] = scene_to_json(record.scene)
    if isinstance(record, StepRecord):
        _refuse_unfinite(record)
    return orjson.dumps({"kind": kind, "record": data}) + b"\n"


def decode_episodes(data: bytes, where: str = "episodes") -> Iterator[EpisodeRecord]:
    """Yield the episodes in the bytes of a file; an unfinished last line is left out.

    Raises:
        TraceError: If a line is damaged, of another schema, or out of order.
    """
    info: EpisodeInfo | None = None
    steps: list[StepRecord] = []
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), start=1):
        place = f"{where}: line {number}"
        record = decode_line(line, place)
        if isinstance(record, EpisodeInfo):
            if info is not None:
                yield EpisodeRecord(info, tuple(steps))
            info, steps = record, []
        elif info is None:
            raise TraceError(f"{place}: a record outside any episode.")
        elif isinstance(record, StepRecord):
            _expect(record.index, len(steps), place)
            steps.append(record)
        else:
            _expect(record.steps, len(steps), place)
            yield EpisodeRecord(info, tuple(steps), record)
            info, steps = None, []
    if info is not None:
        yield EpisodeRecord(info, tuple(steps))


def decode_line(line: bytes, where: str = "line") -> Line:
    """Return the record in one line.

    Raises:
        TraceError: If the line is damaged or of another schema.
    """
    try:
        data = orjson.loads(line)
        if not isinstance(data, dict) or data.keys() != {"kind", "record"} or data["kind"] not in _KINDS:
            raise TraceError(f"{where}: not a line of {EPISODE_SCHEMA}.")
        return _record(data["kind"], data["record"], where)
    except (orjson.JSONDecodeError, InputError) as error:
        raise TraceError(f"{where}: {error}") from error


def _record(kind: str, data: Any, where: str) -> Line:
    if kind != "episode" or not isinstance(data, dict):
        found: Line = decode(_ADAPTERS[kind], data, kind)
        return found
    if data.get("schema") != EPISODE_SCHEMA:
        raise TraceError(f"{where}: schema {data.get('schema')!r}; this version reads {EPISODE_SCHEMA!r}.")
    scene = data.get("scene")
    if scene is not None:
        fields = scene_to_json(scene_from_json(scene, "scene"))
        data = {**data, "scene": {name: value for name, value in fields.items() if name != "version"}}
    info: EpisodeInfo = decode(_ADAPTERS[kind], data, kind)
    return info


def _expect(found: int, expected: int, where: str) -> None:
    if found != expected:
        raise TraceError(f"{where}: step {found}, expected {expected}.")


def _refuse_unfinite(record: StepRecord) -> None:
    """Refuse what JSON would store as null: infinities and what is no number."""
    numbers = [
        *(
            value
            for pose in record.state.poses.values()
            for value in (pose.x, pose.y, pose.z, *pose.rotation)
        ),
        *(value for values in record.log_probabilities.values() for value in values),
        *record.similarities.values(),
    ]
    if record.action is not None:
        action = record.action
        numbers += [*action.pose0_position, *action.pose1_position]
        numbers += [*action.pose0_rotation, *action.pose1_rotation]
    if not all(map(math.isfinite, numbers)):
        raise TraceError(f"Step {record.index} holds a number that is not finite.")
