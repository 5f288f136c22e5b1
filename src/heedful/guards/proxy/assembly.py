"""A guard from names and options: the gate with its spec, tool map, watchdog and log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from heedful.guards.audit.log import AuditLog
from heedful.guards.proxy.call import ProxySettings
from heedful.guards.proxy.gate import ProxyGate
from heedful.guards.proxy.journal import Journal, NoLog, sensed_every
from heedful.guards.proxy.rules import RuleFiles, Rules, read_rules
from heedful.guards.settings import Margin
from heedful.guards.watchdog import Watchdog, WatchdogSettings


@dataclass(frozen=True)
class GuardOptions:
    """What the user asks for."""

    spec: str
    """Name or file."""
    tool_map: str
    """Name or file."""
    log: Path | None = None
    """Where the log goes; None for none."""
    margins: Mapping[str, Margin] = field(default_factory=dict)
    max_calls: int = 20
    """Tool calls a turn; 0 for no watchdog."""
    proxy: ProxySettings = field(default_factory=ProxySettings)


@dataclass(frozen=True)
class Assembled:
    """A gate with its log, and the way to read its rules again."""

    gate: ProxyGate
    log: AuditLog | None
    files: RuleFiles

    def read_rules(self, now_s: float) -> Rules:
        """Return the rules as their files say now.

        Raises:
            InputError: If they cannot be used.
        """
        return read_rules(self.files, now_s)

    def close(self, reason: str, now_s: float) -> None:
        """Write down what is left and close the log."""
        if self.log is not None:
            self.gate.journal.flush(now_s)
            self.log.close(reason, now_s)


class Unwatched(Watchdog):
    """Lets every call pass, where the user asked for no watchdog."""

    def review(self, tool: str, args: Mapping[str, object], now_s: float, *, is_protective: bool) -> None:
        """Let a call pass."""
        del tool, args, now_s, is_protective

    def note(self, tool: str, args: Mapping[str, object], result: str, is_error: bool, now_s: float) -> None:
        """Ignore a result."""
        del tool, args, result, is_error, now_s

    def restricted(self, tool: str, args: Mapping[str, object]) -> None:
        """Ignore a restriction."""
        del tool, args


def assemble(options: GuardOptions, clock: Callable[[], float]) -> Assembled:
    """Return the gate that the options ask for.

    Raises:
        InputError: If the spec, the map, a margin or the log cannot be used; nothing is started then.
        StorageError: If the log cannot be written.
    """
    files = RuleFiles(options.spec, options.tool_map, options.margins)
    rules = read_rules(files, clock())
    log = None if options.log is None else AuditLog.open(options.log, rules.header)
    journal = Journal(
        NoLog() if log is None else log,
        spec=rules.name,
        sensed_every_s=sensed_every(rules.guard.spec.max_age_s.values()),
    )
    gate = ProxyGate(rules.guard, rules.map, _watchdogs(options.max_calls), journal, options.proxy)
    return Assembled(gate, log, files)


def _watchdogs(max_calls: int) -> Callable[[], Watchdog]:
    if max_calls == 0:
        return Unwatched
    settings = WatchdogSettings(max_calls=max_calls)
    settings.check()
    return lambda: Watchdog(settings)
