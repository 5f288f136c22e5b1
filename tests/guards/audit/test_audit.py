"""What the guard decided is on the disk, whatever happens next, and no change to it goes unseen."""

from __future__ import annotations

import hashlib
import io
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from heedful.errors import InputError, StorageError, TraceError
from heedful.guards.audit import log as audit
from heedful.guards.audit.check import (
    BrokenLine,
    LogCheck,
    check_as_json,
    check_log,
    render_check,
    verify_log,
)
from heedful.guards.audit.codec import MAX_RECORD_BYTES, decode_line, encode_line, hash_of
from heedful.guards.audit.log import AuditLog
from heedful.guards.audit.records import (
    Closed,
    Decided,
    Intervened,
    Noted,
    Opened,
    OperatorAct,
    Outcome,
    Record,
    Sensed,
    Sent,
)
from heedful.guards.guard import Command, Intervention
from heedful.state.series import INFINITE
from heedful.trace.codec import GENESIS
from heedful.trace.decision import Decision
from heedful.trace.records import Reading
from tests.guards.guard_logs import SHORT, chained, check, header, logs, records, sums

WALK = Command("walk_to", "locomotion", {"x": 1.0, "y": 0.0, "speed_percent": 80.0}, True)
NEAR = {"human.distance": Reading(0.8, 0.9)}


def decided(kind: Any = "allow", at_s: float = 1.0, **changes: Any) -> Decided:
    args = {"x": 1.0, "y": 0.0, "speed_percent": 80}
    sent = None if kind == "deny" else Sent("walk_to", args)
    record = Decided(at_s, "walk_to", args, WALK, Decision(kind), sent, readings=NEAR)
    return replace(record, **changes)


EXAMPLE: tuple[Record, ...] = (
    header(),
    Sensed(0.5, NEAR),
    decided("allow", 1.0),
    Outcome(2.0, 3, "ok", "done", {"robot.x": Reading(1.0, 2.0)}),
    decided("clamp", 3.0),
    Outcome(4.0, 5, "error", "actuator fault"),
    decided("deny", 5.0),
    Intervened(6.0, Intervention("stop", ("S1",), "no camera"), "stop", Sent("stop")),
    Outcome(6.1, 8, "ok"),
    OperatorAct(7.0, "reset", True, "", ("S4",)),
    Noted(8.0, "failure", "the map could not read a result", 3),
)
DATA = chained(EXAMPLE, closed=True)
LINES = DATA.splitlines(keepends=True)


def written(path: Path, found: tuple[Record, ...] = EXAMPLE) -> AuditLog:
    log = AuditLog.open(path, found[0])  # type: ignore[arg-type]
    for record in found[1:]:
        log.append(record)
    return log


def test_a_log_is_written_in_its_canonical_bytes(tmp_path: Path) -> None:
    log = written(tmp_path / "guard.jsonl")
    log.close("the client left", 1e6)
    log.close("again", 1e6)
    assert (tmp_path / "guard.jsonl").read_bytes() == DATA
    assert log.last_hash == hash_of(LINES[-1])
    assert not log.is_writable


@settings(max_examples=100)
@given(st.one_of(records, st.just(header())), st.integers(1, 2**40))
def test_a_record_is_read_back_as_it_was_written(record: Record, number: int) -> None:
    line = encode_line(record, number, GENESIS)
    entry = decode_line(line)
    assert (entry.number, entry.previous, entry.hash) == (number, GENESIS, hash_of(line))
    assert type(entry.record) is type(record)
    assert line.count(b"\n") == 1
    assert encode_line(entry.record, number, GENESIS) == line


def test_each_kind_of_record_is_read_back_exactly() -> None:
    assert tuple(decode_line(line).record for line in LINES[:-1]) == EXAMPLE


def test_the_facts_of_a_log_are_told(tmp_path: Path) -> None:
    (tmp_path / "g").write_bytes(DATA)
    kinds, made = sums(EXAMPLE)
    assert verify_log(tmp_path / "g", hash_of(LINES[4])) == LogCheck(
        12,
        {**kinds, "closed": 1},
        {**made, "substitute": 0},
        ("iso10218-humanoid@1.0",),
        0,
        True,
        "the client left",
        None,
        0,
        hash_of(LINES[-1]),
        True,
    )


def test_the_facts_are_rendered_for_people_and_programs() -> None:
    facts = check(DATA)
    assert render_check(facts, "guard.jsonl") == [
        "guard.jsonl: 12 record(s) in 1 part(s), none of them changed",
        "decisions: 1 allow, 1 clamp, 1 deny, 0 substitute",
        "specs: iso10218-humanoid@1.0",
        "closed: the client left",
        f"last hash: {facts.last_hash} (kept elsewhere, it shows that nothing up to here was rewritten)",
    ]
    told = orjson.loads(orjson.dumps(check_as_json(facts)))
    assert (told["is_intact"], told["records"], told["broken"]) == (True, 12, None)


# changes


@settings(max_examples=300)
@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_any_changed_byte_of_a_log_of_every_kind_is_seen(position: int, flip: int) -> None:
    changed = bytearray(DATA)
    changed[position] ^= flip
    found = check(bytes(changed))
    assert found.broken is not None or found.torn_bytes


@settings(max_examples=50)
@given(logs(), st.data())
def test_any_changed_byte_is_seen(data: bytes, drawn: st.DataObject) -> None:
    position = drawn.draw(st.integers(0, len(data) - 1))
    changed = bytearray(data)
    changed[position] ^= drawn.draw(st.integers(1, 255))
    found = check(bytes(changed))
    assert found.broken is not None or found.torn_bytes
    assert found.last_hash != check(data).last_hash


@pytest.mark.parametrize("closed", [True, False])
def test_any_changed_byte_of_the_last_line_is_seen(closed: bool) -> None:
    data = chained((SHORT, decided("deny")), closed=closed)
    for position in range(data.rfind(b"\n", 0, -1) + 1, len(data)):
        for flip in (0x01, 0x08, 0x20, 0x80):
            changed = bytearray(data)
            changed[position] ^= flip
            found = check(bytes(changed))
            assert found.broken is not None or found.torn_bytes, (position, flip)


@settings(max_examples=40)
@given(logs(closed=True), st.data())
def test_a_dropped_line_is_seen(data: bytes, drawn: st.DataObject) -> None:
    lines = data.splitlines(keepends=True)
    k = drawn.draw(st.integers(0, len(lines) - 2))
    found = check(b"".join(lines[:k] + lines[k + 1 :]))
    assert found.broken is not None
    assert found.broken.line == k + 1


@settings(max_examples=40)
@given(logs(), st.data())
def test_a_doubled_line_is_seen(data: bytes, drawn: st.DataObject) -> None:
    lines = data.splitlines(keepends=True)
    k, place = drawn.draw(st.integers(0, len(lines) - 1)), drawn.draw(st.integers(0, len(lines)))
    found = check(b"".join([*lines[:place], lines[k], *lines[place:]]))
    assert found.broken is not None


@settings(max_examples=40)
@given(logs(), st.data())
def test_swapped_lines_are_seen(data: bytes, drawn: st.DataObject) -> None:
    lines = data.splitlines(keepends=True)
    a, b = (drawn.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    changed = list(lines)
    changed[a], changed[b] = changed[b], changed[a]
    found = check(b"".join(changed))
    assert (found.broken is None) == (a == b)
    if a != b:
        assert found.broken is not None
        assert found.broken.line == min(a, b) + 1


@settings(max_examples=40)
@given(logs(), logs(), st.data())
def test_a_line_of_another_log_is_seen(data: bytes, other: bytes, drawn: st.DataObject) -> None:
    lines, foreign = data.splitlines(keepends=True), other.splitlines(keepends=True)
    k = drawn.draw(st.integers(0, len(lines) - 1))
    line = drawn.draw(st.sampled_from(foreign))
    found = check(b"".join([*lines[:k], line, *lines[k:]]))
    assert found.broken is not None


@settings(max_examples=40)
@given(logs(closed=True), st.data())
def test_a_cut_end_is_told_as_not_closed_and_never_as_tampering(data: bytes, drawn: st.DataObject) -> None:
    first = data.index(b"\n") + 1
    cut = drawn.draw(st.integers(first, len(data) - 1))
    found = check(data[:cut])
    assert found.broken is None
    assert not found.is_closed
    assert found.torn_bytes == cut - (data[:cut].rfind(b"\n") + 1)
    assert any(line.startswith("not closed") for line in render_check(found, "g"))


@pytest.mark.parametrize(
    ("changed", "line", "why"),
    [
        (
            [*LINES[:2], LINES[2].replace(b'"x":1.0', b'"x":9.0'), *LINES[3:]],
            3,
            "changed after it was written",
        ),
        ([*LINES[:2], *LINES[3:]], 3, "record 4; 1 before it were removed or moved"),
        ([*LINES[:3], LINES[2], *LINES[3:]], 4, "record 3 in the place of 4: doubled, added or moved"),
        ([*LINES[:2], b'{"a": NaN}\n', *LINES[2:]], 3, "not a record of heedful-guard-log-1"),
        ([*LINES[:2], b"\n", *LINES[2:]], 3, "not a record of heedful-guard-log-1"),
        ([b"\xff\xfe\n"], 1, "not a record of heedful-guard-log-1"),
        ([LINES[1]], 1, "record 2; 1 before it were removed"),
        ([], 1, "no record of heedful-guard-log-1"),
    ],
)
def test_the_first_broken_line_is_named_with_its_number_and_why(
    changed: list[bytes], line: int, why: str
) -> None:
    found = check(b"".join(changed))
    assert found.broken is not None
    assert found.broken.line == line
    assert why in found.broken.why
    assert not found.is_intact
    assert f"broken at line {line}: " in render_check(found, "g")[0]


def rehashed(line: bytes, old: bytes, new: bytes) -> bytes:
    """Return a line changed by one who knows how to hash it."""
    body = line[:-76].replace(old, new)
    forged = encode_line(EXAMPLE[1], 1, GENESIS)  # any line, for its tail's form
    tail = forged[-76:-67] + hashlib.sha256(body).hexdigest().encode() + forged[-3:]
    return body + tail


@pytest.mark.parametrize(
    ("k", "old", "new", "why"),
    [
        (
            0,
            b"heedful-guard-log-1",
            b"heedful-guard-log-9",
            "schema 'heedful-guard-log-9'; this version reads",
        ),
        (0, b'"schema_version":"heedful-guard-log-1"', b'"x":1', "schema 'None'"),
        (1, b'"at_s":0.5', b'"at_s":NaN', "not JSON"),
        (1, b'"at_s":0.5', b'"at_s":null', "sensed record: at_s"),
        (1, b'"value":0.8,', b"", "sensed record: readings.human.distance.value"),
        (1, b'"kind":"sensed"', b'"kind":"seen"', "not a record of heedful-guard-log-1"),
        (1, b'"number":2', b'"number":"2"', "not a record of heedful-guard-log-1"),
        (2, b'"kind":"allow"', b'"kind":"maybe"', "decision record: decision.kind"),
    ],
)
def test_foreign_and_impossible_records_are_refused_even_with_a_right_hash(
    k: int, old: bytes, new: bytes, why: str
) -> None:
    assert old in LINES[k]
    found = check(b"".join([*LINES[:k], rehashed(LINES[k], old, new)]))
    assert found.broken is not None
    assert (found.broken.line, why in found.broken.why) == (k + 1, True), found.broken.why


def test_a_changed_line_is_seen_even_with_a_right_hash() -> None:
    forged = rehashed(LINES[2], b'"x":1.0', b'"x":9.0')
    found = check(b"".join([*LINES[:2], forged, *LINES[3:]]))
    assert found.broken == BrokenLine(4, "it does not follow the line before, which was replaced or added.")


def test_a_log_chained_anew_is_seen_by_a_hash_that_was_kept() -> None:
    kept = check(DATA).last_hash
    anew = chained([*EXAMPLE[:2], *EXAMPLE[2:6]], closed=True)
    assert check(anew).is_intact
    assert not check(anew, kept).is_intact
    assert "the given hash is that of none of its lines" in render_check(check(anew, kept), "g")
    assert check(DATA, kept).is_intact


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ((decided(),), 1),
        ((header(), Outcome(1.0, 1, "ok")), 2),
        ((header(), decided(), Outcome(1.0, 3, "ok")), 3),
        ((header(), Closed(1.0, "end", {}, {}, GENESIS)), 2),
        ((header(), Closed(1.0, "end", *sums([header()]), GENESIS)), 2),
    ],
)
def test_records_out_of_place_are_refused_even_with_a_sound_chain(
    found: tuple[Record, ...], line: int
) -> None:
    broken = check(chained(found)).broken
    assert broken is not None
    assert broken.line == line


def test_a_record_after_the_closing_one_must_open_a_part() -> None:
    stray = encode_line(decided(), len(LINES) + 1, hash_of(LINES[-1]))
    broken = check(DATA + stray).broken
    assert broken == BrokenLine(len(LINES) + 1, "a part of a log begins with an opening record.")


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything(data: bytes) -> None:
    assert check(data).broken is not None or check(data).torn_bytes


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing-here cannot be read"):
        verify_log(tmp_path / "nothing-here")


# crashes and re-opening


@settings(max_examples=40)
@given(cut=st.integers(1, len(DATA)))
@example(cut=1)
@example(cut=len(DATA) - 1)
@example(cut=len(DATA))
def test_a_log_cut_anywhere_is_gone_on_with(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.mktemp("cut") / "g"
    path.write_bytes(DATA[:cut])
    whole = DATA[:cut].rfind(b"\n") + 1
    log = AuditLog.open(path, header(50.0))
    log.append(decided("deny", 51.0))
    log.close("the client left", 52.0)
    found = verify_log(path)
    kept = DATA[:whole].count(b"\n")
    assert path.read_bytes()[:whole] == DATA[:whole]
    assert (found.broken, found.records, found.is_closed) == (None, kept + 3, True)
    assert found.unclosed_parts == (0 < kept < len(LINES))
    entries = [decode_line(line) for line in path.read_bytes().splitlines(keepends=True)]
    assert entries[kept].record == header(50.0, after="restart" if kept else "start")


REPLAYED = """
import os, resource, signal, sys
from pathlib import Path
from heedful.errors import StorageError
from heedful.guards.audit.log import AuditLog
from heedful.guards.audit.codec import decode_line
source, path = Path(sys.argv[1]), Path(sys.argv[2])
header, *records = [decode_line(line).record for line in source.read_bytes().splitlines(keepends=True)]
log = AuditLog.open(path, header)
"""
"""Opens a log, in another process, for the records of a log that is there."""


def run_replayed(tmp_path: Path, script: str, found: tuple[Record, ...]) -> subprocess.CompletedProcess[str]:
    (tmp_path / "source").write_bytes(chained(found))
    command = [sys.executable, "-c", REPLAYED + script, tmp_path / "source", tmp_path / "g"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_guard_that_is_killed_loses_nothing_that_was_recorded(tmp_path: Path) -> None:
    script = """
for record in records:
    log.append(record)
os.write(log._file, b'{"kind":"decis')
os.kill(os.getpid(), signal.SIGKILL)
"""
    made = tuple(decided("deny" if k % 10 == 0 else "allow", float(k)) for k in range(50))
    run = run_replayed(tmp_path, script, (header(), *made))
    assert run.returncode == -9, run.stderr
    found = verify_log(tmp_path / "g")
    assert (found.records, found.is_closed, found.torn_bytes, found.broken) == (51, False, 14, None)
    AuditLog.open(tmp_path / "g", header()).close("done", 60.0)
    assert verify_log(tmp_path / "g").is_intact
    assert verify_log(tmp_path / "g").decisions == {"allow": 45, "clamp": 0, "deny": 5, "substitute": 0}


def test_a_new_spec_begins_a_part_of_its_own(tmp_path: Path) -> None:
    log = written(tmp_path / "g")
    log.sensed({"a": Reading(1.0, 1.0)}, 9.0)
    log.start_part(header(10.0, spec="other", spec_version="2"), "the spec was read again")
    log.sensed({"a": Reading(1.0, 1.0)}, 11.0)
    log.append(Outcome(12.0, 3, "late"))
    log.close("the client left", 20.0)
    found = verify_log(tmp_path / "g")
    assert found.is_intact
    assert (found.specs, found.unclosed_parts) == (("iso10218-humanoid@1.0", "other@2"), 0)
    assert found.kinds["sensed"] == 3


def test_only_what_changed_since_the_last_record_is_sensed(tmp_path: Path) -> None:
    log = AuditLog.open(tmp_path / "g", header())
    near, far = Reading(0.8, 1.0), Reading(2.0, 1.5)
    log.sensed({"a": near, "b": near}, 1.0)
    log.sensed({"a": near, "b": near}, 1.2)
    log.sensed({"a": near, "b": far}, 1.5)
    lines = (tmp_path / "g").read_bytes().splitlines(keepends=True)
    assert [decode_line(line).record for line in lines[1:]] == [
        Sensed(1.0, {"a": near, "b": near}),
        Sensed(1.5, {"b": far}),
    ]


@pytest.mark.parametrize("damage", [b"X" * 40 + b"\n", DATA.replace(b'"closed"', b'"cloned"')])
def test_a_log_whose_last_line_is_damaged_is_not_gone_on_with(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "g"
    path.write_bytes(DATA + damage if damage.startswith(b"X") else damage)
    before = path.read_bytes()
    with pytest.raises(TraceError, match=r"the last line cannot be gone on from: it .*Keep the file"):
        AuditLog.open(path, header())
    assert path.read_bytes() == before


@pytest.mark.parametrize("foreign", [b"my notes", b"my notes\n", b'{"kind":"session"', b"\n"])
def test_a_file_that_is_no_log_is_left_alone(tmp_path: Path, foreign: bytes) -> None:
    path = tmp_path / "notes"
    path.write_bytes(foreign)
    with pytest.raises(InputError, match="no guard's log"):
        AuditLog.open(path, header())
    assert path.read_bytes() == foreign


def test_two_guards_never_write_one_log(tmp_path: Path) -> None:
    log = AuditLog.open(tmp_path / "g", header())
    with pytest.raises(InputError, match="being written by another guard"):
        AuditLog.open(tmp_path / "g", header())
    log.close("done", 1.0)
    AuditLog.open(tmp_path / "g", header()).close("done", 2.0)
    assert verify_log(tmp_path / "g").is_intact


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="no plain file"):
        AuditLog.open(tmp_path / "pipe", header())
    with pytest.raises(StorageError, match="cannot be written"):
        AuditLog.open(tmp_path, header())
    with pytest.raises(StorageError, match="cannot be written"):
        AuditLog.open(tmp_path / "absent" / "g", header())


# disks that refuse


class Disk:
    """The calls of the system that a log makes, on a disk with room for so many more bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = 10**9
        self.synced = 0
        self.syncs = True
        self._write, self._fsync = os.write, os.fsync
        monkeypatch.setattr(audit.os, "write", self.write)
        monkeypatch.setattr(audit.os, "fsync", self.fsync)

    def write(self, file: int, data: bytes) -> int:
        if self.room <= 0:
            raise OSError(28, "No space left on device")
        count = self._write(file, bytes(data)[: self.room])
        self.room -= count
        return count

    def fsync(self, file: int) -> None:
        if not self.syncs:
            raise OSError(5, "Input/output error")
        self.synced += 1


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@pytest.mark.parametrize("room", [0, 1, 100])
def test_a_full_disk_costs_one_record_and_refuses_from_then_on(tmp_path: Path, disk: Disk, room: int) -> None:
    log = written(tmp_path / "g", EXAMPLE[:3])
    disk.room = room
    with pytest.raises(StorageError, match=r"No space left on device.*admits no motion"):
        log.append(decided())
    assert not log.is_writable
    disk.room = 10**9
    with pytest.raises(StorageError, match="No space left on device"):
        log.append(decided())
    log.close("the disk is full", 9.0)
    assert (tmp_path / "g").read_bytes() == chained(EXAMPLE[:3])


def test_a_record_that_cannot_be_forced_to_the_disk_is_taken_back(tmp_path: Path, disk: Disk) -> None:
    log = written(tmp_path / "g", EXAMPLE[:3])
    disk.syncs = False
    log.append(decided("allow"))
    with pytest.raises(StorageError, match="Input/output error"):
        log.append(decided("deny"))
    assert not log.is_writable
    log.close("gone", 9.0)
    assert verify_log(tmp_path / "g").decisions["deny"] == 0
    assert verify_log(tmp_path / "g").records == 4


@pytest.mark.parametrize(
    ("record", "syncs"),
    [
        (decided("allow"), 0),
        (decided("clamp"), 1),
        (decided("deny"), 1),
        (decided("substitute"), 1),
        (Sensed(1.0, NEAR), 0),
        (EXAMPLE[7], 1),
        (EXAMPLE[9], 1),
        (EXAMPLE[10], 1),
    ],
)
def test_restrictions_are_forced_to_the_disk_and_allowed_calls_are_not(
    tmp_path: Path, disk: Disk, record: Record, syncs: int
) -> None:
    log = AuditLog.open(tmp_path / "g", header())
    before = disk.synced
    log.append(record)
    assert disk.synced - before == syncs
    assert check((tmp_path / "g").read_bytes()).records == 2


def test_a_record_written_in_pieces_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.write
    monkeypatch.setattr(audit.os, "write", lambda file, data: whole(file, bytes(data)[:100]))
    written(tmp_path / "g").close("the client left", 1e6)
    assert (tmp_path / "g").read_bytes() == DATA


@pytest.mark.parametrize("meddle", ["append", "truncate", "remove"])
def test_a_log_that_another_program_meddles_with_is_not_written_any_more(tmp_path: Path, meddle: str) -> None:
    path = tmp_path / "g"
    log = written(path)
    if meddle == "remove":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes() + b"x" if meddle == "append" else b"")
    with pytest.raises(StorageError, match="another program changed or removed it"):
        log.append(decided())
    assert not log.is_writable


def test_a_real_limit_on_file_size_refuses(tmp_path: Path) -> None:
    script = """
size = path.stat().st_size + 1000
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    for record in records:
        log.append(record)
except StorageError as error:
    print(log.is_writable, error)
"""
    run = run_replayed(tmp_path, script, (header(), decided(), decided(), decided()))
    assert run.stdout.startswith("False"), run.stderr
    assert "File too large" in run.stdout
    found = verify_log(tmp_path / "g")
    assert (found.records, found.broken, found.torn_bytes) == (2, None, 0)


def test_a_record_without_a_time_is_refused_and_the_log_goes_on(tmp_path: Path) -> None:
    log = AuditLog.open(tmp_path / "g", header())
    with pytest.raises(TraceError, match="needs a time, not nan"):
        log.append(decided("allow", math.nan))
    log.append(decided("allow"))
    assert verify_log(tmp_path / "g").records == 2


# what a model writes


HOSTILE: list[Any] = [
    math.nan,
    math.inf,
    2**70,
    -(2**63) - 1,
    2**20000,
    "half a pair: \ud83e",
    "x" * 1_000_000,
    {"deep": {"deeper": [math.nan]}},
    [2**64],
    b"bytes",
    object(),
    {1: 2},
    {"\ud83e": 1},
    {str(k): "x" * 100 for k in range(10_000)},
    ["x" * 1000] * 1000,
]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("kind", ["allow", "deny"])
def test_whatever_a_model_writes_is_logged_within_bounds(tmp_path: Path, value: Any, kind: str) -> None:
    log = AuditLog.open(tmp_path / "g", SHORT)
    log.append(decided(kind, raw_args={"speed_percent": 30, "x": value}))
    line = (tmp_path / "g").read_bytes().splitlines(keepends=True)[1]
    record = decode_line(line).record
    assert isinstance(record, Decided)
    assert record.raw_args["speed_percent"] == 30
    assert record.raw_args["x"] is not None
    assert len(line) <= MAX_RECORD_BYTES + 2000
    assert verify_log(tmp_path / "g").broken is None


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_nested_arguments_of_any_depth_are_logged(tmp_path: Path) -> None:
    log = AuditLog.open(tmp_path / "g", SHORT)
    for depth in (1, 7, 8, 300, 100_000):
        log.append(decided("deny", raw_args={"x": nested(depth)}))
    assert verify_log(tmp_path / "g").records == 6


def test_what_was_cut_says_so_and_numbers_that_json_lacks_are_spelled_out() -> None:
    raw = {"text": "x" * 600, "n": math.nan, "big": 2**70, "many": list(range(100)), "b": b""}
    record = decode_line(encode_line(decided("deny", raw_args=raw), 1, GENESIS)).record
    assert isinstance(record, Decided)
    assert record.raw_args == {
        "text": "x" * 500 + " [cut: 600 characters]",
        "n": "[nan]",
        "big": "[an integer of 71 bits]",
        "many": [*range(64), "[36 more]"],
        "b": "[bytes]",
    }


def test_long_results_are_cut() -> None:
    record = decode_line(encode_line(Outcome(1.0, 1, "ok", "y" * 10_000), 1, GENESIS)).record
    assert record == Outcome(1.0, 1, "ok", "y" * 500 + " [cut: 10000 characters]")


@pytest.mark.parametrize(
    ("reading", "kept"),
    [
        (Reading(math.nan, 1.0), Reading(None, 1.0)),
        (Reading(math.inf, 1.0), Reading(None, 1.0)),
        (Reading(INFINITE, 1.0), Reading(INFINITE, 1.0)),
        (Reading(True, 1.0), Reading(True, 1.0)),
        (Reading(None, -math.inf), None),
        (Reading(1.0, math.nan), None),
    ],
)
def test_readings_that_json_lacks_are_unknown_or_absent(reading: Reading, kept: Reading | None) -> None:
    found = {"a": reading, "b": Reading(0.5, 1.0)}
    wanted = {n: r for n, r in {"a": kept, "b": Reading(0.5, 1.0)}.items() if r is not None}
    for record in (Sensed(1.0, found), decided(readings=found), Outcome(1.0, 1, "ok", told=found)):
        again = decode_line(encode_line(record, 1, GENESIS)).record
        assert getattr(again, "told" if isinstance(record, Outcome) else "readings") == wanted


def test_a_header_is_stored_whole_however_long(tmp_path: Path) -> None:
    long = header(spec_text="# a comment\n" * 50_000, tools={f"tool-{k}": "none" for k in range(500)})
    AuditLog.open(tmp_path / "g", long).close("done", 1.0)
    line = (tmp_path / "g").read_bytes().splitlines(keepends=True)[0]
    assert decode_line(line).record == long
    odd = header(spec_text="x" * 100_000 + "\ud83e")
    again = decode_line(encode_line(odd, 1, GENESIS)).record
    assert isinstance(again, Opened)
    assert again.spec_text == "x" * 100_000 + "\\ud83e"


def test_a_stream_of_one_endless_line_is_read_in_bounds() -> None:
    class Endless(io.RawIOBase):
        def readline(self, size: int | None = -1) -> bytes:  # type: ignore[override]
            return b"x" * (size or 0)

    found = check_log(Endless())  # type: ignore[arg-type]
    assert found.broken is not None
