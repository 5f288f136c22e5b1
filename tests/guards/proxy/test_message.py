"""What a client sends is read in one way only; what a server sends is taken as it is."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.guards.proxy.message import MessageError, read_lenient, read_strict, write

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"nonsense", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "batches"),
        (b"3", "one JSON object"),
        (b'{"id":1,"method":"tools/list","method":"tools/call"}', "'method' stands twice"),
        (
            b'{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":1,"x":9}}}',
            "'x' stands twice",
        ),
        (b'{"id":1,"method":"tools/list","Method":"tools/call"}', "must be written 'method'"),
        (b'{"id":1,"method":"tools/call","params":{"name":"a","NAME":"b"}}', "must be written 'name'"),
        (b'{"id":1.5,"method":"ping"}', "id of a request"),
        (b'{"id":true,"method":"ping"}', "id of a request"),
        (b'{"id":null,"method":"ping"}', "id of a request"),
        (b'{"id":1,"method":7}', "method must be text"),
    ],
)
def test_a_message_with_two_meanings_is_refused(line: bytes, says: str) -> None:
    with pytest.raises(MessageError, match=says):
        read_strict(line)


def test_a_refusal_names_the_request_it_answers() -> None:
    with pytest.raises(MessageError) as caught:
        read_strict(b'{"id":7,"method":"tools/call","params":{"a":1,"a":2}}')
    assert (caught.value.request_id, caught.value.code) == (7, -32600)


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=4))
def test_what_is_read_keeps_its_bytes_and_its_meaning(params: dict) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "custom/any", "params": params}).encode()
    message = read_strict(line)
    assert message.raw == line
    assert message.body["params"] == params
    assert json.loads(write(message.body).raw) == message.body


@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_or_refused(line: bytes) -> None:
    with contextlib.suppress(MessageError):
        assert isinstance(read_strict(line).body, dict)


def test_whole_numbers_of_any_size_survive_a_rewrite() -> None:
    line = b'{"jsonrpc":"2.0","id":1,"result":{"n":123456789012345678901234567890}}'
    assert json.loads(write(read_strict(line).body).raw) == json.loads(line)


def test_a_server_may_write_not_a_number_batches_and_noise() -> None:
    assert read_lenient(b"starting up...") == []
    assert len(read_lenient(b'[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]')) == 2
    assert read_lenient(b'{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}')[0].id == 1


@pytest.mark.parametrize(
    "method", ["Tools/Call", "TOOLS/CALL", " tools/call", "tools/call\u00a0", "Initialize"]
)
def test_a_method_that_a_careless_reader_takes_for_another_is_refused(method: str) -> None:
    with pytest.raises(MessageError, match="must be written"):
        read_strict(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode())


@pytest.mark.parametrize("key", ["Task", "Arguments", "_META"])
def test_a_key_of_a_call_is_written_in_one_way_only(key: str) -> None:
    with pytest.raises(MessageError, match="must be written"):
        read_strict(json.dumps({"id": 1, "method": "tools/call", "params": {"name": "a", key: {}}}).encode())


@pytest.mark.parametrize("break_", [b"\r", b"\n", b"\r\n"])
def test_no_line_break_passes_after_which_a_server_on_pipes_would_read_a_message_of_its_own(
    break_: bytes,
) -> None:
    inner = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"walk_to","arguments":{}}}'
    line = b'{"jsonrpc":"2.0","method":"a","params":{"x":' + break_ + inner + break_ + b"}}"
    message = read_strict(line)
    assert message.raw.splitlines() == [message.raw]
    assert json.loads(message.raw) == json.loads(line)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32-be", "utf-8-sig"])
def test_only_utf_8_is_read(encoding: str) -> None:
    with pytest.raises(MessageError, match="not JSON"):
        read_strict('{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode(encoding))


def test_a_key_that_stands_twice_among_very_many_is_found_at_once() -> None:
    keys = ",".join(f'"{k}":0' for k in range(50_000))
    line = f'{{"id":1,"method":"ping","params":{{{keys},"z":1,"z":2}}}}'.encode()
    began_s = time.perf_counter()
    with pytest.raises(MessageError, match="'z' stands twice"):
        read_strict(line)
    assert time.perf_counter() - began_s < 2.0


def test_a_message_of_very_many_parts_is_refused_unread() -> None:
    line = b'{"id":1,"method":"ping","params":{"a":[' + b",".join([b"[]"] * 1_000_000) + b"]}}"
    began_s = time.perf_counter()
    with pytest.raises(MessageError, match="more than"):
        read_strict(line)
    assert time.perf_counter() - began_s < 0.1
