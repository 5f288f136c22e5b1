"""Reading a turn bit by bit gives what reading it whole gives."""

from __future__ import annotations

import pytest

from heedful.models.hint import TurnHint
from heedful.models.message import Message, ModelRequest, ToolCall
from heedful.models.reference.turn_view import Done, TurnReader
from heedful.spec.command import Request

HINT = TurnHint(0, Request())
USER = Message("user", "go")
EARLIER = (Message("system", "rules"), Message("user", "before"), Message("assistant", "Okay."))


def call(number: int, tool: str, result: str, is_error: bool = False) -> tuple[Message, Message]:
    asked = ToolCall(f"c{number}", tool, {})
    return Message("assistant", "", (asked,)), Message("tool", result, (), asked.id, tool, is_error)


READ = call(0, "get_battery", '{"battery_percent":50.0}')
STOP = call(1, "stop", '{"error":"fault"}', is_error=True)
READ_AGAIN = call(2, "get_battery", '{"battery_percent":49.0}')


def done_by(reader: TurnReader, *messages: Message) -> tuple[Done, ...]:
    return reader.read(ModelRequest(messages, (), hint=HINT)).done


def test_turn_read_bit_by_bit_is_the_turn_read_whole():
    reader, turn = TurnReader(), (*EARLIER, USER, *READ, *STOP, *READ_AGAIN)
    for end in range(len(EARLIER) + 1, len(turn) + 1, 2):
        assert done_by(reader, *turn[:end]) == done_by(TurnReader(), *turn[:end])


def test_a_window_that_moves_within_the_turn_changes_nothing():
    reader = TurnReader()
    done_by(reader, *EARLIER, USER, *READ)
    assert done_by(reader, EARLIER[0], USER, *READ, *STOP) == done_by(TurnReader(), USER, *READ, *STOP)


def test_another_turn_is_read_anew():
    reader = TurnReader()
    done_by(reader, USER, *READ)
    assert done_by(reader, USER, *READ, Message("assistant", "Done."), USER) == ()
    assert [done.tool for done in done_by(reader, USER, *STOP)] == ["stop"]


def test_view_tells_readings_from_acts():
    view = TurnReader().read(ModelRequest((*EARLIER, USER, *READ, *STOP, *READ_AGAIN), (), hint=HINT))
    assert [done.tool for done in view.readings] == ["get_battery", "get_battery"]
    assert [done.is_fault for done in view.actuations()] == [True]
    assert view.since_last_actuation() == ("get_battery",)
    assert view.before == (*EARLIER, USER)


def test_request_without_a_hint_is_refused():
    with pytest.raises(TypeError, match="hint"):
        TurnReader().read(ModelRequest((USER,), ()))
