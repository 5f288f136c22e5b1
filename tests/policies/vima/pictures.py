"""Pictures, labels and a small tokenizer that stand for a scene, each a pure function of its name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .weights import noise

Image = NDArray[np.uint8]
Boxes = Mapping[int, tuple[int, int, int, int]]
"""First row, first column, rows, columns of each object's rectangle, by id."""
TEMPLATE = "Put the {dragged_obj_1} in {scene} into the {base_obj}."
WORDS = {"▁Put": 2000, "▁the": 8, "▁in": 16, "▁into": 139, ".": 5, "▁The": 37, "▁house": 629, "▁is": 19}
"""Ids of words; those of `The house is wonderful.` are t5-base's."""
OBJECT_IDS = (5, 6, 7)
END_EFFECTOR = 0
PROMPT_BOXES: dict[str, dict[str, Boxes]] = {
    "dragged_obj_1": {"front": {0: (40, 100, 31, 30)}, "top": {0: (50, 110, 25, 38)}},
    "scene": {
        "front": {2: (10, 20, 40, 17), 3: (70, 120, 33, 33)},
        "top": {2: (20, 30, 21, 40), 3: (60, 130, 32, 32)},
    },
    "base_obj": {"front": {0: (30, 90, 50, 70)}, "top": {0: (30, 90, 60, 60)}},
}
STEP_BOXES: tuple[dict[str, Boxes], ...] = (
    {
        "front": {5: (30, 40, 25, 25), 6: (60, 150, 44, 31), 7: (90, 60, 20, 51)},
        "top": {5: (20, 41, 30, 24), 6: (70, 151, 50, 50), 7: (10, 200, 1, 30)},
    },
    {
        "front": {5: (62, 155, 25, 20), 6: (60, 150, 44, 31)},
        "top": {5: (75, 160, 22, 24), 6: (70, 151, 50, 50), 7: (0, 0, 128, 12)},
    },
    {
        "front": {5: (62, 155, 25, 20), 6: (60, 150, 44, 31), 7: (90, 60, 1, 1)},
        "top": {5: (75, 160, 22, 24), 6: (70, 151, 50, 50), 7: (40, 200, 30, 56)},
    },
)
"""Object 7 hidden in the second front view, and too small in the third."""


def rgb(name: str) -> Image:
    """Return a picture, shape (128, 256, 3)."""
    values = noise(name, 128 * 256 * 3).reshape(128, 256, 3)
    return np.asarray(np.clip(np.rint(values * 60 + 120), 0, 255), dtype=np.uint8)


def segm(boxes: Boxes) -> Image:
    """Return labels with a rectangle for each object, later ones in front; 255 elsewhere."""
    labels = np.full((128, 256), 255, dtype=np.uint8)
    for object_id, (row, column, rows, columns) in boxes.items():
        labels[row : row + rows, column : column + columns] = object_id
    return labels


def tokenizer_json() -> str:
    """Return a tokenizer of t5-base's size and layout that knows a few words only."""
    names = [f"unused_{index}" for index in range(32000)]
    names[:4] = ["<pad>", "</s>", "<unk>", "▁"]
    for word, index in (WORDS | {"▁wonderful": 1627}).items():
        names[index] = word
    names += [f"<extra_id_{index}>" for index in reversed(range(100))]
    specials = [*range(3), *range(32000, 32100)]
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    document: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": index, "content": names[index], **plain} for index in specials],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True},
            ],
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}},
        },
        "decoder": None,
        "model": {"type": "Unigram", "unk_id": 2, "vocab": [[name, -2.0] for name in names]},
    }
    return json.dumps(document, ensure_ascii=False)
