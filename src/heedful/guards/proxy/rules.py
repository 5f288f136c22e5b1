"""What a guard holds calls to, read from files: a spec, a tool map, and the log's record of both.

Reading the files again gives new rules; what the old ones have latched, or know, goes over to them.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field

from heedful.guards.audit.records import Opened
from heedful.guards.settings import GuardSettings, Margin
from heedful.guards.spec_guard import SpecGuard
from heedful.guards.tool_map.load import parse_tool_map, tool_map_text
from heedful.guards.tool_map.tool_map import ToolMap
from heedful.spec.load import parse_spec, spec_text
from heedful.trace.codec import content_hash
from heedful.trace.records import Reading
from heedful.version import __version__


@dataclass(frozen=True)
class RuleFiles:
    """Where the rules stand."""

    spec: str
    """Name or file."""
    tool_map: str
    """Name or file."""
    margins: Mapping[str, Margin] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    """A spec as it is enforced on one robot."""

    guard: SpecGuard
    map: ToolMap
    header: Opened
    """How a part of the log under these rules begins."""

    @property
    def name(self) -> str:
        """The spec's name and version, as name@version."""
        return f"{self.header.spec}@{self.header.spec_version}"


def read_rules(files: RuleFiles, now_s: float) -> Rules:
    """Return the rules as the files say now.

    Raises:
        InputError: If the spec, the map or a margin cannot be used, or they do not fit each other.
    """
    map_text = tool_map_text(files.tool_map)
    tool_map = parse_tool_map(map_text, files.tool_map)
    text, where = spec_text(files.spec)
    spec = tool_map.spec_for(parse_spec(text, where))
    settings = GuardSettings(files.margins)
    header = Opened(
        at_s=now_s,
        started=datetime.datetime.now().astimezone().isoformat(),
        guard=__version__,
        spec=spec.name,
        spec_version=spec.version,
        spec_hash=content_hash(text),
        spec_text=text,
        tools=dict(spec.document.tools),
        limits=tool_map.limits,
        settings=settings,
        tool_map=tool_map.name,
        tool_map_version=tool_map.version,
        tool_map_hash=content_hash(map_text),
    )
    return Rules(SpecGuard(spec, settings), tool_map, header)


def hand_over(
    old: SpecGuard, new: SpecGuard, sensed: Mapping[str, Reading], told: Mapping[str, Reading], now_s: float
) -> tuple[str, ...]:
    """Give a new guard what the old one knows; return the ids of the obligations that it has no rule for.

    What is active counts for the new guard as active long before, so that no window begins anew. Obligations
    keep their onset, and so their deadline, where the new spec still requires something by that invariant.

    Args:
        old: The guard so far.
        new: The guard from now on; it has not been used.
        sensed: The newest readings.
        told: What the model was told last.
        now_s: The guard's clock [s].
    """
    old.state(now_s)
    new.told(told, now_s)
    new.observe(sensed, now_s)
    return new.take_over(old, now_s)
