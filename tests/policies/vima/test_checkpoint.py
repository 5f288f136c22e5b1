from __future__ import annotations

import hashlib
import os
import pickle
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from heedful.errors import InputError
from heedful.policies.vima.checkpoint import load_checkpoint
from heedful.policies.vima.config import SIZES
from heedful.policies.vima.keys import expected_layouts
from heedful.policies.vima.model import VimaModel
from heedful.policies.vima.policy import load_policy

from . import files, shown
from .recorded import TOLERANCE, difference

CFG = asdict(SIZES["2M"])
BIAS = "obs_fusion_layer.bias"


class Code:
    """Something whose reading runs a command."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (f"touch {self.marker}",)


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_checkpoint(path)
    assert str(caught.value).startswith(f"checkpoint {path}: ")
    return str(caught.value)


@pytest.mark.parametrize("size", SIZES)
def test_model_holds_what_checkpoints_hold(size: str, original: dict[str, Any]) -> None:
    with torch.device("meta"):
        model = VimaModel(SIZES[size])
    found = {key: (tuple(one.shape), str(one.dtype)) for key, one in model.state_dict().items()}
    expected = expected_layouts(SIZES[size])
    assert found == {key: (one.shape, f"torch.{one.dtype}") for key, one in expected.items()}
    assert sum(one.numel() for one in model.parameters()) == original["sizes"][size]["parameters"]


def test_checkpoint_is_loaded_whole_and_described(tmp_path: Path) -> None:
    state = files.tensors()
    path = files.save(tmp_path / "2M.ckpt", state)
    loaded = load_checkpoint(path)
    for key, one in loaded.model.state_dict().items():
        assert torch.equal(one, state[key]), key
    facts = loaded.facts
    assert facts.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (facts.name, facts.size_bytes) == ("2M.ckpt", path.stat().st_size)
    assert (facts.config.size, facts.parameters) == ("2M", 176557888)
    path.unlink()
    assert not loaded.model.training
    assert not any(one.requires_grad for one in loaded.model.parameters())


@pytest.mark.slow
def test_saved_model_does_what_it_did(
    model: VimaModel, tokenizer_file: Path, original: dict[str, Any], tmp_path: Path
) -> None:
    path = files.save(tmp_path / "2M.ckpt", model.state_dict())
    policy = load_policy(path, tokenizer_file)
    policy.reset(shown.prompt())
    step = policy.act(shown.observation(0))
    assert difference(original, "embedding_0", step.embedding) < TOLERANCE


def test_code_is_never_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    for name, content in {
        "cfg": {"cfg": Code(marker), "state_dict": {}},
        "tensor": {"cfg": CFG, "state_dict": {"policy.x": Code(marker)}},
    }.items():
        torch.save(content, tmp_path / name)
        assert "system" in refused(tmp_path / name)
    (tmp_path / "bare").write_bytes(pickle.dumps(Code(marker)))
    assert "not an archive that torch saved" in refused(tmp_path / "bare")
    assert not marker.exists()
    pickle.loads(pickle.dumps(Code(marker)))  # noqa: S301 - shows that the file would have run it
    assert marker.exists()


@pytest.mark.parametrize("version", ["2.9.1+cpu", "1.13.0"])
def test_torch_whose_reader_can_be_tricked_is_refused(
    version: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    assert "needed: 2.10 or later" in refused(tmp_path / "file")


def test_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path)
    assert "no such file" in refused(tmp_path / "absent.ckpt")
    (tmp_path / "text").write_text("weights", encoding="utf-8")
    assert "not an archive that torch saved" in refused(tmp_path / "text")
    torch.save({}, tmp_path / "old", _use_new_zipfile_serialization=False)
    assert "not an archive that torch saved" in refused(tmp_path / "old")


def test_foreign_archive_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "zip", "w") as archive:
        archive.writestr("notes.txt", "hello")
    assert "holds no checkpoint of torch's" in refused(tmp_path / "zip")
    with zipfile.ZipFile(tmp_path / "packed", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(64))
    assert "`archive/data.pkl` is compressed" in refused(tmp_path / "packed")
    with zipfile.ZipFile(tmp_path / "long", "w") as archive:
        archive.writestr("archive/data.pkl", bytes(8 * 2**20 + 1))
    assert "with a pickle of 8388609; allowed: 4294967296 and 8388608" in refused(tmp_path / "long")


def test_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    path = files.save(tmp_path / "whole", files.tensors())
    whole = path.read_bytes()
    for name, damaged in {
        "cut": whole[: len(whole) // 2],
        "pickle": whole.replace(b"state_dict", b"state_\xff\xffct", 1),
    }.items():
        (tmp_path / name).write_bytes(damaged)
        refused(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([1], "holds list"),
        ({}, "holds nothing; it must hold `cfg` and `state_dict`"),
        ({"model": {}, "optimizer": {}}, "holds model, optimizer; it must hold `cfg` and `state_dict`"),
        ({"cfg": CFG, "state_dict": [1]}, "`state_dict` must hold tensors by name"),
        ({"cfg": CFG, "state_dict": {1: torch.zeros(1)}}, "`state_dict` must hold tensors by name"),
        ({"cfg": CFG, "state_dict": {"policy.x": 1.0}}, "`policy.x` is float, must be a tensor"),
        ({"cfg": CFG, "state_dict": {"policy.x": torch.zeros(2, device="meta")}}, "must be a tensor"),
        ({"cfg": CFG, "state_dict": {"policy.x": torch.zeros(2).to_sparse()}}, "must be a tensor"),
        ({"cfg": {"embed_dim": 256}, "state_dict": {}}, "`cfg` holds embed_dim; it must hold"),
        ({"cfg": {**CFG, "embed_dim": 1 << 30}, "state_dict": {}}, "embed_dim to 4096"),
    ],
)
def test_foreign_content_is_refused(content: Any, said: str, tmp_path: Path) -> None:
    torch.save(content, tmp_path / "file")
    assert said in refused(tmp_path / "file")


def wrong_name(state: dict[str, Tensor]) -> None:
    state["obs_fusion_layer.bais"] = state.pop(BIAS)


def no_name(state: dict[str, Tensor]) -> None:
    del state[BIAS]


def wrong_shape(state: dict[str, Tensor]) -> None:
    state[BIAS] = torch.zeros(1).expand(257)


def vast_shape(state: dict[str, Tensor]) -> None:
    state[BIAS] = torch.zeros(1).expand(1 << 40)


def half_precision(state: dict[str, Tensor]) -> None:
    state[BIAS] = torch.zeros(256, dtype=torch.float16)


def no_number(state: dict[str, Tensor]) -> None:
    state[BIAS] = torch.full((1,), float("nan")).expand(256)


def acausal(state: dict[str, Tensor]) -> None:
    state["xattn_gpt.h.0.attn.bias"] = torch.ones(1).expand(1, 1, 512, 512)


def shifted_places(state: dict[str, Tensor]) -> None:
    state["xattn_gpt.position_ids"] = torch.arange(512) + 1


def twice(state: dict[str, Tensor]) -> None:
    state[f"policy.{BIAS}"] = state[BIAS]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            wrong_name,
            f"`{BIAS}` is missing (nearest: `obs_fusion_layer.bais`); `obs_fusion_layer.bais` is not",
        ),
        (no_name, f"`{BIAS}` is missing"),
        (wrong_shape, f"`{BIAS}` is float32 257, must be float32 256"),
        (vast_shape, f"`{BIAS}` is float32 {1 << 40}, must be float32 256"),
        (half_precision, f"`{BIAS}` is float16 256, must be float32 256"),
        (no_number, f"`{BIAS}` holds values that it cannot have"),
        (acausal, "`xattn_gpt.h.0.attn.bias` holds values that it cannot have"),
        (shifted_places, "`xattn_gpt.position_ids` holds values that it cannot have"),
        (twice, "`policy.obs_fusion_layer.bias` is not expected"),
    ],
)
def test_tensor_that_does_not_fit_is_refused(
    spoil: Callable[[dict[str, Tensor]], None], said: str, tmp_path: Path
) -> None:
    state = files.tensors()
    spoil(state)
    assert said in refused(files.save(tmp_path / "file", state))


def test_key_with_and_without_prefix_is_refused(tmp_path: Path) -> None:
    one = torch.zeros(1)
    torch.save({"cfg": CFG, "state_dict": {"policy.x": one, "x": one}}, tmp_path / "file")
    assert "both with and without the prefix" in refused(tmp_path / "file")


def test_other_size_is_refused_by_name(tmp_path: Path) -> None:
    path = files.save(tmp_path / "file", files.tensors("4M"), size="2M")
    assert "the tensors are those of size 4M, while `cfg` says 2M" in refused(path)


def test_refused_before_anything_of_its_size_is_allocated(tmp_path: Path) -> None:
    vast = replace(SIZES["2M"], embed_dim=4096, xf_n_layers=64)
    torch.save({"cfg": asdict(vast), "state_dict": {}}, tmp_path / "file")
    assert "and 1869 more of this kind" in refused(tmp_path / "file")
