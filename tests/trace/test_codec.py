"""Records survive their canonical bytes exactly, and nothing foreign or hostile is taken for one."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.errors import TraceError
from heedful.state.series import INFINITE, Series
from heedful.trace.codec import GENESIS, Record, decode_line, encode_line, line_hash
from heedful.trace.records import SessionEnd
from heedful.trace.run_info import SCHEMA_VERSION

from .records import example_info, example_turn, json_values, session_infos, turn_records

hashes = st.binary(min_size=32, max_size=32).map(bytes.hex)
DEEP = 100_000


def types_in(value: Any) -> Any:
    """Return a value's shape, so that 1, 1.0 and true differ."""
    if isinstance(value, dict):
        return {k: types_in(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [types_in(v) for v in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: types_in(getattr(value, name)) for name in value.__dataclass_fields__}
    return type(value)


@settings(max_examples=50)
@given(
    st.one_of(turn_records(), session_infos, st.builds(SessionEnd, st.integers(0, 9), st.booleans())), hashes
)
def test_a_record_is_read_back_exactly_as_it_was_written(record: Record, previous: str) -> None:
    line = encode_line(record, previous)
    again = decode_line(line, previous, "here")
    assert again == record
    assert types_in(again) == types_in(record)
    assert encode_line(again, previous) == line


@pytest.mark.parametrize(
    "value", [True, False, 1.0, 0.0, None, INFINITE, "", "0", "true", "\u2028\x00\U0001f916"]
)
def test_values_keep_their_kind(value: Any) -> None:
    record = replace(example_turn(0), sensed={"s": Series((0.0,), (value,))})
    again = decode_line(encode_line(record, GENESIS), GENESIS, "here")
    assert again == record
    assert type(again.sensed["s"].values[0]) is type(value)  # type: ignore[union-attr]


def test_a_line_is_one_line_whatever_it_holds() -> None:
    line = encode_line(replace(example_turn(0), reply="a\nb\r\nc\x85d\u2028e"), GENESIS)
    assert line.count(b"\n") == 1
    assert b"\r" not in line


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_lacks_reads_back_as_unknown(value: float) -> None:
    record = replace(example_turn(0), sensed={"s": Series((0.0,), (value,))})
    again = decode_line(encode_line(record, GENESIS), GENESIS, "here")
    assert again.sensed["s"].values == (None,)  # type: ignore[union-attr]


@pytest.mark.parametrize("value", ["half a pair: \ud83e", 2**64, -(2**63) - 1, {1: 2}, object()])
def test_what_json_cannot_hold_is_refused_by_name(value: Any) -> None:
    turn = example_turn(0)
    event = replace(turn.events[0], args={"x": value})
    with pytest.raises(TraceError, match="turn record cannot be stored"):
        encode_line(replace(turn, events=(event,)), GENESIS)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"not json\n",
        b"\xff\xfe\n",
        b"[]\n",
        b"null\n",
        b"1e999\n",
        b'"turn"\n',
        b"{}\n",
        b'{"kind": "turn"}\n',
        b'{"kind": ["turn"], "previous": "", "record": {}}\n',
        b'{"kind": {"turn": 1}, "previous": "", "record": {}}\n',
        b'{"kind": null, "previous": "", "record": {}}\n',
        b'{"kind": "robot", "previous": "", "record": {}}\n',
        b'{"kind":"turn","previous":["' + GENESIS.encode() + b'"],"record":{}}\n',
        *(
            b'{"kind":"turn","previous":"' + GENESIS.encode() + b'","record":' + record + b"}\n"
            for record in (b"null", b"[]", b"{}", b"1", b'"x"', b'{"index": "first"}', b'{"index": 1e300}')
        ),
        b"[" * DEEP + b"]" * DEEP + b"\n",
        b'{"kind":"turn","previous":"x","record":' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}\n",
        b'{"kind":"turn","previous":"' + GENESIS.encode() + b'","record":' + b"[" * 900 + b"]" * 900 + b"}\n",
    ],
)
def test_hostile_lines_are_named_with_their_place(line: bytes) -> None:
    with pytest.raises(TraceError, match=r"^over there: "):
        decode_line(line, GENESIS, "over there")


@given(st.binary(max_size=60) | json_values.map(orjson.dumps))
def test_no_bytes_raise_anything_else(line: bytes) -> None:
    with pytest.raises(TraceError):
        decode_line(line, GENESIS, "here")


@settings(max_examples=100)
@given(st.data())
def test_a_record_with_any_field_replaced_is_read_or_named(data: st.DataObject) -> None:
    record = orjson.loads(encode_line(example_turn(0), GENESIS))["record"]
    place: Any = record
    while True:
        key = data.draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        if not (isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans())):
            break
        place = place[key]
    place[key] = data.draw(json_values)
    line = orjson.dumps({"kind": "turn", "previous": GENESIS, "record": record}) + b"\n"
    with contextlib.suppress(TraceError):
        decode_line(line, GENESIS, "here")


def test_another_schema_is_refused_by_name() -> None:
    foreign = replace(example_info(1), schema_version="heedful-trace-99")
    with pytest.raises(TraceError, match=rf"heedful-trace-99.*{SCHEMA_VERSION}"):
        decode_line(encode_line(foreign, GENESIS), GENESIS, "here")


def test_a_line_that_does_not_follow_the_one_before_is_refused() -> None:
    line = encode_line(example_turn(0), line_hash(b"another line\n"))
    with pytest.raises(TraceError, match="chain is broken"):
        decode_line(line, GENESIS, "here")
