from __future__ import annotations

import json
from pathlib import Path

import pytest

from heedful.errors import InputError, UnknownNameError
from heedful.policies.vima.tokenizer import PLACEHOLDERS, PromptTokenizer, Slot, Word, load_tokenizer

from . import pictures


def test_placeholders_are_the_originals() -> None:
    assert len(PLACEHOLDERS) == len(set(PLACEHOLDERS)) == 42
    assert PLACEHOLDERS[:4] == ("base_obj", "base_obj_1", "base_obj_2", "dragged_obj")
    assert PLACEHOLDERS[13:16] == ("demo_blicker_obj_1", "demo_less_blicker_obj_1", "demo_blicker_obj_2")
    assert PLACEHOLDERS[19:23] == ("start_scene", "end_scene", "before_twist_1", "after_twist_1")
    assert PLACEHOLDERS[34:38] == ("ring", "hanoi_stand", "start_scene_1", "end_scene_1")


def test_prompt_becomes_words_and_slots(tokenizer: PromptTokenizer) -> None:
    elements = tokenizer.split("Put the {dragged_obj_1} into the {base_obj}.")
    assert elements == (
        *(Word(2000), Word(8), Slot("dragged_obj_1"), Word(139), Word(8), Slot("base_obj")),
        *(Word(3), Word(5), Word(1)),
    )


@pytest.mark.parametrize("name", PLACEHOLDERS)
def test_every_placeholder_is_one_token(name: str, tokenizer: PromptTokenizer) -> None:
    assert tokenizer.split(f"Put {{{name}}} in") == (Word(2000), Slot(name), Word(16), Word(1))


def test_prompt_without_pictures_is_words_only(tokenizer: PromptTokenizer) -> None:
    assert tokenizer.split("The house") == (Word(37), Word(629), Word(1))


def test_unknown_placeholder_is_refused_with_its_nearest(tokenizer: PromptTokenizer) -> None:
    with pytest.raises(UnknownNameError, match=r"'base_obj_3'.*Did you mean"):
        tokenizer.split("Put {dragged_obj} into {base_obj_3}.")


@pytest.mark.parametrize(
    "template", ["Put {base_obj", "Put base_obj} in", "Put in{base_obj}", "Put {{base_obj}}"]
)
def test_stray_braces_are_refused(template: str, tokenizer: PromptTokenizer) -> None:
    with pytest.raises(InputError, match="braces may only stand around placeholders"):
        tokenizer.split(template)


def test_file_that_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such file; needed: the tokenizer.json of t5-base"):
        load_tokenizer(tmp_path / "absent.json")
    for name, content, said in (
        ("spiece.model", b"\x0a\x0b", "sentencepiece files are not read"),
        ("binary.json", b"\xff\xfe", "it is not text"),
        ("text.json", b"{}", "holds no tokenizer"),
        ("other.json", b"[1", "holds no tokenizer"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=said):
            load_tokenizer(tmp_path / name)


def test_other_models_tokenizer_is_refused(tmp_path: Path) -> None:
    document = json.loads(pictures.tokenizer_json())
    document["model"]["vocab"][629][0], document["model"]["vocab"][630][0] = "unused", "▁house"
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError, match=r"not t5-base's: 32100 tokens .* gives \[37, 630, 19"):
        load_tokenizer(path)
