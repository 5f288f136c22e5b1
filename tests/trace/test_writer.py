"""What was written stays: through full disks, broken folders and resumed sessions."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from heedful.errors import StorageError, TraceError
from heedful.trace.reader import parse_trace, read_trace
from heedful.trace.records import SessionEnd
from heedful.trace.writer import TIMING_FILE, TRACE_FILE, Durability, TraceWriter

from .records import example_info, example_turn, finished_session

FULL = OSError(28, "No space left on device")


class FullDisk(io.FileIO):
    """A file on a disk with room for so many more bytes."""

    def __init__(self, path: Path, room: int) -> None:
        super().__init__(path, "ab")
        self.room = room

    def write(self, data: bytes) -> int:  # type: ignore[override]
        if self.room <= 0:
            raise FULL
        written = super().write(bytes(data)[: self.room])
        self.room -= written
        return written


@pytest.mark.parametrize("durability", ["turn", "session"])
def test_a_session_is_written_in_its_canonical_bytes(tmp_path: Path, durability: Durability) -> None:
    writer = TraceWriter(tmp_path / "a" / "b", durability)
    writer.write(example_info(3))
    for k in range(3):
        writer.write(example_turn(k), {"turn": k, "latencies_s": [0.5]})
    writer.write(SessionEnd(3))
    writer.close()
    writer.close()
    assert (tmp_path / "a" / "b" / TRACE_FILE).read_bytes() == finished_session(3)
    timing = (tmp_path / "a" / "b" / TIMING_FILE).read_bytes().splitlines()
    assert [orjson.loads(line) for line in timing] == [{"turn": k, "latencies_s": [0.5]} for k in range(3)]


def test_a_resumed_session_goes_on_with_the_chain(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path)
    writer.write(example_info(3))
    writer.write(example_turn(0))
    writer.close()
    writer = TraceWriter(tmp_path, previous=read_trace(tmp_path).last_hash)
    for record in (example_turn(1), example_turn(2), SessionEnd(3)):
        writer.write(record)
    writer.close()
    assert (tmp_path / TRACE_FILE).read_bytes() == finished_session(3)


@pytest.mark.parametrize("room", [0, 1, 200])
def test_a_full_disk_costs_only_the_turn_in_flight(tmp_path: Path, room: int) -> None:
    writer = TraceWriter(tmp_path)
    writer.write(example_info(2))
    writer.write(example_turn(0), {"turn": 0})
    good = writer._trace
    writer._trace = FullDisk(tmp_path / TRACE_FILE, room)
    with pytest.raises(StorageError, match=r"No space left.*Finished turns are kept"):
        writer.write(example_turn(1), {"turn": 1})
    writer._trace.close()
    assert read_trace(tmp_path).turns == (example_turn(0),)
    writer._trace = good  # space was freed
    writer.write(example_turn(1), {"turn": 1})
    writer.close()
    assert read_trace(tmp_path).turns == (example_turn(0), example_turn(1))
    assert (tmp_path / TIMING_FILE).read_bytes() == b'{"turn":0}\n{"turn":1}\n'


def test_a_disk_that_fills_up_at_the_timing_facts_takes_the_turn_back(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path)
    writer.write(example_info(1))
    writer._timing.close()
    writer._timing = FullDisk(tmp_path / TIMING_FILE, 3)
    with pytest.raises(StorageError):
        writer.write(example_turn(0), {"turn": 0})
    writer.close()
    assert read_trace(tmp_path).turns == ()
    assert (tmp_path / TIMING_FILE).read_bytes() == b""


def test_a_real_limit_on_file_size_keeps_the_turns_before_it(tmp_path: Path) -> None:
    script = """
import resource, sys
from pathlib import Path
from heedful.errors import StorageError
from heedful.trace.codec import decode_line
from heedful.trace.reader import parse_trace
from heedful.trace.writer import TraceWriter
data = Path(sys.argv[1]).read_bytes()
trace = parse_trace(data)
resource.setrlimit(resource.RLIMIT_FSIZE, (len(data) - 300, len(data) - 300))
writer = TraceWriter(Path(sys.argv[2]))
writer.write(trace.info)
for turn in trace.turns:
    try:
        writer.write(turn)
    except StorageError as error:
        print(turn.index, error)
writer.close()
"""
    (tmp_path / "source").write_bytes(finished_session(3))
    run = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "source", tmp_path / "out"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith("2 ")
    assert "File too large" in run.stdout
    assert read_trace(tmp_path / "out").turns == (example_turn(0), example_turn(1))


def test_a_disk_that_refuses_to_sync_at_the_end_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int) -> None:
        raise FULL

    writer = TraceWriter(tmp_path, "session")
    writer.write(example_info(1))
    monkeypatch.setattr("heedful.trace.writer.os.fsync", refuse)
    with pytest.raises(StorageError, match="No space left"):
        writer.close()
    writer.close()
    assert read_trace(tmp_path).info == example_info(1)


@pytest.mark.parametrize("blocked", ["folder", TRACE_FILE, TIMING_FILE])
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, blocked: str) -> None:
    folder = tmp_path / "session"
    if blocked == "folder":
        folder.write_text("a file stands here")
    else:
        (folder / blocked).mkdir(parents=True)
    with pytest.raises(StorageError, match=f"{folder} cannot be written"):
        TraceWriter(folder)


def test_a_record_that_json_cannot_hold_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path)
    writer.write(example_info(1))
    with pytest.raises(TraceError, match="cannot be stored"):
        writer.write(example_turn(0, reply="half a pair: \ud83e"))
    writer.write(example_turn(0))
    writer.close()
    assert parse_trace((tmp_path / TRACE_FILE).read_bytes()).turns == (example_turn(0),)
