"""Parts of the network whose rules are known from elsewhere, and what holds beyond the recorded run."""

from __future__ import annotations

import torch

from heedful.policies.vima.action import likeliest, to_action, to_bins
from heedful.policies.vima.model import Tokens, VimaModel
from heedful.policies.vima.t5 import distance_buckets
from heedful.policies.vima.xattn_gpt import places
from heedful.state.tabletop.action import TableAction

from .weights import noise


def random_tokens(model: VimaModel, name: str, mask: list[bool]) -> Tokens:
    width = model.config.embed_dim
    values = torch.from_numpy(noise(name, len(mask) * width)).reshape(-1, width)
    return Tokens(values, torch.tensor(mask))


def test_distances_fall_into_t5s_buckets() -> None:
    distances = torch.tensor([0, -1, -7, -8, -11, -12, -127, -128, -500, 1, 7, 8, 64, 500])
    assert distance_buckets(distances).tolist() == [0, 1, 7, 8, 8, 9, 15, 15, 15, 17, 23, 24, 30, 31]


def test_places_count_what_is_there() -> None:
    mask = torch.tensor([[False, True, True, False, True]])
    assert places(mask).tolist() == [[0, 0, 1, 1, 2]]


def test_padding_changes_nothing(model: VimaModel) -> None:
    prompt = random_tokens(model, "prompt", [True] * 5)
    padded = Tokens(random_tokens(model, "other", [True] * 8).values, torch.arange(8) < 5)
    padded.values[:5] = prompt.values
    seen = random_tokens(model, "seen", [True, True, False, True])
    changed = Tokens(seen.values.clone(), seen.mask)
    changed.values[2] = 9.0
    action = random_tokens(model, "action", [True]).values[0]
    plain = model.predict(prompt, [seen, seen], [action])
    assert torch.allclose(plain, model.predict(padded, [seen, changed], [action]), atol=1e-5)
    assert not torch.allclose(plain[1], model.predict(prompt, [seen, seen], [action * 2])[1], atol=1e-3)


def test_later_steps_leave_earlier_ones_as_they_were(model: VimaModel) -> None:
    prompt = random_tokens(model, "prompt", [True] * 5)
    first, second = (random_tokens(model, name, [True, True, False, True]) for name in ("first", "second"))
    action = random_tokens(model, "action", [True]).values[0]
    alone = model.predict(prompt, [first], [])
    both = model.predict(prompt, [first, second], [action])
    assert torch.allclose(alone[0], both[0], atol=1e-5)


def test_black_pictures_are_encoded(model: VimaModel) -> None:
    crops = {view: torch.zeros(1, 2, 3, 32, 32, dtype=torch.uint8) for view in ("front", "top")}
    boxes = {view: torch.zeros(1, 2, 4, dtype=torch.int64) for view in ("front", "top")}
    tokens = model.obj_encoder(crops, boxes)
    assert tokens.shape == (1, 4, 256)
    assert torch.isfinite(tokens).all()


def test_bins_are_left_edges_of_the_workspace() -> None:
    last = {"pose0_position": (49, 99), "pose1_position": (0, 0)}
    turned = {"pose0_rotation": (0, 25, 49, 50), "pose1_rotation": (1, 2, 3, 4)}
    action = to_action({part: torch.tensor(one) for part, one in (last | turned).items()})
    rounded = [
        round(one, 6) for one in (*action.pose0_position, *action.pose1_position, *action.pose0_rotation)
    ]
    assert rounded == [0.74, 0.49, 0.25, -0.5, -1.0, 0.0, 0.96, 1.0]


def test_action_falls_into_bins_and_outside_ones_to_the_edge() -> None:
    bins = to_bins(TableAction((0.5, 0.0), (9.0, -9.0), (0.0, 0.0, 1.0, -1.0), (0.0, 0.0, 0.0, 1.0)))
    assert {part: one.tolist() for part, one in bins.items()} == {
        "pose0_position": [25, 50],
        "pose1_position": [49, 0],
        "pose0_rotation": [25, 25, 49, 0],
        "pose1_rotation": [25, 25, 25, 49],
    }


def test_likeliest_bins_are_taken_by_number() -> None:
    decoded = {"pose0_position": [torch.tensor([0.1, 0.9]), torch.tensor([0.3, 0.3, 0.4])]}
    assert likeliest(decoded)["pose0_position"].tolist() == [1, 2]
