"""From a prompt's text to word ids and slots for pictures, by the t5-base tokenizer that the user gives.

Only the fast tokenizers' JSON is read (`tokenizer.json`). It is checked to be t5-base's, since another one
would quietly make nonsense of every prompt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tokenizers import AddedToken, Tokenizer

from heedful.errors import InputError, UnknownNameError

MAX_BYTES = 64 * 2**20
T5_TOKENS = 32100
PROBE, PROBE_IDS = "The house is wonderful.", [37, 629, 19, 1627, 5, 1]
"""A sentence and t5-base's ids for it, from that model's documentation."""
PLACEHOLDERS: tuple[str, ...] = (
    *("base_obj", "base_obj_1", "base_obj_2", "dragged_obj"),
    *(f"dragged_obj_{number}" for number in range(1, 6)),
    *("swept_obj", "bounds", "constraint", "scene"),
    *(f"demo_{kind}_obj_{number}" for number in range(1, 4) for kind in ("blicker", "less_blicker")),
    *("start_scene", "end_scene"),
    *(f"{moment}_twist_{number}" for number in range(1, 4) for moment in ("before", "after")),
    *(f"frame_{number}" for number in range(7)),
    *("ring", "hanoi_stand"),
    *(f"{moment}_scene_{number}" for number in range(1, 4) for moment in ("start", "end")),
)
"""Names of all placeholders that VIMA knows, in the order in which they are added; others cannot be shown."""


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of text."""

    id: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a picture."""

    name: str


Element = Word | Slot


class PromptTokenizer:
    """Splits prompts; see `load_tokenizer`."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        rules = {"single_word": True, "lstrip": False, "rstrip": False, "normalized": True}
        tokenizer.add_tokens([AddedToken(f"{{{name}}}", **rules) for name in PLACEHOLDERS])
        self.tokenizer = tokenizer
        self.names = {tokenizer.token_to_id(f"{{{name}}}"): name for name in PLACEHOLDERS}

    def split(self, template: str) -> tuple[Element, ...]:
        """Return a prompt's words and slots in order, with the end mark last.

        Raises:
            InputError: If a placeholder is not one of `PLACEHOLDERS`, or touches a word.
        """
        named = re.findall(r"\{([^{}]*)\}", template)
        unknown = next((name for name in named if name not in PLACEHOLDERS), None)
        if unknown is not None:
            raise UnknownNameError("placeholder", unknown, PLACEHOLDERS, f"prompt {template!r}")
        elements = tuple(self.element(number) for number in self.tokenizer.encode(template).ids)
        slots = [one.name for one in elements if isinstance(one, Slot)]
        if slots != named or len(named) != template.count("{") or len(named) != template.count("}"):
            raise InputError(
                f"prompt {template!r}: braces may only stand around placeholders, with no letter next to them"
            )
        return elements

    def element(self, number: int) -> Element:
        """Return a token as word or slot."""
        return Slot(self.names[number]) if number in self.names else Word(number)


def load_tokenizer(path: Path) -> PromptTokenizer:
    """Return the tokenizer of a `tokenizer.json`.

    Raises:
        InputError: If the file is absent, too large, no tokenizer, or not t5-base's.
    """
    tokenizer = parse(read(path), path)
    ids = tokenizer.encode(PROBE).ids
    if tokenizer.get_vocab_size() != T5_TOKENS or ids != PROBE_IDS:
        raise InputError(
            f"tokenizer {path}: it is not t5-base's: {tokenizer.get_vocab_size()} tokens and {PROBE!r} gives "
            f"{ids}; needed: {T5_TOKENS} tokens and {PROBE_IDS}"
        )
    return PromptTokenizer(tokenizer)


def read(path: Path) -> str:
    """Return the file's text, or raise InputError."""
    if not path.is_file():
        raise InputError(f"tokenizer {path}: no such file; needed: the tokenizer.json of t5-base")
    if path.suffix == ".model":
        raise InputError(
            f"tokenizer {path}: sentencepiece files are not read; needed: the tokenizer.json of t5-base"
        )
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"tokenizer {path}: {path.stat().st_size} bytes; at most {MAX_BYTES} are read")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"tokenizer {path}: it is not text; needed: the tokenizer.json of t5-base"
        ) from error


def parse(text: str, path: Path) -> Tokenizer:
    """Return the tokenizer of a JSON text; the library raises nothing narrower than Exception."""
    try:
        return Tokenizer.from_str(text)
    except Exception as error:
        raise InputError(f"tokenizer {path}: the file holds no tokenizer: {error}") from error
