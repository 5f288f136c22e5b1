from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from heedful.models.conversation import NO_RESULT, pair_results, safe_name, sent_arguments
from heedful.models.message import Message, ToolCall

from .samples import assistant, call, result, user, windowed_conversation


def test_a_conversation_in_order_comes_back_unchanged():
    tidy = [user("go"), assistant("", call("a"), call("b")), result("a"), result("b"), assistant("done")]
    assert pair_results(tidy) == tidy


def test_results_follow_their_calls_and_gaps_are_filled():
    paired = pair_results(windowed_conversation())
    assert [(message.role, message.tool_call_id or message.content[:9]) for message in paired] == [
        ("system", "You run a"),
        ("user", "Result of"),
        ("user", "Check eve"),
        ("assistant", "Checking."),
        ("tool", "a"),
        ("tool", "b"),
        ("user", "[sensor u"),
        ("assistant", ""),
        ("tool", "c"),
        ("user", "Are you t"),
        ("assistant", ""),
        ("tool", "d"),
        ("user", "Then sit."),
    ]
    assert paired[8] == Message("tool", NO_RESULT, tool_call_id="c", tool_name="walk_to", is_error=True)


def test_a_result_learns_the_name_of_its_tool():
    paired = pair_results([assistant("", call("a")), result("a", name=None)])
    assert paired[1].tool_name == "get_battery"


def test_reused_ids_pair_with_the_call_before_them():
    paired = pair_results(
        [assistant("", call("a")), result("a", "one"), assistant("", call("a")), result("a", "two")]
    )
    assert [message.content for message in paired if message.role == "tool"] == ["one", "two"]


def test_a_late_result_does_not_answer_an_earlier_call_of_the_same_id():
    paired = pair_results([assistant("", call("a")), assistant("", call("a")), result("a", "two")])
    assert [message.content for message in paired if message.role == "tool"] == [NO_RESULT, "two"]


MESSAGES = st.lists(
    st.one_of(
        st.builds(user, st.just("u")),
        st.lists(st.sampled_from("abc"), max_size=3, unique=True).map(
            lambda ids: assistant("", *(call(one) for one in ids))
        ),
        st.sampled_from("abcd").map(result),
    ),
    max_size=20,
)


@given(MESSAGES)
def test_every_tool_result_directly_follows_its_call_in_any_conversation(messages):
    paired = pair_results(messages)
    expected: list[str] = []
    for message in paired:
        if message.role == "tool":
            assert message.tool_call_id == expected.pop(0)
        else:
            assert expected == []
            expected = [one.id for one in message.tool_calls]
    assert expected == []
    assert pair_results(paired) == paired


def test_names_that_models_make_up_are_made_safe():
    assert safe_name("walk to!") == "walk_to_"
    assert safe_name("") == "unknown_tool"
    assert len(safe_name("é" * 100)) == 64


def test_unreadable_arguments_are_sent_back_wrapped():
    assert sent_arguments(ToolCall("1", "stop", {}, "bad", "{x")) == {"INVALID_JSON": "{x"}
