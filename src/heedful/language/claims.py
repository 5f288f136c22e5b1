"""What a model's words claim it did: a versioned phrase table, no model, no guess.

Input is what was said in one turn: the reply joined with the text given to `speak`. The words are read as
spoken at the end of the turn. Five kinds, by these definitions (version `claims-en-1`):

- `claims_done`: an action of the body was carried out in this turn or is under way. Present progressive
  ("walking to the shelf now") and arrival ("I'm now at the shelf") count; a plan ("I will walk") does not.
- `claims_refused`: nothing was done by the words, and an action was not, will not or may not be carried out,
  whatever the reason (declined, forbidden, failed, postponed until something happens, holding position).
- `asks`: neither, and the operator is asked for a decision, a fact or an act.
- `none`: neither: readings, acknowledgements, plans, abilities, earlier turns, courtesy, empty text.
- `unclear`: the same class both done and refused, a deed only guessed at, or another language than English.

Above sit the labels, which compare a claim with the steps that ran. This module knows no trace and no tool.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

import yaml

CLAIMS_VERSION = "claims-en-1"
MAX_CHARS = 8_000

Kind = Literal["claims_done", "claims_refused", "asks", "none", "unclear"]
Reason = Literal["", "mixed", "hedged", "language"]
Split = Literal["tune", "held_out"]

KINDS: tuple[Kind, ...] = ("claims_done", "claims_refused", "asks", "none", "unclear")
CLASSES: tuple[str, ...] = ("locomotion", "gesture", "posture", "protective", "unspecified")

_NO_CLASS: frozenset[str] = frozenset()
_UNSPECIFIED = frozenset({"unspecified"})
_MOTION = frozenset({"locomotion", "gesture", "posture"})
_FORMS = ("base", "past", "ing", "noun", "held", "arrived")
_ENDS = frozenset(".!?;\n—–")
_SOFT_MARKS = (",", ":", "(", ")", "→")
_TOKEN = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]\w*|[.!?;\n—–,:()→%]")
_QUOTED = re.compile(r'"[^"\n]{1,400}"|“[^“”\n]{1,400}”|(?<!\w)\'[^\'\n]{2,200}\'(?!\w)')
_QUOTE_LINE = re.compile(r"^[ \t]{0,8}>.*$", re.MULTILINE)
_SHORT = (
    ("can't", "can not"),
    ("cannot", "can not"),
    ("won't", "will not"),
    ("n't", " not"),
    ("'m", " am"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("'re", " are"),
    ("'d", " would"),
    ("'s", " is"),
)


@dataclass(frozen=True)
class Claim:
    """What the words of one turn claim."""

    kind: Kind
    """The one kind, by the definitions of this module."""
    done: frozenset[str]
    """Classes said to have been carried out; `unspecified` when the words name none."""
    refused: frozenset[str]
    """Classes said not to be carried out; beside `claims_done` they are other classes than `done`."""
    language: str
    """`en`, `other`, or `und` when there are no words to tell."""
    evidence: tuple[str, ...]
    """The phrases that decided, each as `effect: words`, in the order of the text."""
    reason: Reason = ""
    """Why the kind is `unclear`; empty for the other kinds."""


@dataclass(frozen=True)
class LabelledReply:
    """One reply of the shipped sample with the label a person gave it."""

    text: str
    kind: Kind
    done: frozenset[str]
    refused: frozenset[str]
    split: Split
    """`held_out` replies were set aside before the table was tuned."""


@dataclass(frozen=True)
class KindScore:
    """How well the table finds one kind in one split of the sample."""

    kind: Kind
    split: Split
    n_correct: int
    """Replies of this kind that were read as this kind."""
    n_read: int
    """Replies read as this kind."""
    n_labelled: int
    """Replies labelled as this kind."""

    @property
    def precision(self) -> float | None:
        """Share of the replies read as this kind that are of it; None when none was read so."""
        return self.n_correct / self.n_read if self.n_read else None

    @property
    def recall(self) -> float | None:
        """Share of the replies of this kind that were read as it; None when there is none."""
        return self.n_correct / self.n_labelled if self.n_labelled else None

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 when no reply was read rightly."""
        return 2 * self.n_correct / max(1, self.n_read + self.n_labelled)


@dataclass(frozen=True)
class _Token:
    words: str
    tag: str
    classes: frozenset[str]


@dataclass(frozen=True)
class _Phrase:
    tail: list[str]
    token: _Token


@dataclass(frozen=True)
class _Hit:
    effect: str
    classes: frozenset[str]
    words: str


@dataclass(frozen=True)
class _Table:
    rewrites: tuple[tuple[str, str], ...]
    skip: frozenset[str]
    phrases: Mapping[str, tuple[_Phrase, ...]]
    rules: re.Pattern[str]
    effects: Mapping[str, str]
    tags: Mapping[str, str]
    english: frozenset[str]
    foreign: frozenset[str]


@functools.lru_cache(maxsize=4096)
def read_claim(text: str) -> Claim:
    """Return what `text` claims.

    Reasoning before a closing `</think>`, quoted text and quoted lines are not the model's claim and are
    left out. Of a text above `MAX_CHARS` the first and the last half of that length are read. The work is
    linear in the length: every repetition in the patterns is bounded.

    Args:
        text: The reply joined with what was said through `speak`; any string.

    Returns:
        The claim; the same text always gives an equal one.
    """
    table = _load_table()
    words = _TOKEN.findall(_clean(text, table))
    language = _tell_language(words, table)
    if language != "en":
        kind: Kind = "unclear" if language == "other" else "none"
        reason: Reason = "language" if language == "other" else ""
        return Claim(kind, frozenset(), frozenset(), language, (), reason)
    found = [hit for tokens in _sentences(words, table) for hit in _read_sentence(tokens, table)]
    return _decide(found)


def load_sample() -> tuple[LabelledReply, ...]:
    """Return the shipped hand-labelled replies in file order."""
    lines = _package_text("claims_sample.jsonl").splitlines()
    return tuple(_labelled(json.loads(line)) for line in lines)


def measure_claims() -> tuple[KindScore, ...]:
    """Return the score of each kind on each split of the shipped sample, by kind within split."""
    sample = load_sample()
    pairs = [(reply, read_claim(reply.text).kind) for reply in sample]
    splits: tuple[Split, ...] = ("tune", "held_out")
    return tuple(_score(kind, split, pairs) for split in splits for kind in KINDS)


def macro_f1(scores: Iterable[KindScore]) -> float:
    """Return the mean F1 over `scores`, each kind weighing the same.

    Args:
        scores: One split's scores, not empty.
    """
    values = [score.f1 for score in scores]
    return sum(values) / len(values)


def _labelled(row: Mapping[str, Any]) -> LabelledReply:
    return LabelledReply(
        row["text"], row["kind"], frozenset(row["done"]), frozenset(row["refused"]), row["split"]
    )


def _score(kind: Kind, split: Split, pairs: Sequence[tuple[LabelledReply, Kind]]) -> KindScore:
    mine = [(reply.kind, read) for reply, read in pairs if reply.split == split]
    return KindScore(
        kind,
        split,
        n_correct=sum(labelled == read == kind for labelled, read in mine),
        n_read=sum(read == kind for _, read in mine),
        n_labelled=sum(labelled == kind for labelled, _ in mine),
    )


def _clean(text: str, table: _Table) -> str:
    """Return the lower-case words that are the model's own, contractions written out."""
    if len(text) > MAX_CHARS:
        text = text[: MAX_CHARS // 2] + "\n" + text[-MAX_CHARS // 2 :]
    text = text.rpartition("</think>")[2].lower().replace("’", "'").replace("`", "").replace("->", "→")
    own = _QUOTED.sub(" ", _QUOTE_LINE.sub(" ", text)) if any(mark in text for mark in "\"'“>") else text
    text = own if own.strip(" .,\n") else text
    for short, long in _SHORT if "'" in text else _SHORT[1:2]:
        text = text.replace(short, long)
    for old, new in table.rewrites if "going to" in text else ():
        text = text.replace(old, new)
    return text


def _tell_language(words: Sequence[str], table: _Table) -> str:
    """Return `en`, `other`, or `und`, from the script and from frequent short words."""
    names = [word for word in words if word[0].isalpha() and "_" not in word]
    if not names and not any(word[0].isalpha() for word in words):
        return "und"
    if not all(map(str.isascii, names)):
        foreign_script = sum(not _is_latin(word) for word in names)
        if 2 * foreign_script > len(names):
            return "other"
    english = sum(word in table.english for word in names)
    if sum(word in table.foreign for word in names) > english:
        return "other"
    if len(names) < 4:
        return "en"
    known = sum(word in table.english or word in table.phrases for word in names)
    enough = 0.2 if "".join(names).isascii() else 0.5
    return "en" if known >= enough * len(names) else "other"


def _is_latin(word: str) -> bool:
    return all(ord(char) < 0x250 or 0x1E00 <= ord(char) < 0x1F00 for char in word)


def _sentences(words: Iterable[str], table: _Table) -> Iterator[list[_Token]]:
    """Yield the tagged tokens of each sentence; a question ends in its own token."""
    sentence: list[str] = []
    for word in words:
        if word not in _ENDS:
            if word not in table.skip:
                sentence.append(word)
            continue
        if sentence:
            yield _tag(sentence, table, is_question=word == "?")
        sentence = []
    if sentence:
        yield _tag(sentence, table, is_question=False)


def _tag(words: list[str], table: _Table, *, is_question: bool) -> list[_Token]:
    """Return the tokens of one sentence, the longest phrase first; what a question asks is one token."""
    tokens: list[_Token] = []
    at = 0
    while at < len(words):
        phrase = _match_phrase(words, at, table)
        if phrase.token.tag:
            tokens.append(phrase.token)
        at += 1 + len(phrase.tail)
    opener = _question_start(tokens, table, is_question=is_question)
    if opener is None:
        return tokens
    asked = _Token(" ".join(token.words for token in tokens[opener:]), table.tags["ASK"], frozenset())
    courtesy = [token for token in tokens[opener:] if token.tag == table.tags["COURTESY"]]
    return [*tokens[:opener], *(courtesy or [asked])]


def _match_phrase(words: list[str], at: int, table: _Table) -> _Phrase:
    for phrase in table.phrases.get(words[at], ()):
        tail = phrase.tail
        if not tail or words[at + 1 : at + 1 + len(tail)] == tail:
            return phrase
    return _Phrase([], _Token(words[at], "_", _NO_CLASS))


def _question_start(tokens: Sequence[_Token], table: _Table, *, is_question: bool) -> int | None:
    """Return where the question of a sentence begins; None when it asks nothing by its form."""
    if not tokens:
        return None
    openers = (table.tags["OPEN"], table.tags["WH"])
    joints = (table.tags["SOFT"], table.tags["AND"])
    if not is_question:
        return 0 if tokens[0].tag == openers[0] else None
    for at, token in enumerate(tokens):
        if token.tag in openers and (at == 0 or tokens[at - 1].tag in joints):
            return at
    return 0


def _read_sentence(tokens: Sequence[_Token], table: _Table) -> Iterator[_Hit]:
    """Yield what each rule finds in one sentence, then whether it asks the operator."""
    tags = "".join([token.tag for token in tokens])
    for match in table.rules.finditer(tags):
        effect = table.effects[match.lastgroup or ""]
        if effect != "skip":
            span = tokens[match.start() : match.end()]
            classes = frozenset().union(*(token.classes for token in span)) or _UNSPECIFIED
            yield _Hit(effect, classes, " ".join(token.words for token in span))
    if table.tags["ASK"] in tags and table.tags["COURTESY"] not in tags:
        yield _Hit("asks", frozenset(), tokens[tags.index(table.tags["ASK"])].words)


def _decide(found: Sequence[_Hit]) -> Claim:
    """Return the claim that the findings of a whole text add up to."""
    done = _named(_classes(found, "done"))
    refused = _classes(found, "refused") | (_classes(found, "permission") - done)
    refused |= (_classes(found, "deferred") & (_MOTION | _UNSPECIFIED)) - done
    if done & _MOTION and "unspecified" not in _classes(found, "refused"):
        refused -= _UNSPECIFIED
    refused = _named(refused)
    effects = {hit.effect for hit in found}
    reason: Reason = "mixed" if done & refused else ""
    if not done and not refused and "hedged" in effects:
        reason = "hedged"
    kind = _kind(done, refused, reason, asks="asks" in effects)
    return Claim(kind, done, refused, "en", tuple(f"{hit.effect}: {hit.words}" for hit in found), reason)


def _kind(done: frozenset[str], refused: frozenset[str], reason: Reason, *, asks: bool) -> Kind:
    if reason:
        return "unclear"
    if done:
        return "claims_done"
    if refused:
        return "claims_refused"
    return "asks" if asks else "none"


def _classes(found: Iterable[_Hit], effect: str) -> frozenset[str]:
    return frozenset().union(*(hit.classes for hit in found if hit.effect == effect))


def _named(classes: frozenset[str]) -> frozenset[str]:
    """Return `classes` without `unspecified` where another class is named."""
    return classes - _UNSPECIFIED if len(classes) > 1 else classes


def _package_text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@functools.cache
def _load_table() -> _Table:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    raw = yaml.load(_package_text(f"{CLAIMS_VERSION}.yaml"), Loader=loader)  # noqa: S506 - both loaders are safe
    names = [*map(str.upper, _FORMS), *raw["tags"]]
    tags = dict(zip(names, string.ascii_letters + string.digits, strict=False)) | {"MUTE": ""}
    rules = [
        (f"r{at}", effect, _compile_rule(pattern, raw["macros"], tags))
        for at, (effect, pattern) in enumerate(raw["rules"])
    ]
    return _Table(
        rewrites=tuple(raw["rewrites"].items()),
        skip=frozenset(raw["skip"].split()),
        phrases=_index_phrases(raw, tags),
        rules=re.compile("|".join(f"(?P<{name}>{pattern})" for name, _, pattern in rules)),
        effects={name: effect for name, effect, _ in rules},
        tags=tags,
        english=frozenset(raw["english"].split()),
        foreign=frozenset(raw["foreign"].split()),
    )


def _compile_rule(pattern: str, macros: Mapping[str, str], tags: Mapping[str, str]) -> str:
    """Return the pattern over one-letter tags that `pattern` writes in names."""
    for _ in range(3):
        pattern = re.sub(r"[A-Z]{2,}", lambda name: macros.get(name[0], name[0]), pattern)
    return re.sub(r"[A-Z]{2,}", lambda name: tags[name[0]], pattern).replace(" ", "")


def _index_phrases(raw: Mapping[str, Any], tags: Mapping[str, str]) -> dict[str, tuple[_Phrase, ...]]:
    """Return the phrases by first word, longest first; of two equal ones the first in the table holds."""
    found: dict[tuple[str, ...], _Phrase] = {}
    skip = frozenset(raw["skip"].split())
    for phrase, tag, classes in _listed(raw, tags):
        words = tuple(word for word in phrase if word not in skip)
        found.setdefault(words, _Phrase(list(words[1:]), _Token(" ".join(words), tag, classes)))
    index: dict[str, list[_Phrase]] = {}
    for words, phrase in sorted(found.items(), key=lambda item: -len(item[0])):
        index.setdefault(words[0], []).append(phrase)
    return {first: tuple(phrases) for first, phrases in index.items()}


def _listed(
    raw: Mapping[str, Any], tags: Mapping[str, str]
) -> Iterator[tuple[tuple[str, ...], str, frozenset[str]]]:
    for name, forms in raw["actions"].items():
        for form, text in forms.items():
            for words in _expand(text):
                yield words, tags[form.upper()], frozenset(name.split())
    for name, text in raw["tags"].items():
        for words in _expand(text):
            yield words, tags[name], frozenset()
    for mark in _SOFT_MARKS:
        yield (mark,), tags["SOFT"], frozenset()


def _expand(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the phrases of a comma-separated list; `(a|b|)` stands for each of its alternatives."""
    for item in text.split(","):
        parts = [part.split("|") for part in re.split(r"[()]", item)]
        for choice in itertools.product(*parts):
            yield tuple(" ".join(choice).split())
