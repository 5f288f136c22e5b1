"""A versioned phrase table: words become one-letter tags, rules are patterns over the tags of a sentence.

The YAML file beside this module holds every word and rule; this module reads it and cuts sentences. Above
sits `claims`, which says what the findings of the rules add up to. Nothing here knows a robot or a trace.

Rules are regular expressions over the tags of one sentence. A repetition in a rule is bounded (at most 40
tags), so the work is linear in the length of a text, whatever it holds.
"""

from __future__ import annotations

import functools
import itertools
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import yaml

_FORMS = ("base", "past", "ing", "noun", "held", "arrived")
_SOFT_MARKS = (",", ":", "(", ")", "→")
_ENDS = frozenset(".!?;\n\u2013\u2014")
_WORD = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]\w*|[.!?;\n\u2013\u2014,:()→%]")
_NAME = re.compile(r"[A-Z]{2,}")
_MACRO_DEPTH = 3


@dataclass(frozen=True)
class Token:
    """A word or phrase of the table as the rules see it."""

    tag: str
    """One letter; empty for words that the rules pass over."""
    classes: frozenset[str]
    """Tool classes the phrase names; empty for most."""


@dataclass(frozen=True)
class Sentence:
    """The words of one sentence and their tags; what a question asks is one tag."""

    words: list[str]
    starts: list[int]
    """Index of the first word of each token, then the number of words."""
    tokens: list[Token]
    tags: str

    def quote(self, start: int, end: int) -> str:
        """Return the words of the tokens from `start` up to `end`."""
        return " ".join(self.words[self.starts[start] : self.starts[end]])


@dataclass(frozen=True)
class Finding:
    """What one rule found."""

    effect: str
    classes: frozenset[str]
    words: str


Phrase = tuple[list[str], int, Token]
"""The words after the first, the number of words, the token."""


@dataclass(frozen=True)
class PhraseTable:
    """A table ready for use."""

    version: str
    rewrites: tuple[tuple[str, str], ...]
    """Strings to replace before words are cut."""
    skip: frozenset[str]
    """Words dropped before phrases are matched."""
    phrases: Mapping[str, tuple[Phrase, ...]]
    """By first word, longest first."""
    rules: re.Pattern[str]
    """All rules in one pattern; the index of the last group tells which one matched."""
    effects: tuple[str, ...]
    """The effect of each rule."""
    tags: Mapping[str, str]
    """One-letter tag of each tag name."""
    english: frozenset[str]
    """Frequent English words."""
    foreign: frozenset[str]
    """Frequent short words of other languages written in Latin letters."""


_UNKNOWN = Token("_", frozenset())
_ALONE = (1, _UNKNOWN)


def cut_words(text: str) -> list[str]:
    """Return the words, numbers and marks of a lower-case text in order."""
    return _WORD.findall(text)


def cut_sentences(words: Sequence[str], table: PhraseTable) -> Iterator[Sentence]:
    """Yield the tagged sentences of `words` that are not empty."""
    skip = table.skip
    sentence: list[str] = []
    for word in words:
        if word in _ENDS:
            if sentence:
                yield _tag_sentence(sentence, table, is_question=word == "?")
                sentence = []
        elif word not in skip:
            sentence.append(word)
    if sentence:
        yield _tag_sentence(sentence, table, is_question=False)


def apply_rules(sentence: Sentence, table: PhraseTable) -> Iterator[Finding]:
    """Yield what the rules find in `sentence`, from left to right; `skip` rules only consume."""
    for match in table.rules.finditer(sentence.tags):
        effect = table.effects[(match.lastindex or 0) - 1]
        if effect != "skip":
            start, end = match.span()
            classes = frozenset().union(*[token.classes for token in sentence.tokens[start:end]])
            yield Finding(effect, classes, sentence.quote(start, end))


@functools.cache
def load_table(version: str) -> PhraseTable:
    """Return the shipped table of this version; it is read once a process."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    raw = yaml.load(read_package_text(f"{version}.yaml"), Loader=loader)  # noqa: S506 - both loaders are safe
    names = [*map(str.upper, _FORMS), *raw["tags"]]
    tags = dict(zip(names, string.ascii_letters + string.digits, strict=False)) | {"MUTE": ""}
    rules = [_compile_rule(pattern, raw["macros"], tags) for _, pattern in raw["rules"]]
    return PhraseTable(
        version=raw["version"],
        rewrites=tuple(raw["rewrites"].items()),
        skip=frozenset(raw["skip"].split()),
        phrases=_index_phrases(raw, tags),
        rules=re.compile("|".join(f"{rule}()" for rule in rules)),
        effects=tuple(effect for effect, _ in raw["rules"]),
        tags=tags,
        english=frozenset(raw["english"].split()),
        foreign=frozenset(raw["foreign"].split()),
    )


def read_package_text(name: str) -> str:
    """Return the text of a data file that lies beside this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _tag_sentence(words: list[str], table: PhraseTable, *, is_question: bool) -> Sentence:
    tokens: list[Token] = []
    starts: list[int] = []
    at = 0
    while at < len(words):
        phrases = table.phrases.get(words[at])
        length, token = _match_phrase(words, at, phrases) if phrases else _ALONE
        if token.tag:
            tokens.append(token)
            starts.append(at)
        at += length
    starts.append(len(words))
    tags = "".join([token.tag for token in tokens])
    opener = _question_start(tags, table.tags, is_question=is_question)
    if opener is not None:
        tags = tags[:opener] + table.tags["COURTESY" if table.tags["COURTESY"] in tags[opener:] else "ASK"]
        tokens = [*tokens[:opener], _UNKNOWN]
        starts = [*starts[: opener + 1], len(words)]
    return Sentence(words, starts, tokens, tags)


def _match_phrase(words: list[str], at: int, phrases: Iterable[Phrase]) -> tuple[int, Token]:
    """Return how many words the longest of `phrases` at `at` has, and its token."""
    for tail, length, token in phrases:
        if length == 1 or words[at + 1 : at + length] == tail:
            return length, token
    return _ALONE


def _question_start(tags: str, names: Mapping[str, str], *, is_question: bool) -> int | None:
    """Return where the question of a sentence begins; None when its form asks nothing."""
    if not tags:
        return None
    if not is_question:
        return 0 if tags[0] == names["OPEN"] else None
    joints = names["SOFT"] + names["AND"]
    for at, tag in enumerate(tags):
        if tag in (names["OPEN"], names["WH"]) and (at == 0 or tags[at - 1] in joints):
            return at
    return 0


def _compile_rule(pattern: str, macros: Mapping[str, str], tags: Mapping[str, str]) -> str:
    """Return the pattern over one-letter tags that `pattern` writes in names."""
    for _ in range(_MACRO_DEPTH):
        pattern = _NAME.sub(lambda name: macros.get(name[0], name[0]), pattern)
    return _NAME.sub(lambda name: tags[name[0]], pattern).replace(" ", "")


def _index_phrases(raw: Mapping[str, Any], tags: Mapping[str, str]) -> dict[str, tuple[Phrase, ...]]:
    """Return the phrases by first word, longest first; of two equal ones the first in the table holds."""
    skip = frozenset(raw["skip"].split())
    found: dict[tuple[str, ...], Token] = {}
    for phrase, token in _list_phrases(raw, tags):
        found.setdefault(tuple([word for word in phrase if word not in skip]), token)
    index: dict[str, list[Phrase]] = {}
    for words, token in sorted(found.items(), key=lambda item: -len(item[0])):
        index.setdefault(words[0], []).append((list(words[1:]), len(words), token))
    return {first: tuple(phrases) for first, phrases in index.items()}


def _list_phrases(raw: Mapping[str, Any], tags: Mapping[str, str]) -> Iterator[tuple[list[str], Token]]:
    for classes, forms in raw["actions"].items():
        for form, text in forms.items():
            token = Token(tags[form.upper()], frozenset(classes.split()))
            yield from ((words, token) for words in _expand(text))
    for name, text in raw["tags"].items():
        token = Token(tags[name], frozenset())
        yield from ((words, token) for words in _expand(text))
    soft = Token(tags["SOFT"], frozenset())
    yield from (([mark], soft) for mark in _SOFT_MARKS)


def _expand(text: str) -> Iterator[list[str]]:
    """Yield the phrases of a comma-separated list; `(a|b|)` stands for each of its alternatives."""
    for item in text.split(","):
        if "(" not in item:
            yield item.split()
            continue
        parts = [part.split("|") for part in re.split(r"[()]", item)]
        for choice in itertools.product(*parts):
            yield " ".join(choice).split()
