"""A run's folder: its manifest, the texts it ran with, one folder a session, one writer at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson

from heedful.errors import InputError, StorageError, TraceError
from heedful.file_lock import hold_lock
from heedful.run_config import RunConfig, config_from_dict
from heedful.scenarios.load import parse_scenario
from heedful.scenarios.resolve import resolve_scenario
from heedful.scenarios.scenario import Scenario
from heedful.spec.load import parse_spec, spec_text
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.reader import COMPRESSED_FILE
from heedful.trace.writer import TRACE_FILE

MANIFEST = "run.json"
SPEC_FILE = "spec.yaml"


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
        return config_from_dict(data)

    def spec_text(self) -> str:
        """Return the text of the spec that the run was begun with."""
        return self._read(SPEC_FILE)

    def spec(self) -> SafetySpec:
        """Return the spec that the run was begun with."""
        return parse_spec(self.spec_text(), str(self.path / SPEC_FILE))

    def scenario(self, position: int) -> Scenario:
        """Return a scenario of the run by its position in the configuration."""
        name = _scenario_file(position)
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
