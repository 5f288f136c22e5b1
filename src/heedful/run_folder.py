"""A run's folder: its manifest, the texts it ran with, one folder a session, one writer at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import orjson
import yaml
from pydantic import TypeAdapter, ValidationError

from heedful.build import Cell
from heedful.errors import InputError, StorageError, TraceError
from heedful.file_lock import hold_lock
from heedful.run_config import RunConfig, config_from_dict
from heedful.scenarios.load import parse_scenario
from heedful.scenarios.resolve import resolve_scenario
from heedful.scenarios.scenario import Scenario
from heedful.spec.load import parse_spec, spec_text
from heedful.spec.safety_spec import SafetySpec
from heedful.state.motion import RobotLimits
from heedful.trace.reader import COMPRESSED_FILE, Trace, compress_trace
from heedful.trace.records import SessionEnd
from heedful.trace.writer import TRACE_FILE, TraceWriter

MANIFEST = "run.json"
SPEC_FILE = "spec.yaml"
ROBOT_FILE = "robot.json"
"""The limits of a robot that is not heedful's own; only where sessions were recorded elsewhere."""
UNKNOWN = "unknown"
MOST_RECORDED = 100_000


@dataclass(frozen=True, slots=True)
class RecordedConfig(RunConfig):
    """Stands for the design of sessions that were recorded elsewhere; who made the calls is in each trace."""

    models: tuple[str, ...] = ()
    contexts: tuple[str, ...] = (UNKNOWN,)
    guards: tuple[str, ...] = ("on",)
    scenarios: tuple[str, ...] = ()
    recorded: int = 1
    """How many sessions there are."""

    def cells(self) -> list[Cell]:
        """Return one cell for each session."""
        name = self.scenarios[0] if self.scenarios else UNKNOWN
        return [Cell(UNKNOWN, UNKNOWN, "none", name, k, 0, self.guards[0]) for k in range(self.recorded)]

    def facts(self) -> dict[str, Any]:
        """Return what is known, for `run.json`; a design's settings are not."""
        names = ("recorded", "scenarios", "spec", "guards", "contexts")
        return {name: getattr(self, name) for name in names}


class RunFolder:
    """Where a run's files lie; holds the very spec and scenarios that it ran with."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def sessions(self) -> Path:
        """The folder of all sessions."""
        return self.path / "sessions"

    def session(self, session: str) -> Path:
        """Return one session's folder."""
        return self.sessions / session

    def exists(self) -> bool:
        """Return whether a run was begun here."""
        return (self.path / MANIFEST).exists()

    def create(self, config: RunConfig) -> None:
        """Begin a run here.

        Raises:
            InputError: If a run was begun here before, or the folder cannot be written.
        """
        if self.exists():
            raise InputError(
                f"{self.path} already holds a run. Go on with --resume, or choose another --out."
            )
        text, _ = spec_text(config.spec)
        parse_spec(text, config.spec)
        scenarios = {name: resolve_scenario(name) for name in config.scenarios}
        for name, scenario_text in scenarios.items():
            parse_scenario(scenario_text, name)
        try:
            self.sessions.mkdir(parents=True, exist_ok=True)
            self._write(SPEC_FILE, text.encode())
            for position, scenario_text in enumerate(scenarios.values()):
                self._write(_scenario_file(position), scenario_text.encode())
            manifest = orjson.dumps(config.as_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
            self._write(MANIFEST, manifest)
        except OSError as error:
            raise InputError(f"{self.path} cannot be written: {error.strerror}.") from error

    def record(self, spec: SafetySpec, traces: Sequence[Trace]) -> None:
        """Keep sessions that were not run here, so that they are reported and labelled like any other.

        Args:
            spec: What they were held to, with the robot's limits and its own tools.
            traces: The sessions, each with an id of its own; they become the repetitions of one arm.

        Raises:
            InputError: If a run was begun here before, or there is no session.
            StorageError: If the disk refuses.
        """
        if self.exists() or self.sessions.exists():
            raise InputError(f"{self.path} already holds a run. Choose another --out.")
        if not traces:
            raise InputError("There is no session to record.")
        scenarios = tuple(dict.fromkeys(trace.info.scenario for trace in traces))
        config = RecordedConfig(scenarios=scenarios, spec=spec.name, recorded=len(traces))
        for repetition, trace in enumerate(traces):
            self._record_session(replace(trace, info=replace(trace.info, repetition=repetition)))
        self.write_result(SPEC_FILE, _spec_yaml(spec).encode())
        self.write_result(ROBOT_FILE, orjson.dumps(asdict(spec.limits), option=orjson.OPT_INDENT_2))
        self.write_result(MANIFEST, orjson.dumps(config.facts(), option=orjson.OPT_INDENT_2))

    def _record_session(self, trace: Trace) -> None:
        path = self.session(trace.info.session)
        writer = TraceWriter(path, "session")
        try:
            writer.write(trace.info)
            for turn in trace.turns:
                writer.write(turn)
            if trace.is_complete:
                writer.write(SessionEnd(len(trace.turns)))
        finally:
            writer.close()
        if trace.is_complete:
            compress_trace(path)

    def config(self) -> RunConfig:
        """Return the configuration that the run was begun with.

        Raises:
            InputError: If there is no run here or its manifest is damaged.
        """
        try:
            data = orjson.loads((self.path / MANIFEST).read_bytes())
        except OSError as error:
            raise InputError(f"{self.path} holds no run ({MANIFEST}: {error.strerror}).") from error
        except orjson.JSONDecodeError as error:
            raise InputError(f"{self.path / MANIFEST} is damaged: {error}.") from error
        is_recorded = isinstance(data, dict) and "recorded" in data
        return _recorded_config(data, self.path) if is_recorded else config_from_dict(data)

    def spec_text(self) -> str:
        """Return the text of the spec that the run was begun with."""
        return self._read(SPEC_FILE)

    def spec(self) -> SafetySpec:
        """Return the spec that the run was begun with."""
        return parse_spec(self.spec_text(), str(self.path / SPEC_FILE), self._limits())

    def fit(self, spec: SafetySpec) -> SafetySpec:
        """Return another spec as this run's traces must be judged by it: for the robot that was recorded."""
        if not (self.path / ROBOT_FILE).exists():
            return spec
        tools = {**self.spec().document.tools, **spec.document.tools}
        return SafetySpec(spec.document.model_copy(update={"tools": tools}), self._limits())

    def _limits(self) -> RobotLimits | None:
        """Return the limits of a robot that is not heedful's own, or None."""
        path = self.path / ROBOT_FILE
        if not path.exists():
            return None
        try:
            return TypeAdapter(RobotLimits).validate_json(self._read(ROBOT_FILE))
        except ValidationError as error:
            raise TraceError(f"{path} is damaged: {error.errors()[0]['msg']}.") from error

    def scenario(self, position: int) -> Scenario:
        """Return a scenario of the run by its position in the configuration.

        Raises:
            InputError: If the sessions were recorded elsewhere, without one.
        """
        name = _scenario_file(position)
        if not (self.path / name).exists() and isinstance(self.config(), RecordedConfig):
            raise InputError(f"{self.path} holds recorded sessions: they can be reported, not run.")
        return parse_scenario(self._read(name), str(self.path / name))

    def begun_sessions(self) -> Iterator[Path]:
        """Yield the folder of every session that has a trace, by name."""
        for folder in sorted(self.sessions.iterdir()) if self.sessions.is_dir() else []:
            files = (folder / COMPRESSED_FILE, folder / TRACE_FILE)
            if any(file.exists() and file.stat().st_size for file in files):
                yield folder

    def write_result(self, name: str, data: bytes) -> Path:
        """Write a result file whole or not at all; return its path.

        Raises:
            StorageError: If the disk refuses.
        """
        try:
            return self._write(name, data)
        except OSError as error:
            raise StorageError(f"{self.path / name} cannot be written: {error.strerror}.") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run for this process; a killed process lets go.

        Raises:
            InputError: If another process is running it.
        """
        with hold_lock(self.path / ".lock", f"{self.path} is being run by another process."):
            yield

    def _write(self, name: str, data: bytes) -> Path:
        path = self.path / name
        partial = path.with_name(f".{name}.part")
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        return path

    def _read(self, name: str) -> str:
        try:
            return (self.path / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TraceError(f"{self.path / name} cannot be read: {error}.") from error


def _scenario_file(position: int) -> str:
    return f"scenario-{position}.yaml"


def _recorded_config(data: dict[str, Any], path: Path) -> RecordedConfig:
    try:
        config = TypeAdapter(RecordedConfig).validate_python(data)
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise InputError(f"{path / MANIFEST} is damaged: {field}: {problem['msg']}.") from error
    if not 1 <= config.recorded <= MOST_RECORDED or not config.guards:
        raise InputError(f"{path / MANIFEST} is damaged: recorded must be 1 to {MOST_RECORDED}.")
    return config


def _spec_yaml(spec: SafetySpec) -> str:
    """Return a spec as a file that reads back the same."""
    data = spec.document.model_dump(mode="json", by_alias=True, exclude_unset=True)
    data["tools"] = dict(spec.document.tools)
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)
