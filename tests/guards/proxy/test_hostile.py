"""Whatever is written to it, the proxy stands, and only what the map declares reaches the robot."""

from __future__ import annotations

import asyncio
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.guards.guard import Command
from heedful.guards.proxy.message import CALL_TOOL, MessageError, read_lenient, read_strict
from tests.guards.proxy.harness import Bench, turn

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["walk_to", "stop"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["x", "y", "id", "a"]), inner, max_size=3)
    ),
    max_leaves=6,
)
METHODS = st.sampled_from(
    [
        "tools/call",
        "tools/list",
        "initialize",
        "ping",
        "notifications/cancelled",
        "notifications/progress",
        "notifications/initialized",
        "sampling/createMessage",
    ]
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": JSON | st.sampled_from(["walk_to", "stop", "fly"]),
        "arguments": JSON
        | st.fixed_dictionaries(
            {"x": SCALARS, "y": SCALARS, "speed_percent": SCALARS}, optional={"force": SCALARS}
        ),
        "_meta": JSON | st.fixed_dictionaries({"progressToken": JSON}),
        "requestId": JSON,
        "progressToken": JSON,
        "task": JSON,
    },
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": JSON,
        "id": SCALARS | st.integers(0, 3) | JSON,
        "method": METHODS | JSON,
        "params": PARAMS | JSON,
        "result": JSON | st.fixed_dictionaries({"content": JSON, "tools": JSON, "isError": JSON}),
        "error": JSON,
    },
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.booleans(), MESSAGES), max_size=8), st.booleans())
def test_no_messages_bring_the_proxy_down_or_anything_undeclared_past_it(
    messages: list[tuple[bool, dict]], is_shared: bool
) -> None:
    async def run() -> None:
        bench = Bench(is_shared=is_shared).ready()
        for is_client, body in messages:
            line = json.dumps(body).encode()
            if is_client:
                try:
                    bench.proxy.from_client(bench.client, read_strict(line))
                except MessageError as error:
                    bench.proxy.refuse(bench.client, error)
            else:
                for message in read_lenient(line):
                    bench.proxy.from_server(message)
            bench.proxy.monitor.look()
            await turn()
        for sent in bench.robot.sent:
            if sent.method == CALL_TOOL:
                args = sent.params.get("arguments") or {}
                assert isinstance(bench.gate.map.read(sent.params["name"], args, None), Command)
                assert sent.id is not None
        asked = bench.call("get_battery")
        is_sent = any(c.params["name"] == "get_battery" for c in bench.robot.calls())
        assert is_sent or bench.client.answer(asked) is not None

    asyncio.run(run())
