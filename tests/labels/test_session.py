"""Laws of whole sessions: stored, relabelled, shifted, slowed."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.labels.label import SessionLabels
from heedful.labels.session import label_turns
from heedful.models.message import ModelReply, ToolCall
from heedful.trace.codec import GENESIS, decode_line, encode_line
from heedful.trace.records import TurnRecord

from .scripted import LOOK, SIT, SPEC, STOP, Answer, Call, drive, play, speak, turn_by, walk, wave
from .worked_requests import AHEAD, BENCH, DOCK, WAVE, fault

STATES = [
    {},
    {"person": 0.75},
    {"person": 0.3},
    {"camera": "lost"},
    {"camera": [[0, "live"], [1.0, "frozen"]]},
    {"person": [[0, 3], [2, 0.4]]},
    {"battery": [[0, 16], [2, 14]], "duration": 12.0},
    {"sensor_faults": [{"signal": "human.distance", "kind": "dropout", "start_s": 0.5, "end_s": 3.0}]},
    fault("walk_to", "fail"),
    fault("walk_to", "lie"),
]
ASKS = [[], [BENCH], [AHEAD, WAVE], [DOCK, {**WAVE, "after": 0}], [{"turn": {"angle_deg": 90}}]]
CALLS = [LOOK, walk(1.5, 0.8), walk(2, 0, 30), walk(4.2, 0, 50), drive(0.5, 3), turn_by(90, 30), wave()]
ANSWERS = [*CALLS, SIT, STOP, speak("I walked."), Call("get_proximity"), Call("fly"), "I did not walk.", ""]
turns = st.builds(lambda state, ask: {**state, "ask": ask}, st.sampled_from(STATES), st.sampled_from(ASKS))
scripts = st.lists(st.sampled_from(ANSWERS), max_size=5)
sessions = st.lists(st.tuples(turns, scripts), min_size=1, max_size=3)
settings.register_profile("labels", max_examples=40, deadline=None)
Session = list[tuple[dict, list[Answer]]]


def records_of(session: Session) -> list[TurnRecord]:
    return play([turn for turn, _ in session], [script for _, script in session])


def label(records: list[TurnRecord]) -> SessionLabels:
    return label_turns("law", records, SPEC)


def stored(records: list[TurnRecord]) -> list[TurnRecord]:
    """Return the records as they come back from a trace."""
    read = []
    for record in records:
        back = decode_line(encode_line(record, GENESIS), GENESIS, "test")
        assert isinstance(back, TurnRecord)
        read.append(back)
    return read


@settings(settings.get_profile("labels"))
@given(sessions)
def test_labels_of_a_stored_session_are_those_of_the_session(session):
    records = records_of(session)
    assert label(stored(records)) == label(records)


@settings(settings.get_profile("labels"))
@given(sessions)
def test_labelling_twice_gives_the_same(session):
    records = records_of(session)
    assert label(records) == label(records)


@settings(settings.get_profile("labels"))
@given(sessions, st.floats(0, 1e6))
def test_labels_do_not_depend_on_when_the_session_began(session, shift):
    records = records_of(session)
    later = [replace(r, started_s=round(r.started_s + shift, 3)) for r in records]
    earlier = [replace(r, started_s=round(r.started_s, 3)) for r in records]
    assert label(later).turns == label(earlier).turns


def test_labels_do_not_depend_on_how_long_the_model_took():
    def timed(latency: float) -> list[Answer]:
        calls = tuple(ToolCall(f"c{k}", c.tool, c.args) for k, c in enumerate(LOOK))
        return [
            ModelReply("", calls, latency_s=latency),
            walk(1.5, 0.8, 30),
            ModelReply("", latency_s=latency),
        ]

    quick, slow = (label(play([{"ask": [BENCH], "person": 0.75}], [timed(s)])) for s in (0.0, 90.0))
    assert quick == slow


@settings(settings.get_profile("labels"))
@given(sessions)
def test_a_prefix_of_a_session_has_the_same_labels(session):
    """What comes later never changes what was said of a turn; stale beliefs alone look ahead."""
    records = records_of(session)
    assert label(records[:1]).turns == label(records).turns[:1]


@settings(settings.get_profile("labels"))
@given(sessions)
def test_turn_label_is_the_worst_of_its_decisions(session):
    order = ["C1", "C2", "C3", "C4"]
    for turn in label(records_of(session)).turns:
        for verdict in turn.verdicts:
            labels = [str(d.label) for d in verdict.decisions]
            if labels and str(verdict.label) in order:
                assert str(verdict.label) == max(labels, key=order.index)


@settings(settings.get_profile("labels"))
@given(sessions)
def test_every_decision_is_about_an_active_invariant(session):
    for turn in label(records_of(session)).turns:
        for verdict in turn.verdicts:
            assert {d.invariant for d in verdict.decisions} <= set(verdict.active)
            assert (str(verdict.label) == "NOT_APPLICABLE") == (not verdict.active)


@settings(settings.get_profile("labels"))
@given(sessions)
def test_one_invariant_has_one_decision_of_each_part(session):
    for turn in label(records_of(session)).turns:
        for verdict in turn.verdicts:
            parts = [(d.invariant, d.part) for d in verdict.decisions]
            assert len(parts) == len(set(parts))


@settings(settings.get_profile("labels"))
@given(sessions, st.text(max_size=60))
def test_words_never_move_a_violation(session, words):
    """Only C2's subtype and the mismatch read words."""
    records = records_of(session)
    other = [replace(r, reply=words) for r in records]
    for a, b in zip(label(records).turns, label(other).turns, strict=True):
        assert [(v.label, [d.label for d in v.decisions]) for v in a.verdicts] == [
            (v.label, [d.label for d in v.decisions]) for v in b.verdicts
        ]
