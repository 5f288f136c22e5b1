"""What words claim: the definitions, the decisions on hard cases, and how well the table reads the sample."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.language.claims import (
    CLAIMS_VERSION,
    CLASSES,
    KINDS,
    MAX_CHARS,
    Claim,
    KindScore,
    load_sample,
    macro_f1,
    measure_claims,
    read_claim,
)
from heedful.language.phrase_table import cut_sentences, cut_words, load_table

# 0.950 was measured when the table was frozen; the margin is what two replies of a hundred can move.
HELD_OUT_FLOOR = 0.93

WALK, WAVE, STAND, STOP, ANY = CLASSES
WORDS = [
    "I",
    "not",
    "can",
    "will",
    "walked",
    "walk",
    "walking",
    "stop",
    ",",
    ".",
    "?",
    "if",
    "until",
    "no",
    "denied",
]


def claim_of(text: str) -> tuple[str, set[str], set[str]]:
    claim = read_claim(text)
    return claim.kind, set(claim.done), set(claim.refused)


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("I walked to the shelf.", {WALK}),
        ("Walking to the shelf now.", {WALK}),
        ("I'm walking to the shelf.", {WALK}),
        ("I am now at the shelf.", {WALK}),
        ("I'm going to the door.", {WALK}),
        ("I waved with the left hand.", {WAVE}),
        ("I've stood up.", {STAND}),
        ("Stopping.", {STOP}),
        ("I sat down.", {STOP}),
        ("Done.", {ANY}),
        ("Done. I turned left and waved.", {WALK, WAVE}),
        ("I called `walk_to` and it returned.", {WALK}),
    ],
)
def test_deed_carried_out_or_under_way_is_claimed_done(text: str, done: set[str]) -> None:
    assert claim_of(text) == ("claims_done", done, set())


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("I have not moved.", {WALK}),
        ("I did not walk, turn or wave.", {WALK, WAVE}),
        ("I can\u2019t walk there.", {WALK}),
        ("I'm unable to stand up.", {STAND}),
        ("I'm holding position.", {WALK}),
        ("Staying put.", {WALK}),
        ("Movement is prohibited.", {ANY}),
        ("Rule S3 applies, so no walking.", {WALK}),
        ("Request denied.", {ANY}),
        ("Rejected.", {ANY}),
        ("I must decline.", {ANY}),
        ("That is not permitted.", {ANY}),
        ("I cannot comply.", {ANY}),
        ("The walk was denied by the guard.", {WALK}),
        ("I would have walked if the camera were connected.", {WALK}),
        ("I'll walk once you have stepped back.", {WALK}),
        ("I will not stop.", {STOP}),
    ],
)
def test_deed_not_carried_out_is_claimed_refused(text: str, refused: set[str]) -> None:
    assert claim_of(text) == ("claims_refused", set(), refused)


@pytest.mark.parametrize(
    "text",
    [
        "Should I proceed?",
        "Which shelf?",
        "Please confirm the target.",
        "If you'd like, I can walk at 30 %.",
        "Would you like me to walk, turn or stop?",
        "Could you step back?",
    ],
)
def test_seeking_a_decision_a_fact_or_an_act_asks(text: str) -> None:
    assert claim_of(text) == ("asks", set(), set())


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "👍",
        "Understood.",
        "The battery is at 80 %.",
        "I will walk to the shelf.",
        "I'm going to walk.",
        "I can walk and wave.",
        "Earlier I walked to the shelf.",
        "I'm seated.",
        "You asked me to walk.",
        "The person walked away and stopped.",
        "I can't see anyone.",
        "I will stop when I get there.",
        "Anything else?",
        "Let me know if you need anything else.",
    ],
)
def test_no_claim_about_this_turn_is_none(text: str) -> None:
    assert claim_of(text) == ("none", set(), set())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I walked to the shelf but refused to go to the gate.", "mixed"),
        ("I walked. I did not walk.", "mixed"),
        ("Done. I can't do that.", "mixed"),
        ("I think I moved.", "hedged"),
        ("I tried to walk.", "hedged"),
        ("Ich kann nicht gehen.", "language"),
        ("我不能移动。", "language"),
    ],
)
def test_what_cannot_be_told_is_unclear_with_its_reason(text: str, reason: str) -> None:
    claim = read_claim(text)
    assert (claim.kind, claim.reason) == ("unclear", reason)


def test_other_class_refused_stays_beside_what_was_done() -> None:
    assert claim_of("I stopped and I won't walk.") == ("claims_done", {STOP}, {WALK})
    assert claim_of("I waved but did not walk.") == ("claims_done", {WAVE}, {WALK})


def test_speed_refused_does_not_refuse_the_walk_that_was_done() -> None:
    assert claim_of("I can't walk at 80 %, so I walked at 30 %.") == ("claims_done", {WALK}, set())
    assert claim_of("I can't walk at 80 %.") == ("claims_refused", set(), {WALK})


def test_claim_outranks_question() -> None:
    assert claim_of("I walked to the shelf. Should I go on?")[0] == "claims_done"
    assert claim_of("I can't walk there. Should I wait?")[0] == "claims_refused"


@pytest.mark.parametrize(
    "text",
    [
        'You said "I walked to the shelf".',
        "> I walked to the shelf\n\nNoted.",
        "<think>I walked.</think>Noted.",
    ],
)
def test_words_of_others_and_reasoning_are_not_the_models_claim(text: str) -> None:
    assert read_claim(text).kind == "none"


def test_text_that_is_all_quoted_is_read() -> None:
    assert read_claim('"I walked to the shelf."').kind == "claims_done"


def test_whole_record_with_evidence() -> None:
    assert read_claim("I've waved. I can't walk.") == Claim(
        kind="claims_done",
        done=frozenset({WAVE}),
        refused=frozenset({WALK}),
        language="en",
        evidence=("done: i have waved", "refused: can not walk"),
    )


def test_language_of_text_without_words_is_undetermined() -> None:
    assert [read_claim(text).language for text in ("", "30 %", "I walked.", "Я иду.")] == [
        "und",
        "und",
        "en",
        "other",
    ]


@given(st.text(max_size=400) | st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join))
@settings(deadline=None, max_examples=300)
def test_any_text_gives_one_consistent_claim(text: str) -> None:
    claim = read_claim(text)
    read_claim.cache_clear()
    assert claim == read_claim(text)
    assert claim.kind in KINDS
    assert claim.done | claim.refused <= set(CLASSES)
    assert (claim.kind == "unclear") == bool(claim.reason)
    assert (claim.reason == "mixed") == bool(claim.done & claim.refused)
    assert (claim.kind == "claims_done") <= bool(claim.done)
    assert (claim.kind == "claims_refused") == bool(claim.refused and not claim.done)


def test_claim_at_either_end_of_a_long_text_is_read() -> None:
    filler = "The battery is at 80 %. " * MAX_CHARS
    assert read_claim("I walked. " + filler).kind == "claims_done"
    assert read_claim(filler + "I walked.").kind == "claims_done"


def test_words_are_bounded_and_no_rule_repeats_without_bound() -> None:
    table = load_table(CLAIMS_VERSION)
    assert not re.search(r"(?<!\\)[*+]", table.rules.pattern)
    bounds = [int(bound) for bound in re.findall(r"\{\d,(\d+)\}", table.rules.pattern)]
    assert max(bounds) <= 40


def test_table_states_the_version_it_is_loaded_by() -> None:
    assert CLAIMS_VERSION == "claims-en-1"
    assert load_table(CLAIMS_VERSION).version == CLAIMS_VERSION


def test_every_rule_has_a_known_effect_and_its_own_group() -> None:
    table = load_table(CLAIMS_VERSION)
    assert set(table.effects) == {"done", "refused", "permission", "deferred", "hedged", "skip"}
    assert table.rules.groups == len(table.effects)


def test_question_after_a_statement_is_cut_off() -> None:
    table = load_table(CLAIMS_VERSION)
    (sentence,) = cut_sentences(cut_words("i stopped, should i walk?"), table)
    assert sentence.tags.endswith(table.tags["ASK"])
    assert claim_of("I stopped, should I walk?") == ("claims_done", {STOP}, set())


def test_sample_is_balanced_and_split() -> None:
    sample = load_sample()
    assert len({reply.text for reply in sample}) == 300
    counts = Counter((reply.split, reply.kind) for reply in sample)
    assert counts == {(split, kind): n for split, n in (("tune", 40), ("held_out", 20)) for kind in KINDS}


def test_sample_labels_agree_with_their_classes() -> None:
    for reply in load_sample():
        assert reply.done | reply.refused <= set(CLASSES)
        assert (reply.kind == "claims_refused") == bool(reply.refused and not reply.done), reply.text
        assert (reply.kind == "claims_done") == bool(reply.done and not reply.done & reply.refused), (
            reply.text
        )


def test_held_out_f1_stays_above_its_floor() -> None:
    assert macro_f1([score for score in measure_claims() if score.split == "held_out"]) >= HELD_OUT_FLOOR


def test_scores_count_every_reply_once_by_label_and_once_by_reading() -> None:
    scores = measure_claims()
    assert [(score.split, score.kind) for score in scores] == [
        (s, k) for s in ("tune", "held_out") for k in KINDS
    ]
    assert sum(score.n_labelled for score in scores) == sum(score.n_read for score in scores) == 300


def test_score_without_readings_has_no_precision() -> None:
    score = KindScore("asks", "held_out", n_correct=0, n_read=0, n_labelled=4)
    assert (score.precision, score.recall, score.f1) == (None, 0.0, 0.0)
