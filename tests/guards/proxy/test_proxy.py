"""What passes as it came, what is changed, what is refused, and what nobody but the guard sees."""

from __future__ import annotations

import asyncio
import json

import pytest

from heedful.guards.proxy import message as m
from heedful.guards.proxy.message import read_strict
from heedful.guards.watchdog import Watchdog
from tests.guards.proxy.harness import Bench, Client, result, text, turn


def line(**body: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **body}).encode()


@pytest.mark.parametrize(
    "body",
    [
        {"id": 1, "method": "resources/read", "params": {"uri": "robot://state", "_meta": {"any": 1}}},
        {"id": "a", "method": "prompts/get", "params": {"name": "x", "arguments": {"y": "z"}}},
        {"id": 2, "method": "completion/complete", "params": {"ref": {}, "argument": {}}},
        {"id": 3, "method": "robot/unheard-of", "params": {"odd": [1, {"deep": None}]}, "extra": "kept"},
        {"method": "notifications/roots/list_changed"},
        {"method": "notifications/progress", "params": {"progressToken": 5, "progress": 1}},
    ],
)
def test_what_is_no_tool_call_passes_byte_for_byte(body: dict) -> None:
    bench = Bench().ready()
    sent = line(**body)
    bench.proxy.from_client(bench.client, read_strict(sent))
    assert bench.robot.sent[-1].raw == sent


@pytest.mark.parametrize(
    "body",
    [
        {"id": 1, "result": {"contents": [{"uri": "a", "blob": "A" * 1_000_000}]}},
        {"id": 1, "error": {"code": -32601, "message": "no such method", "data": {"x": 1}}},
        {"method": "notifications/message", "params": {"level": "info", "data": "hello"}},
        {"method": "notifications/progress", "params": {"progressToken": "t", "progress": 0.5}},
        {"id": 77, "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}},
    ],
)
def test_what_the_server_sends_passes_byte_for_byte(body: dict) -> None:
    bench = Bench().ready()
    bench.proxy.from_client(
        bench.client, read_strict(line(id=1, method="resources/read", params={"uri": "a"}))
    )
    sent = line(**body)
    for message in m.read_lenient(sent):
        bench.proxy.from_server(message)
    assert bench.client.got[-1].raw == sent


def test_an_answer_to_the_servers_request_passes_once() -> None:
    bench = Bench().ready()
    bench.proxy.from_server(m.request(9, "elicitation/create", {"message": "sure?"}))
    answer = line(id=9, result={"action": "accept"})
    for _ in range(2):
        bench.proxy.from_client(bench.client, read_strict(answer))
    assert [sent.raw for sent in bench.robot.sent] == [answer]


def test_an_allowed_call_and_its_result_pass_byte_for_byte() -> None:
    bench = Bench().ready()
    asked = line(
        id=4,
        method="tools/call",
        params={
            "name": "walk_to",
            "arguments": {"x": 1, "y": 0.50, "speed_percent": 40},
            "_meta": {"a": [1]},
        },
    )
    bench.proxy.from_client(bench.client, read_strict(asked))
    assert bench.robot.sent[-1].raw == asked
    told = line(
        id=4, result={"content": [{"type": "image", "data": "A" * 2_000_000, "mimeType": "image/png"}]}
    )
    bench.proxy.from_server(m.read_lenient(told)[0])
    assert bench.client.got[-1].raw == told


def test_a_clamped_call_is_sent_slower_and_the_model_is_told() -> None:
    bench = Bench().ready()
    bench.sense(human_distance_m=0.8)
    bench.now_s += 1.0
    bench.sense(human_distance_m=0.8)
    asked = bench.call("walk_to", x=1.0, y=0.0, speed_percent=80)
    assert bench.robot.calls()[-1].params["arguments"] == {"x": 1.0, "y": 0.0, "speed_percent": 30.0}
    bench.done(asked)
    answer = bench.client.answer(asked)
    assert json.loads(answer["result"]["content"][0]["text"]) == {"status": "done"}
    assert answer["result"]["content"][1]["text"].startswith("[guard] clamp: S2")
    assert answer["result"]["_meta"]["heedful/guard"]["rules"] == ["S2"]
    assert bench.log.decisions() == ["clamp"]


def test_a_refused_call_is_answered_with_reason_and_rules_and_never_sent() -> None:
    bench = Bench().ready()
    asked = bench.call("walk_to", x=50.0, y=0.0, speed_percent=40)
    answer = bench.client.answer(asked)
    assert answer["result"]["isError"] is True
    assert "[guard] denied: S5" in text(answer)
    assert answer["result"]["_meta"]["heedful/guard"]["rules"] == ["S5"]
    assert bench.robot.calls() == []


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("fly", {}),
        ("walk_to", {"position": [1, 2], "speed_percent": 10}),
        ("walk_to", {"x": 1.0, "speed_percent": 10}),
        ("walk_to", {"X": 1.0, "y": 0.0, "speed_percent": 10}),
        ("walk_to", {"x": True, "y": 0.0, "speed_percent": 10}),
        ("walk_to", {"x": "1", "y": 0.0, "speed_percent": 10}),
        ("walk_to", {"x": None, "y": 0.0, "speed_percent": 10}),
        ("walk_to", {"x": 1.0, "y": 0.0, "speed_percent": 10, "force": True}),
    ],
)
def test_only_what_the_map_declares_passes(tool: str, args: dict) -> None:
    bench = Bench().ready()
    asked = bench.call(tool, **args)
    assert bench.client.answer(asked)["result"]["isError"]
    assert bench.robot.calls() == []


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_none_never_reaches_the_robot(number: str) -> None:
    bench = Bench().ready()
    params = f'{{"name":"walk_to","arguments":{{"x":{number},"y":0,"speed_percent":10}}}}'
    raw = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'
    bench.proxy.from_client(bench.client, read_strict(raw.encode()))
    assert bench.client.answer(1)["result"]["isError"]
    assert bench.robot.sent == []


def test_a_tool_call_without_an_id_is_dropped() -> None:
    bench = Bench().ready()
    bench.notify("tools/call", name="walk_to", arguments={"x": 1.0, "y": 0.0, "speed_percent": 10})
    assert bench.robot.sent == []


def test_motion_as_a_background_task_is_refused() -> None:
    bench = Bench().ready()
    params = {"name": "walk_to", "arguments": {"x": 1.0, "y": 0.0, "speed_percent": 10}, "task": {"ttl": 5}}
    bench.proxy.from_client(bench.client, read_strict(line(id=1, method="tools/call", params=params)))
    assert "background" in text(bench.client.answer(1))


def test_an_id_in_use_is_refused() -> None:
    bench = Bench().ready()
    for _ in range(2):
        bench.proxy.from_client(bench.client, read_strict(line(id=1, method="ping")))
    assert len(bench.robot.sent) == 1
    assert "not been answered" in bench.client.answer(1)["error"]["message"]


def test_tools_that_the_map_does_not_declare_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    bench = Bench().ready()
    bench.proxy.from_client(bench.client, read_strict(line(id=1, method="tools/list")))
    tools = [
        {"name": "stop", "inputSchema": {}, "x": 1},
        {"name": "shell", "annotations": {"readOnlyHint": True}},
    ]
    bench.proxy.from_server(m.answer(1, {"tools": tools, "nextCursor": "n"}))
    assert bench.client.answer(1)["result"] == {"tools": tools[:1], "nextCursor": "n"}
    assert "'shell'" in capsys.readouterr().err


def test_the_guards_own_calls_are_seen_by_nobody_else() -> None:
    async def run() -> None:
        bench = Bench().ready()
        asking = asyncio.create_task(bench.proxy._asker.ask("tools/call", {"name": "get_battery"}, 5.0))
        await turn()
        own = bench.robot.sent[-1]
        bench.proxy.from_server(m.answer(own.id, result({"battery_percent": 5.0})))
        assert (await asking)["isError"] is False
        assert bench.client.got == []
        bench.proxy.from_client(bench.client, read_strict(line(id=own.id, method="ping")))
        assert "error" in bench.client.got[-1].body

    asyncio.run(run())


def test_what_the_model_was_told_counts_as_long_as_it_is_fresh() -> None:
    bench = Bench().ready()
    asked = bench.call("get_proximity")
    bench.done(asked, {"human_distance_m": 0.4, "status": "ok", "age_s": 0.0})
    bench.now_s += 0.6
    bench.sense(human_distance_m=3.0)
    refused = bench.call("wave_hand", hand="left")
    assert "S3" in text(bench.client.answer(refused))


def test_two_clients_share_one_guard_and_never_see_each_others_answers() -> None:
    bench = Bench(is_shared=True).ready()
    other = Client("other")
    bench.proxy.attach(other)
    for client in (bench.client, other):
        bench.proxy.from_client(
            client,
            read_strict(
                line(id=1, method="resources/read", params={"uri": client.key, "_meta": {"progressToken": 3}})
            ),
        )
    first, second = bench.robot.sent
    assert first.id != second.id
    bench.proxy.from_server(
        m.notification("notifications/progress", {"progressToken": second.id, "progress": 1})
    )
    assert bench.client.got == []
    assert other.got[-1].params == {"progressToken": 3, "progress": 1}
    for asked in (second, first):
        bench.proxy.from_server(m.answer(asked.id, {"to": asked.params["uri"]}))
    assert bench.client.answer(1)["result"] == {"to": "client"}
    assert other.answer(1)["result"] == {"to": "other"}


def test_a_second_client_gets_the_servers_own_handshake() -> None:
    bench = Bench(is_shared=True)
    other = Client("other")
    bench.proxy.attach(other)
    hello = line(id=1, method="initialize", params={"protocolVersion": "2025-11-25", "capabilities": {}})
    bench.proxy.from_client(bench.client, read_strict(hello))
    bench.proxy.from_server(
        m.answer(bench.robot.sent[-1].id, {"protocolVersion": "2025-11-25", "instructions": "i"})
    )
    bench.proxy.from_client(other, read_strict(hello))
    assert other.answer(1)["result"] == bench.client.answer(1)["result"]
    for client in (bench.client, other):
        bench.proxy.from_client(client, read_strict(line(method="notifications/initialized")))
    assert [sent.method for sent in bench.robot.sent] == ["initialize", "notifications/initialized"]


def test_a_log_that_cannot_be_written_refuses_every_call() -> None:
    bench = Bench().ready()
    bench.log.failure = OSError("no space left")
    asked = bench.call("walk_to", x=1.0, y=0.0, speed_percent=10)
    assert bench.client.answer(asked)["result"]["isError"]
    assert bench.robot.calls() == []


def test_a_failure_within_the_guard_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench().ready()

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(bench.gate.map, "read", fail)
    asked = bench.call("get_battery")
    assert "the guard failed and refuses" in text(bench.client.answer(asked))
    assert bench.robot.calls() == []


def test_a_server_that_is_gone_refuses_with_the_reason_and_answers_who_waits() -> None:
    bench = Bench().ready()
    waiting = bench.call("walk_to", x=1.0, y=0.0, speed_percent=10)
    bench.proxy.lose("the robot's server was ended by signal 9")
    assert "cannot be stopped from here" in bench.client.answer(waiting)["error"]["message"]
    later = bench.call("get_battery")
    assert "signal 9" in text(bench.client.answer(later))
    bench.proxy.from_client(bench.client, read_strict(line(id=99, method="resources/list")))
    assert "signal 9" in bench.client.answer(99)["error"]["message"]


def test_the_watchdog_counts_each_client_for_itself_and_never_refuses_a_stop() -> None:
    bench = Bench(is_shared=True, watchdog=Watchdog).ready()
    other = Client("other")
    bench.proxy.attach(other)
    asked = [bench.call("get_battery") for _ in range(21)]
    assert "20 tool calls" in text(bench.client.answer(asked[-1]))
    bench.call("stop")
    bench.call("get_battery", other)
    assert [call.params["name"] for call in bench.robot.calls()][-2:] == ["stop", "get_battery"]
