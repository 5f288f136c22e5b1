"""The records of a guard's log: what was known, what was decided, what was sent, what came of it.

Times are seconds on the guard's own monotonic clock; `Opened` says what wall time that was. Every record
names what it belongs to by the number of its line. Below: `audit_codec` writes them as lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from heedful.guards.guard import Command, Intervention
from heedful.guards.settings import GuardSettings
from heedful.state.geometry import Pose
from heedful.state.motion import RobotLimits
from heedful.trace.decision import Decision
from heedful.trace.records import Reading

SCHEMA_VERSION = "heedful-guard-log-1"
UNKNOWN = "unknown"

OutcomeStatus = Literal["ok", "error", "cancelled", "late"]
"""`late`: the result came after nobody waited for it any more."""
OperatorDeed = Literal["stop", "reset", "reload", "login"]


@dataclass(frozen=True)
class Opened:
    """The first record of a part: everything that its decisions rest on, enough to judge them later."""

    at_s: float
    started: str
    """Wall time of `at_s`, ISO 8601 with its offset."""
    guard: str
    """heedful's version."""
    spec: str
    spec_version: str
    spec_hash: str
    spec_text: str
    """The whole file."""
    tools: Mapping[str, str]
    """Class of each tool by the spec as it was enforced, the target's own tools included."""
    limits: RobotLimits
    """What the robot declares of its motion."""
    settings: GuardSettings
    tool_map: str
    tool_map_version: str
    tool_map_hash: str
    server: str = UNKNOWN
    """Name of the robot's server, as it says."""
    server_version: str = UNKNOWN
    tools_hash: str = ""
    """Hash of the list of tools that the server offers."""
    model: str = UNKNOWN
    """Who makes the calls, where the user says so."""
    after: Literal["start", "restart", "reload"] = "start"
    """What began the part: a new log, a guard that goes on with it, or another spec."""
    schema_version: str = SCHEMA_VERSION


@dataclass(frozen=True)
class Sensed:
    """The readings that are new since the last record of this kind."""

    at_s: float
    """When the guard took them."""
    readings: Mapping[str, Reading]


@dataclass(frozen=True)
class Sent:
    """A call as it went to the robot's server, in the server's own words."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Decided:
    """One call of the model and what the guard made of it; written before anything is sent or answered."""

    at_s: float
    raw_tool: str
    raw_args: Mapping[str, Any]
    """As the model wrote them; what is long is cut, with a note."""
    command: Command | None
    """As the tool map reads it; None for a call that cannot be read."""
    decision: Decision
    sent: Sent | None
    """What goes to the robot; None for nothing."""
    refusal: str = ""
    """Why the call cannot be read."""
    blocks: bool = True
    """Whether the tool returns when its action is done."""
    active: tuple[str, ...] = ()
    """Ids of the invariants active, margins included."""
    enforced: tuple[str, ...] = ()
    """Keys of the rules that the call was held to."""
    readings: Mapping[str, Reading] = field(default_factory=dict)
    """The newest readings that the decision rests on; their age is `at_s` less `sampled_s`."""
    pose: Pose | None = None
    """Where the sensors say the robot stands; None when unknown."""
    spec: str = ""
    """Name and version of the spec that was enforced, as name@version."""
    latency_us: float = 0.0
    """What the decision took [us]."""
    client: str = ""
    """Which client called, where there are several."""


@dataclass(frozen=True)
class Outcome:
    """What became of a call that was sent."""

    at_s: float
    call: int
    """Number of the record of the decision or intervention."""
    status: OutcomeStatus
    text: str = ""
    """The first words of the result or the error."""
    told: Mapping[str, Reading] = field(default_factory=dict)
    """Sensed values that reached the model with the result."""


@dataclass(frozen=True)
class Intervened:
    """A call that the guard made by itself; whether it was accepted, and when, is in its outcome."""

    at_s: float
    """When it was sent."""
    intervention: Intervention
    action: str
    """What was sent: stop, emergency_stop, sit_down or limit."""
    sent: Sent | None
    """None where the robot offers nothing that would do it."""
    command: Command | None = None
    """For `limit`: the motion to go on with."""


@dataclass(frozen=True)
class OperatorAct:
    """Something a person did at the guard."""

    at_s: float
    deed: OperatorDeed
    accepted: bool = True
    text: str = ""
    """Why it was refused, or who did it."""
    released: tuple[str, ...] = ()
    """For a reset: the invariants that it released."""


@dataclass(frozen=True)
class Noted:
    """Anything else that a reader of the log must know: a failure within the guard, a lost server."""

    at_s: float
    what: str
    text: str = ""
    call: int | None = None
    """Number of the record that it concerns."""


@dataclass(frozen=True)
class Closed:
    """The last record of a part that ended in order."""

    at_s: float
    reason: str
    records: Mapping[str, int]
    """How many records of each kind the part holds, this one apart."""
    decisions: Mapping[str, int]
    """How many decisions of each kind."""
    last_hash: str
    """Hash of the record before."""


SERVER_NOTE = "server"
"""What is noted once the robot's server has said what it is."""
LONGEST_NAME = 100


@dataclass(frozen=True)
class ServerFacts:
    """What a robot's server says of itself."""

    name: str = UNKNOWN
    version: str = UNKNOWN
    tools_hash: str = ""
    """Hash of the list of its tools; empty when that is not known."""


def server_note(facts: ServerFacts, now_s: float) -> Noted:
    """Return the record of what a server says of itself; its words are cut, whatever they are."""
    words = {"name": facts.name[:LONGEST_NAME], "version": facts.version[:LONGEST_NAME]}
    return Noted(now_s, SERVER_NOTE, json.dumps({**words, "tools_hash": facts.tools_hash}))


def server_facts(note: Noted) -> ServerFacts:
    """Return what a record says of a server; what it does not say is unknown."""
    try:
        told = json.loads(note.text)
    except ValueError:
        return ServerFacts()
    found = told if isinstance(told, dict) else {}
    name, version = (str(found.get(key, UNKNOWN)) for key in ("name", "version"))
    return ServerFacts(name, version, str(found.get("tools_hash", "")))


Record = Opened | Sensed | Decided | Outcome | Intervened | OperatorAct | Noted | Closed

KINDS: Mapping[str, type[Record]] = {
    "opened": Opened,
    "sensed": Sensed,
    "decision": Decided,
    "outcome": Outcome,
    "intervention": Intervened,
    "operator": OperatorAct,
    "note": Noted,
    "closed": Closed,
}
KIND_OF: Mapping[type[Record], str] = {cls: kind for kind, cls in KINDS.items()}


def is_forced(record: Record) -> bool:
    """Return whether a record must be on the disk before anything else happens."""
    if isinstance(record, Decided):
        return record.decision.kind != "allow"
    return not isinstance(record, Sensed | Outcome)
