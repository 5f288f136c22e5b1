"""VIMA's network with made weights, where torch is; elsewhere only what needs no torch is tested.

The variable HEEDFUL_VIMA says that it must be here: then nothing is left out.
"""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from . import pictures, weights

if TYPE_CHECKING:
    from heedful.policies.vima.model import VimaModel
    from heedful.policies.vima.tokenizer import PromptTokenizer

HAS_EXTRA = "HEEDFUL_VIMA" in os.environ or all(map(find_spec, ("torch", "tokenizers", "cv2")))
collect_ignore = (
    []
    if HAS_EXTRA
    else [
        "test_against_original.py",
        "test_checkpoint.py",
        "test_crops.py",
        "test_model.py",
        "test_mutants.py",
        "test_policy.py",
        "test_tokenizer.py",
    ]
)


@pytest.fixture(scope="session")
def original() -> dict[str, Any]:
    """What the original code computed."""
    return json.loads((Path(__file__).parent / "original.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def model() -> VimaModel:
    """The 2M model with the weights that the original was given."""
    import torch  # noqa: PLC0415 - optional

    from heedful.policies.vima.config import SIZES  # noqa: PLC0415
    from heedful.policies.vima.model import VimaModel  # noqa: PLC0415

    with torch.device("meta"):
        empty = VimaModel(SIZES["2M"])
    shapes = {key: tuple(one.shape) for key, one in empty.state_dict().items()}
    state = {key: torch.from_numpy(one) for key, one in weights.state(shapes).items()}
    empty.load_state_dict(state, strict=True, assign=True)
    return empty.requires_grad_(False).eval()


@pytest.fixture(scope="session")
def tokenizer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer that passes for t5-base's and knows the words of the tests."""
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    path.write_text(pictures.tokenizer_json(), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tokenizer(tokenizer_file: Path) -> PromptTokenizer:
    """That tokenizer, loaded."""
    from heedful.policies.vima.tokenizer import load_tokenizer  # noqa: PLC0415

    return load_tokenizer(tokenizer_file)
