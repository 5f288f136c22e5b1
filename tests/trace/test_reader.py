"""A stored session is read whole or as far as it got, and every change to a finished one is seen."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from heedful.errors import StorageError, TraceError
from heedful.trace import reader
from heedful.trace.reader import (
    COMPRESSED_FILE,
    Trace,
    compress_trace,
    cut_torn_line,
    parse_trace,
    read_trace,
    trace_bytes,
)
from heedful.trace.records import SessionEnd
from heedful.trace.writer import TIMING_FILE, TRACE_FILE

from .records import chain, example_info, example_turn, finished_session

DATA = finished_session(3)
LINES = DATA.splitlines(keepends=True)
WHOLE = parse_trace(DATA)


def stored(folder: Path, data: bytes = DATA) -> Path:
    (folder / TRACE_FILE).write_bytes(data)
    return folder


def test_a_finished_session_is_read_whole() -> None:
    assert Trace(example_info(3), tuple(example_turn(k) for k in range(3)), True, WHOLE.last_hash) == WHOLE


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_an_unfinished_session_is_read_as_far_as_it_got(turns: int) -> None:
    trace = parse_trace(b"".join(LINES[: 1 + turns]))
    assert (len(trace.turns), trace.is_complete) == (turns, False)


@settings(max_examples=300)
@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
@example(len(DATA) - 1, 0x0A ^ 0x20)  # the last newline becomes a space
@example(len(DATA) - 1, 0x0A ^ 0x0D)
def test_any_changed_byte_of_a_finished_session_is_seen(position: int, flip: int) -> None:
    changed = bytearray(DATA)
    changed[position] ^= flip
    with pytest.raises(TraceError):
        parse_trace(bytes(changed))


@pytest.mark.parametrize("position", range(len(DATA) - len(LINES[-1]), len(DATA)))
def test_any_changed_byte_of_the_last_line_is_seen(position: int) -> None:
    for flip in (0x01, 0x02, 0x08, 0x10, 0x20, 0x80):
        changed = bytearray(DATA)
        changed[position] ^= flip
        with pytest.raises(TraceError):
            parse_trace(bytes(changed))


@pytest.mark.parametrize("k", range(len(LINES) - 1))
def test_a_removed_line_is_seen(k: int) -> None:
    with pytest.raises(TraceError):
        parse_trace(b"".join(LINES[:k] + LINES[k + 1 :]))


@pytest.mark.parametrize("k", range(len(LINES)))
def test_a_doubled_line_is_seen(k: int) -> None:
    with pytest.raises(TraceError):
        parse_trace(b"".join(LINES[: k + 1] + LINES[k:]))


@pytest.mark.parametrize(("a", "b"), [(a, b) for a in range(len(LINES)) for b in range(a)])
def test_swapped_lines_are_seen(a: int, b: int) -> None:
    lines = list(LINES)
    lines[a], lines[b] = lines[b], lines[a]
    with pytest.raises(TraceError):
        parse_trace(b"".join(lines))


@pytest.mark.parametrize(
    "records",
    [
        [],
        [example_turn(0)],
        [SessionEnd(0)],
        [example_info(1), example_info(1)],
        [example_info(2), example_turn(0), example_turn(0)],
        [example_info(2), example_turn(1)],
        [example_info(1), example_turn(0), SessionEnd(2)],
        [example_info(1), SessionEnd(0), example_turn(0)],
        [example_info(1), SessionEnd(0), SessionEnd(0)],
        [example_info(1), SessionEnd(0, completed=False), example_turn(0)],
    ],
)
def test_records_out_of_order_are_refused_even_with_a_sound_chain(records: list[object]) -> None:
    with pytest.raises(TraceError):
        parse_trace(chain(records))  # type: ignore[arg-type]


def test_a_session_that_says_it_did_not_complete_is_not_complete() -> None:
    trace = parse_trace(chain([example_info(2), example_turn(0), SessionEnd(1, completed=False)]))
    assert not trace.is_complete


def test_damage_is_named_with_file_and_line(tmp_path: Path) -> None:
    lines = list(LINES)
    lines[2] = b"{}\n"
    with pytest.raises(TraceError, match=rf"{TRACE_FILE}: line 3: "):
        read_trace(stored(tmp_path, b"".join(lines)))


@given(st.integers(0, len(DATA)))
def test_a_torn_last_line_is_left_out(cut: int) -> None:
    whole = DATA[:cut].count(b"\n")
    if whole == 0:
        with pytest.raises(TraceError, match="empty"):
            parse_trace(DATA[: DATA[:cut].rfind(b"\n") + 1])
        return
    trace = parse_trace(DATA[: DATA[:cut].rfind(b"\n") + 1])
    assert trace.turns == WHOLE.turns[: whole - 1]


def test_a_killed_session_can_be_read_before_it_is_resumed(tmp_path: Path) -> None:
    stored(tmp_path, b"".join(LINES[:2]) + LINES[2][:50])
    assert read_trace(tmp_path).turns == WHOLE.turns[:1]


def test_a_torn_line_is_cut_from_the_files(tmp_path: Path) -> None:
    stored(tmp_path, b"".join(LINES[:2]) + LINES[2][:50])
    (tmp_path / TIMING_FILE).write_bytes(b'{"turn":0}\n{"tur')
    assert cut_torn_line(tmp_path) == 50
    assert (tmp_path / TRACE_FILE).read_bytes() == b"".join(LINES[:2])
    assert (tmp_path / TIMING_FILE).read_bytes() == b'{"turn":0}\n'
    assert cut_torn_line(tmp_path) == 0


def test_nothing_to_cut_where_nothing_was_written(tmp_path: Path) -> None:
    assert cut_torn_line(tmp_path) == 0


def test_compressing_keeps_the_canonical_bytes(tmp_path: Path) -> None:
    compress_trace(stored(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == [COMPRESSED_FILE]
    assert trace_bytes(tmp_path) == DATA
    assert read_trace(tmp_path) == WHOLE


def test_a_crash_between_compressing_and_removing_loses_nothing(tmp_path: Path) -> None:
    compress_trace(stored(tmp_path))
    stored(tmp_path)
    assert read_trace(tmp_path) == WHOLE


@pytest.mark.parametrize("cut", [0, 1, 10, 100, -4, -1])
def test_a_compressed_trace_cut_short_is_refused(tmp_path: Path, cut: int) -> None:
    compress_trace(stored(tmp_path))
    packed = tmp_path / COMPRESSED_FILE
    packed.write_bytes(packed.read_bytes()[:cut])
    with pytest.raises(TraceError):
        read_trace(tmp_path)


@settings(max_examples=100)
@given(st.data())
def test_a_changed_compressed_trace_is_refused_or_reads_the_same(data: st.DataObject) -> None:
    packed = bytearray(zstandard.ZstdCompressor(level=3).compress(DATA))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        found = parse_trace(reader._unpacked(bytes(packed), "packed"))
    except (TraceError, zstandard.ZstdError):
        return
    assert found == WHOLE


def test_a_trace_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compress_trace(stored(tmp_path))
    monkeypatch.setattr(reader, "MAX_TRACE_BYTES", len(DATA) - 1)
    with pytest.raises(TraceError, match="more than"):
        read_trace(tmp_path)


def test_a_folder_without_a_trace_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=str(tmp_path)):
        read_trace(tmp_path / "nothing")


def test_a_disk_that_is_full_while_compressing_keeps_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    stored(tmp_path)
    monkeypatch.setattr("heedful.trace.reader.os.fsync", refuse)
    with pytest.raises(StorageError, match="No space left"):
        compress_trace(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [TRACE_FILE]
    assert read_trace(tmp_path) == WHOLE
