"""What each call sends: rules whole, turns whole, calls with their results, within the budget."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.errors import ContextOverflowError, ProviderError, UnknownNameError
from heedful.models.message import Message, ModelReply, ModelRequest, ToolCall, ToolSpec, Usage
from heedful.models.model import Model
from heedful.models.reference.registry import build_reference_model
from heedful.orchestrator.context import (
    CONTEXT_POLICIES,
    WINDOW_MESSAGES,
    WINDOW_TOKENS,
    ContextView,
    build_context,
    rebuild_view,
)
from heedful.orchestrator.conversation import (
    Conversation,
    Excerpt,
    estimate_tokens,
    estimate_tool_tokens,
    recorded_messages,
)
from heedful.orchestrator.prompt import build_system_prompt
from heedful.orchestrator.summary import SUMMARY_HEAD, SUMMARY_TOKENS, summarise, summary_head
from heedful.robots.client import offered_tools
from heedful.spec.prompt import render_rules
from heedful.trace.records import ModelEvent

from .sessions import LONG, SMALL, SPEC, Capturing, Recorded, Talker, encoded, reread, run

POLICIES = sorted(CONTEXT_POLICIES)
WINDOWS = [name for name in POLICIES if name != "full"]
PROMPT = build_system_prompt(SPEC, LONG.places)


@lru_cache(maxsize=16)
def captured(context: str, words: int = 30) -> tuple[Recorded, tuple[ModelRequest, ...]]:
    """Run the hundred turns with a talkative model; return what was recorded and what was sent."""
    model = Capturing(Talker(words))
    recorded = run(model, LONG, context=context)
    return recorded, tuple(model.requests)


def events(recorded: Recorded) -> list[ModelEvent]:
    return [event for turn in recorded.turns for event in turn.model_calls]


def turn_requests(requests: Sequence[ModelRequest]) -> list[ModelRequest]:
    return [request for request in requests if request.tools]


@pytest.mark.parametrize("context", POLICIES)
def test_the_rules_survive_every_compaction_byte_for_byte(context: str) -> None:
    recorded, requests = captured(context)
    sent = turn_requests(requests)
    assert len(sent) == len(events(recorded)) > 200
    rules = render_rules(SPEC)
    tools = tuple(ToolSpec(t.name, t.description, t.input_schema) for t in offered_tools())
    for request in sent:
        assert request.messages[0] == Message("system", PROMPT)
        assert rules in request.messages[0].content
        assert request.tools == tools
    assert all(event.sent.has_rules for event in events(recorded))


@pytest.mark.parametrize("context", POLICIES)
def test_no_call_is_parted_from_its_result(context: str) -> None:
    for request in turn_requests(captured(context)[1]):
        asked = [call.id for message in request.messages for call in message.tool_calls]
        answered = [message.tool_call_id for message in request.messages if message.role == "tool"]
        assert answered == asked


@pytest.mark.parametrize("context", POLICIES)
def test_the_current_turn_is_never_cut(context: str) -> None:
    recorded, requests = captured(context)
    sent = iter(turn_requests(requests))
    for turn in recorded.turns:
        spoken: list[str] = [turn.utterance]
        for event in turn.model_calls:
            contents = [message.content for message in next(sent).messages]
            assert contents[-len(spoken) :] == spoken
            spoken.append(event.text)
            spoken += [e.result for e in turn.events if e.model_call == event.index]


@pytest.mark.parametrize("context", WINDOWS)
def test_a_window_holds_twenty_messages_and_6000_tokens(context: str) -> None:
    recorded, requests = captured(context)
    longest = WINDOW_MESSAGES if context == "window" else 2 * WINDOW_MESSAGES
    fixed = estimate_tokens(Message("system", PROMPT)) + estimate_tool_tokens(requests[0].tools)
    for request, event in zip(turn_requests(requests), events(recorded), strict=True):
        summaries = 1 if event.sent.summary else 0
        assert len(request.messages) - 1 - summaries <= longest
        tokens = fixed + sum(estimate_tokens(message) for message in request.messages[1:])
        assert tokens == event.sent.estimated_tokens <= WINDOW_TOKENS


@pytest.mark.parametrize("context", POLICIES)
def test_what_was_sent_can_be_rebuilt_from_the_trace(context: str) -> None:
    recorded, requests = captured(context)
    conversation = Conversation(Message("system", PROMPT), requests[0].tools)
    sent = iter(turn_requests(requests))
    for turn in reread(recorded.turns):
        conversation.begin_turn(Message("user", turn.utterance))
        for event in turn.model_calls:
            messages = rebuild_view(conversation, event.sent)
            assert messages == tuple(next(sent).messages)
            for message in recorded_messages(turn, event.index):
                conversation.add(message)


@pytest.mark.parametrize("context", POLICIES)
def test_the_hint_is_in_no_message(context: str) -> None:
    for request in captured(context)[1][:50]:
        assert request.hint is not None
        text = repr(request.messages)
        assert "TurnHint" not in text
        assert "asks_stop" not in text
        assert "Step(" not in text


def prefix_breaks(recorded: Recorded) -> int:
    firsts = [event.sent.first for event in events(recorded)]
    return sum(a != b for a, b in itertools.pairwise(firsts))


@pytest.mark.parametrize("words", [1, 30, 400])
def test_a_cached_window_keeps_its_beginning_between_most_calls(words: int) -> None:
    cached, window = captured("window-cached", words)[0], captured("window", words)[0]
    calls = len(events(cached))
    assert prefix_breaks(cached) <= calls / 4
    assert prefix_breaks(window) > 2 * prefix_breaks(cached)


def test_the_full_context_sends_everything() -> None:
    recorded, requests = captured("full")
    assert {(event.sent.first, event.sent.summary) for event in events(recorded)} == {(0, "")}
    assert len(requests[-1].messages) == events(recorded)[-1].sent.end + 1


def test_an_unknown_policy_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="'window-cached'"):
        build_context("window-cache")


sizes = st.lists(
    st.tuples(st.integers(1, 900), st.lists(st.tuples(st.integers(1, 3), st.integers(1, 1500)), max_size=8)),
    min_size=1,
    max_size=14,
)


def grow(conversation: Conversation, turns: Any) -> Any:
    """Add turns message by message; yield whenever the model would be called."""
    for number, (utterance, rounds) in enumerate(turns):
        conversation.begin_turn(Message("user", "u" * utterance))
        yield
        for step, (calls, size) in enumerate(rounds):
            made = tuple(ToolCall(f"{number}-{step}-{k}", "get_battery", {}) for k in range(calls))
            conversation.add(Message("assistant", "a" * (size // 3), made))
            for call in made:
                conversation.add(Message("tool", "r" * size, (), call.id, call.name))
            yield
        conversation.add(Message("assistant", "d" * utterance))


@settings(max_examples=60)
@given(sizes, st.sampled_from(WINDOWS), st.integers(10, 8000))
def test_laws_of_a_window_hold_for_any_conversation(turns: Any, name: str, prompt: int) -> None:
    conversation = Conversation(Message("system", "s" * prompt), ())
    policy, previous = build_context(name), 0
    for _ in grow(conversation, turns):
        view: ContextView = policy.view(conversation, previous)
        first, current = view.sent.first, conversation.turn_starts[-1]
        assert previous <= first or name == "window"
        previous = first
        assert first <= current
        assert conversation.messages[first].role != "tool"
        assert rebuild_view(conversation, view.sent) == view.messages
        counted = conversation.fixed_tokens + sum(estimate_tokens(m) for m in view.messages[1:])
        assert counted == view.sent.estimated_tokens
        alone = conversation.fixed_tokens + conversation.tokens_from(current)
        if alone + estimate_tokens(Message("user", summary_head(conversation, current))) <= WINDOW_TOKENS:
            assert view.sent.estimated_tokens <= WINDOW_TOKENS
        else:
            assert first == current
        assert (first == 0) == (view.sent.summary == "")


@settings(max_examples=30)
@given(sizes)
def test_a_summary_is_deterministic_short_and_says_how_many_turns_are_missing(turns: Any) -> None:
    conversation = Conversation(Message("system", ""), ())
    list(grow(conversation, turns))
    for first in range(len(conversation.messages)):
        summary = summarise(conversation, first)
        assert summary == summarise(conversation, first)
        if first == 0:
            assert summary == ""
            continue
        missing = sum(start < first for start in conversation.turn_starts)
        assert summary.startswith(f"{SUMMARY_HEAD} {missing} turn(s).")
        assert estimate_tokens(Message("user", summary)) <= SUMMARY_TOKENS


def test_a_summary_on_paper() -> None:
    conversation = Conversation(Message("system", ""), ())
    conversation.begin_turn(Message("user", "Go to\n the dock."))
    conversation.add(
        Message("assistant", "", (ToolCall("a", "get_battery", {}), ToolCall("b", "walk_to", {})))
    )
    conversation.add(Message("tool", "{}", (), "a", "get_battery"))
    conversation.add(Message("tool", "{}", (), "b", "walk_to"))
    conversation.add(Message("assistant", 'I "walked".'))
    conversation.begin_turn(Message("user", "x" * 200))
    conversation.begin_turn(Message("user", "And now?"))
    lines = summarise(conversation, 6).split("\n")
    assert lines == [
        "Summary of the conversation before the messages below: 2 turn(s).",
        'Turn 1: operator said "Go to the dock."; you called get_battery, walk_to; you said "I "walked"."',
        f'Turn 2: operator said "{"x" * 77}..."',
    ]


class Writer(Talker):
    """A talker that writes summaries, or fails to."""

    def __init__(self, summary: ModelReply | Exception | None = None, words: int = 30) -> None:
        super().__init__(words)
        self.summary = summary
        self.asked: list[ModelRequest] = []

    async def respond(self, request: ModelRequest) -> ModelReply:
        if request.tools:
            return await super().respond(request)
        self.asked.append(request)
        if isinstance(self.summary, Exception):
            raise self.summary
        return self.summary or ModelReply("We went to the dock.", usage=Usage(120, 9, 3, 5), latency_s=1.5)


def written(recorded: Recorded) -> set[str]:
    return {event.sent.summary for event in events(recorded)} - {""}


def notes(recorded: Recorded) -> list[str]:
    return [note for event in events(recorded) for note in event.notes]


def test_the_model_can_write_the_summaries_itself() -> None:
    model = Writer()
    recorded = run(model, LONG, context="window+model")
    summaries = written(recorded)
    assert len(summaries) == len(model.asked) > 5
    assert all(s.startswith(SUMMARY_HEAD) and s.endswith("\nWe went to the dock.") for s in summaries)
    counted = [
        (e.summary_input_tokens, e.summary_output_tokens, e.summary_cached_tokens, e.cache_write_tokens)
        for e in events(recorded)
    ]
    assert [c for c in counted if c[0] is not None] == [(120, 9, 3, 5)] * len(model.asked)
    assert {c for c in counted if c[0] is None} == {(None, 0, 0, 0)}
    assert notes(recorded) == []
    assert [s for facts in recorded.timing for s in facts.get("summary_latencies_s", [])] == [1.5] * len(
        model.asked
    )


def test_each_message_is_summed_up_once_on_top_of_the_summary_before() -> None:
    model = Writer()
    recorded = run(model, LONG, context="window+model")
    first, second = (request.messages[1].content for request in model.asked[:2])
    assert first.startswith(f"Operator: {LONG.turns[0].utterance}")
    assert second.startswith(SUMMARY_HEAD)
    assert "We went to the dock." in second
    assert LONG.turns[0].utterance not in second
    prompts = {request.messages[0] for request in model.asked}
    assert len(prompts) == 1
    assert all(request.tools == () and request.temperature == 0.0 for request in model.asked)
    everything = "\n".join(request.messages[1].content for request in model.asked)
    dropped = max(event.sent.first for event in events(recorded))
    spoken = [t.utterance for t in recorded.turns if t.model_calls[0].sent.end <= dropped]
    assert all(" ".join(utterance.split())[:300] in everything for utterance in spoken)


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (ModelReply("  \n"), "summary_fallback"),
        (ModelReply("I cannot say.", finish="filtered"), "summary_fallback"),
        (ModelReply("", (ToolCall("x", "stop", {}),)), "summary_fallback"),
        (ContextOverflowError("test", "too long"), "summary_overflow"),
    ],
)
def test_without_a_written_summary_the_deterministic_one_stands_in(answer: Any, note: str) -> None:
    model = Writer(answer)
    recorded = run(model, LONG, context="window+model")
    assert {turn.ended for turn in recorded.turns} <= {"replied", "cap"}
    assert notes(recorded).count(note) == len(model.asked)
    assert all("\nTurn " in summary for summary in written(recorded))


def test_a_long_summary_is_cut_to_size() -> None:
    recorded = run(Writer(ModelReply("blah " * 5000)), LONG, context="window+model")
    assert max(estimate_tokens(Message("user", s)) for s in written(recorded)) <= SUMMARY_TOKENS
    assert max(event.sent.estimated_tokens for event in events(recorded)) <= WINDOW_TOKENS


def test_a_provider_that_fails_at_a_summary_makes_the_turn_invalid_and_is_asked_again() -> None:
    class Once(Writer):
        async def respond(self, request: ModelRequest) -> ModelReply:
            self.summary = ProviderError("test", "down") if not request.tools and not self.asked else None
            return await super().respond(request)

    model = Once()
    recorded = run(model, LONG, context="window+model")
    assert [turn.ended for turn in recorded.turns].count("invalid") == 1
    assert len(written(recorded)) == len(model.asked) - 1


@pytest.mark.parametrize("clock", ["turn", "wall"])
def test_a_resumed_session_asks_for_no_summary_that_is_recorded(clock: Any) -> None:
    model = Writer()
    whole = run(model, LONG, context="window+model", clock=clock)
    for k in (37, 80):
        again = Writer()
        resumed = run(again, LONG, done=reread(whole.turns[:k]), context="window+model", clock=clock)
        assert resumed.data == whole.data
        later = [event for turn in whole.turns[k:] for event in turn.model_calls]
        assert len(again.asked) == sum(event.summary_input_tokens is not None for event in later) > 0


@pytest.mark.parametrize("name", ["oracle", "reckless", "refuse_all", "forgetful", "looper"])
@pytest.mark.parametrize("context", POLICIES)
def test_every_reference_model_runs_under_every_policy(name: str, context: str) -> None:
    model: Model = build_reference_model(name, SPEC)
    first, second = (run(model, SMALL, context=context, max_model_s=None) for _ in range(2))
    assert first.data == second.data == encoded(reread(first.turns))
    assert len(first.turns) == len(SMALL.turns)


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("last", range(3000, 6001, 250))
def test_the_budget_holds_whenever_the_current_turn_fits(name: str, last: int) -> None:
    conversation = Conversation(Message("system", "s" * 396), ())
    turns = [(400, [(2, 800)])] * 12 + [(100, [(1, 4 * (last - 600)), (1, 4 * 420)])]
    policy, previous = build_context(name), 0
    for _ in grow(conversation, turns):
        view = policy.view(conversation, previous)
        previous = view.sent.first
        alone = conversation.fixed_tokens + conversation.tokens_from(conversation.turn_starts[-1])
        assert view.sent.estimated_tokens <= max(WINDOW_TOKENS, alone + 30)


def test_a_huge_turn_is_sent_whole_with_one_line_for_what_is_missing() -> None:
    conversation = Conversation(Message("system", "s"), ())
    turns = [(40, []), (40, []), (100, [(1, 7900), (1, 7900), (1, 7900)])]
    views = [build_context("window").view(conversation, 0) for _ in grow(conversation, turns)]
    last = views[-1]
    assert last.sent.first == conversation.turn_starts[-1]
    assert last.sent.summary == f"{SUMMARY_HEAD} 2 turn(s)."
    assert replace(last.sent, summary="") != last.sent


INDEX = st.none() | st.integers(-15, 15)


@given(st.integers(0, 2), st.integers(0, 12), INDEX, INDEX, INDEX.filter(lambda step: step != 0))
def test_what_a_call_sends_reads_like_a_tuple_while_the_conversation_grows(
    heads: int, first: int, start: int | None, stop: int | None, step: int | None
) -> None:
    head = tuple(Message("system", f"head {k}") for k in range(heads))
    messages = [Message("user", str(k)) for k in range(12)]
    sent, expected = Excerpt(head, messages, first), (*head, *messages[first:])
    messages.append(Message("user", "later"))
    assert sent == expected
    assert (len(sent), list(sent), repr(sent)) == (len(expected), list(expected), repr(expected))
    assert sent[start:stop:step] == expected[start:stop:step]
    assert [sent[k] for k in range(-len(expected), len(expected))] == [*expected, *expected]
