from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from heedful.errors import ContextOverflowError, CredentialError, InputError, ProviderError
from heedful.models.ledger import Ledger, PriceTable
from heedful.models.message import ModelReply, ModelRequest, ToolCall, Usage
from heedful.models.rate_limit import LimiterBook
from heedful.models.served import ServedModel, ServedOptions, build_served_model
from heedful.models.transport import Timing

from .provider_server import ProviderServer, Step
from .samples import FakeTime, request, user, windowed_conversation

KEY = "sk-live-abcdef0123456789"
ENVIRON = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"), KEY)
OPENAI_WORDS = {
    "choices": [{"message": {"role": "assistant", "content": "Grüße 🤖"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 40, "completion_tokens": 3},
}
ANSWERS: dict[str, Any] = {
    "openai/gpt-4o-mini": OPENAI_WORDS,
    "openrouter/meta/llama-4": OPENAI_WORDS,
    "ollama/qwen3:8b": OPENAI_WORDS,
    "anthropic/claude-haiku-4-5": {
        "content": [{"type": "text", "text": "Grüße 🤖"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 40, "output_tokens": 3},
    },
    "google/gemini-2.5-flash": {
        "candidates": [{"content": {"parts": [{"text": "Grüße 🤖"}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 40, "candidatesTokenCount": 3},
    },
}
EACH_PROVIDER = pytest.mark.parametrize("name", ANSWERS)


def build(server: ProviderServer, name: str, **fields: Any) -> ServedModel:
    fake = FakeTime()
    options = ServedOptions(base_url=server.url, jitter_seed=1, **fields.pop("options", {}))
    timing = Timing(fake.sleep, fake.clock, lambda: 0.0)
    return build_served_model(
        name,
        options=options,
        environ=ENVIRON,
        limiters=LimiterBook(clock=fake.clock, sleep=fake.sleep),
        timing=timing,
        **fields,
    )


def ask(model: ServedModel, *asked: ModelRequest) -> list[ModelReply]:
    async def scene() -> list[ModelReply]:
        try:
            return [await model.respond(one) for one in asked]
        finally:
            await model.aclose()

    return asyncio.run(scene())


def respond(name: str, *steps: Step, asked: ModelRequest | None = None, **fields: Any) -> ModelReply:
    with ProviderServer(steps) as server:
        return ask(build(server, name, **fields), asked or request())[0]


@EACH_PROVIDER
def test_a_conversation_goes_out_and_an_answer_comes_back(name):
    with ProviderServer([Step(body=ANSWERS[name])]) as server:
        replies = ask(build(server, name), request(user("walk ✓"), hint="HINT-7f3a"))
    assert replies == [ModelReply("Grüße 🤖", usage=Usage(40, 3))]
    received = server.requests[0]
    assert "walk ✓" in json.dumps(received.body, ensure_ascii=False)
    assert b"HINT" not in received.raw
    assert KEY.encode() not in received.raw
    assert KEY not in received.path
    assert any(KEY in value for value in received.headers.values()) == (not name.startswith("ollama"))


def test_each_provider_is_reached_at_its_own_path():
    paths = {}
    for name, body in ANSWERS.items():
        with ProviderServer([Step(body=body)]) as server:
            ask(build(server, name), request())
        paths[name] = server.requests[0].path
    assert set(paths.values()) == {
        "/chat/completions",
        "/messages",
        "/models/gemini-2.5-flash:generateContent",
    }


@pytest.mark.parametrize("name", [name for name in ANSWERS if not name.startswith("ollama")])
def test_the_key_never_shows_in_errors_reprs_or_replies(name):
    echo = json.loads(json.dumps(ANSWERS[name]).replace("Gr\\u00fc\\u00dfe", f"key {KEY}"))
    with ProviderServer(
        [Step(body=echo), Step(400, {"error": {"message": f"no {KEY}"}}), Step(401, b"x")]
    ) as server:
        model = build(server, name)
        reply = ask(model, request())[0]
        assert KEY not in repr(reply)
        assert reply.text == "key [redacted] 🤖"
        with pytest.raises(ProviderError) as refused:
            ask(model, request())
        with pytest.raises(CredentialError) as denied:
            ask(model, request())
    assert KEY not in repr(refused.value) + str(refused.value) + repr(denied.value) + str(denied.value)
    assert KEY not in repr(model) + repr(vars(model)) + repr(vars(model._transport))


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("openai/m", "OPENAI_API_KEY"),
        ("anthropic/m", "ANTHROPIC_API_KEY"),
        ("google/m", "GEMINI_API_KEY or GOOGLE_API_KEY"),
        ("openrouter/m", "OPENROUTER_API_KEY"),
    ],
)
def test_a_missing_or_refused_key_names_its_variable(name, variables):
    with pytest.raises(CredentialError, match=f"Set {variables} in the environment"):
        build_served_model(name, environ={})
    with pytest.raises(CredentialError, match=f"HTTP 401.*Set {variables} in the environment"):
        respond(name, Step(401, {"error": {"message": "bad key"}}))


def test_local_servers_need_no_key():
    for name in ("ollama/m", "openai-compatible/m@http://127.0.0.1:8080/v1"):
        assert build_served_model(name, environ={}).name == name


@EACH_PROVIDER
def test_waiting_and_failing_attempts_are_counted(name):
    steps = [Step(429, {"error": "slow"}, {"retry-after": "3"}), Step(500), Step(body=ANSWERS[name])]
    assert respond(name, *steps).attempts == 3


@EACH_PROVIDER
@pytest.mark.parametrize("body", [{}, [], {"choices": [], "candidates": [], "content": None}, "text", None])
def test_an_impossible_answer_is_tried_again_and_then_a_provider_error(name, body):
    with pytest.raises(ProviderError, match="after 3 attempt"):
        respond(name, *[Step(body=body)] * 3, options={"max_attempts": 3})


def test_a_model_that_refuses_temperature_is_asked_without_it_from_then_on():
    def refusal(parameter: str) -> Step:
        message = f"Unsupported parameter: '{parameter}' is not supported with this model."
        return Step(400, {"error": {"message": message, "param": parameter, "code": "unsupported_parameter"}})

    steps = [refusal("max_completion_tokens"), refusal("temperature"), *[Step(body=OPENAI_WORDS)] * 2]
    with ProviderServer(steps) as server:
        first, second = ask(build(server, "openai/o1"), request(), request())
    assert first.notes == second.notes == ("dropped:max_completion_tokens", "dropped:temperature")
    assert (first.attempts, second.attempts) == (3, 1)
    assert "temperature" not in server.requests[-1].body
    assert server.requests[-1].body["max_tokens"] == 1024


def test_a_parameter_is_dropped_once_only():
    refusal = Step(400, {"error": {"message": "temperature is not supported"}})
    with pytest.raises(ProviderError, match="temperature is not supported"):
        respond("anthropic/m", refusal, refusal, refusal)


def test_a_long_request_is_an_overflow():
    with pytest.raises(ContextOverflowError):
        respond("openai/m", Step(400, {"error": {"message": "too long", "code": "context_length_exceeded"}}))


def test_a_content_filter_is_an_answer():
    body = {"error": {"message": "flagged", "code": "content_filter"}}
    assert respond("openai/m", Step(400, body)) == ModelReply("", finish="filtered")


def test_an_error_inside_a_good_answer_is_tried_again():
    hidden = Step(body={"error": {"code": 502, "message": "upstream"}})
    assert respond("openrouter/m", hidden, Step(body=OPENAI_WORDS)).attempts == 2


def test_an_empty_account_is_not_asked_again():
    body = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    with pytest.raises(ProviderError, match="after 1 attempt"):
        respond("openai/m", Step(429, body))


def test_weak_models_are_read_leniently_through_the_whole_stack():
    text = '{{"name": "walk_to", "arguments": {"x": 1, "y": 2}}}'
    body = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
    reply = respond("ollama/qwen", Step(body=body))
    assert reply == ModelReply(
        "", (ToolCall("call-1", "walk_to", {"x": 1, "y": 2}),), finish="tool_calls", notes=("lenient_json",)
    )


def test_json_mode_is_chosen_by_the_name():
    body = {"choices": [{"message": {"content": '{"tool": "get_battery"}'}, "finish_reason": "stop"}]}
    with ProviderServer([Step(body=body)]) as server:
        name = f"openai-compatible/m+json+demos@{server.url}/v1"
        model = build_served_model(name, environ={}, limiters=LimiterBook())
        reply = ask(model, request(*windowed_conversation()))[0]
    assert reply.tool_calls == (ToolCall("call-1", "get_battery", {}),)
    assert reply.notes == ("demos",)
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].body["model"] == "m"
    assert "authorization" not in server.requests[0].headers


def test_calls_are_entered_in_the_ledger():
    ledger = Ledger(PriceTable("", {}, {}))
    with ProviderServer([Step(500), Step(body=OPENAI_WORDS), *[Step(404)]]) as server:
        model = build(server, "ollama/m", ledger=ledger)
        ask(model, request())
        with pytest.raises(ProviderError):
            ask(model, request())
    totals = ledger.totals("ollama/m")
    assert (totals.calls, totals.failed_calls, totals.attempts, totals.cost_usd) == (1, 1, 3, 0.0)
    assert (totals.input_tokens, totals.output_tokens) == (40, 3)


@pytest.mark.parametrize("name", ["ollama/gpt-oss:120b-cloud", "ollama/m@http://10.0.0.9:11434/v1"])
def test_ollama_elsewhere_is_not_free(name):
    ledger = Ledger(PriceTable("", {}, {}))
    with ProviderServer([Step(body=OPENAI_WORDS)]) as server:
        ask(build(server, name, ledger=ledger), request())
    assert ledger.totals(name).cost_text == "unknown"


def test_models_of_a_provider_share_one_limiter():
    book = LimiterBook()
    one, two = (build_served_model(f"ollama/{name}", environ={}, limiters=book) for name in "ab")
    assert one._transport._limiter is two._transport._limiter


@pytest.mark.parametrize(
    "fields", [{"timeout_s": 0}, {"max_attempts": 0}, {"max_in_flight": -1}, {"requests_per_minute": 0}]
)
def test_options_that_cannot_work_are_refused(fields):
    with pytest.raises(InputError, match="must be greater than 0"):
        ServedOptions(**fields)


def test_reference_models_are_not_served():
    with pytest.raises(InputError, match="no served model"):
        build_served_model("reference/oracle")


def test_twenty_sessions_share_one_model():
    with ProviderServer([Step(body=OPENAI_WORDS)] * 20) as server:
        model = build(server, "openai/m")

        async def scene() -> list[ModelReply]:
            try:
                return await asyncio.gather(*(model.respond(request()) for _ in range(20)))
            finally:
                await model.aclose()

        replies = asyncio.run(scene())
    assert [reply.text for reply in replies] == ["Grüße 🤖"] * 20
