from __future__ import annotations

import hashlib
from typing import Any

import pytest

from heedful.errors import InputError
from heedful.policies.vima.config import SIZES, VimaConfig, read_config
from heedful.policies.vima.keys import Layout, expected_layouts, explain_mismatch

GOOD = {"embed_dim": 256, "xf_n_layers": 1, "sattn_n_heads": 8, "xattn_n_heads": 8}


@pytest.mark.parametrize("size", SIZES)
def test_layout_is_the_originals(size: str, original: dict[str, Any]) -> None:
    layouts = expected_layouts(SIZES[size])
    rows = [f"{key} {list(one.shape)} {one.dtype}" for key, one in sorted(layouts.items())]
    assert len(rows) == original["sizes"][size]["entries"]
    assert hashlib.sha256("\n".join(rows).encode()).hexdigest() == original["sizes"][size]["sha256"]


def test_layers_that_would_change_nothing_are_absent() -> None:
    as_wide_as_t5 = expected_layouts(VimaConfig(768, 1, 8, 8))
    as_wide_as_actions = expected_layouts(VimaConfig(1024, 1, 8, 8))
    assert "t5_prompt_encoder_post_layer.weight" not in as_wide_as_t5
    assert "action_encoder._post_layer.weight" in as_wide_as_t5
    assert "t5_prompt_encoder_post_layer.weight" in as_wide_as_actions
    assert "action_encoder._post_layer.weight" not in as_wide_as_actions


def test_fitting_tensors_have_nothing_to_explain() -> None:
    assert explain_mismatch(expected_layouts(SIZES["4M"]), SIZES["4M"]) == ()


def test_misspelt_key_is_named_with_its_nearest() -> None:
    found = expected_layouts(SIZES["2M"])
    found["obs_fusion_layer.wieght"] = found.pop("obs_fusion_layer.weight")
    assert explain_mismatch(found, SIZES["2M"]) == (
        "`obs_fusion_layer.weight` is missing (nearest: `obs_fusion_layer.wieght`)",
        "`obs_fusion_layer.wieght` is not expected (nearest: `obs_fusion_layer.weight`)",
    )


def test_shape_and_type_are_named() -> None:
    found = expected_layouts(SIZES["2M"])
    found["end_effector_encoder.weight"] = Layout((2, 3))
    found["obs_fusion_layer.bias"] = Layout((256,), "float16")
    assert explain_mismatch(found, SIZES["2M"]) == (
        "`end_effector_encoder.weight` is float32 2x3, must be float32 2x2",
        "`obs_fusion_layer.bias` is float16 256, must be float32 256",
    )


def test_other_size_is_recognised_and_long_lists_are_cut() -> None:
    faults = explain_mismatch(expected_layouts(SIZES["4M"]), SIZES["2M"])
    assert faults[8:] == (
        "and 17 more of this kind",
        "the tensors are those of size 4M, while `cfg` says 2M",
    )


def test_config_is_read_and_named() -> None:
    config = read_config(GOOD, "here")
    assert (config, config.size) == (SIZES["2M"], "2M")
    assert read_config({**GOOD, "xf_n_layers": 3}, "here").size == "custom"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "holds list"),
        ({}, "holds nothing"),
        ({"embed_dim": 256}, "holds embed_dim; it must hold embed_dim, xf_n_layers"),
        ({**GOOD, "seed": 1}, "seed"),
        ({**GOOD, "embed_dim": 256.0}, "embed_dim = 256.0"),
        ({**GOOD, "xf_n_layers": True}, "xf_n_layers = True"),
        ({**GOOD, "xf_n_layers": 0}, "at least 1"),
        ({**GOOD, "embed_dim": 1 << 20}, "embed_dim to 4096"),
        ({**GOOD, "xf_n_layers": 65}, "xf_n_layers to 64"),
        ({**GOOD, "xattn_n_heads": 7}, "multiple of both"),
        ({**GOOD, "sattn_n_heads": 7}, "multiple of both"),
    ],
)
def test_impossible_config_is_refused(given: object, said: str) -> None:
    with pytest.raises(InputError, match="here: `cfg`") as caught:
        read_config(given, "here")
    assert said in str(caught.value)
