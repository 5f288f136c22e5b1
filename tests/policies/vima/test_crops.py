from __future__ import annotations

import numpy as np
import pytest

from heedful.policies.vima.crops import crop_objects, crop_scene, pad
from heedful.state.tabletop.observation import TableView

from . import pictures

RGB = pictures.rgb("crops")


def view(boxes: pictures.Boxes) -> TableView:
    return TableView(RGB, pictures.segm(boxes))


def test_crop_of_32_by_32_pixels_is_copied() -> None:
    found = crop_objects(view({5: (10, 20, 32, 32)}), (5,))
    assert np.array_equal(found.crops[0], RGB[10:42, 20:52].transpose(2, 0, 1))
    assert found.boxes.tolist() == [[35, 25, 31, 31]]


def test_narrow_crop_is_made_square_with_black_around_it() -> None:
    found = crop_objects(view({5: (10, 20, 32, 15)}), (5,))
    assert not found.crops[0, :, :, :8].any()
    assert not found.crops[0, :, :, 23:].any()
    assert np.array_equal(found.crops[0, :, :, 8:23], RGB[10:42, 20:35].transpose(2, 0, 1))


def test_larger_crop_is_averaged() -> None:
    found = crop_objects(view({5: (0, 0, 64, 64)}), (5,))
    means = RGB[:64, :64].reshape(32, 2, 32, 2, 3).mean(axis=(1, 3))
    assert np.abs(found.crops[0].transpose(1, 2, 0) - means).max() <= 0.5


def test_hidden_object_moves_later_ones_up() -> None:
    all_shown = crop_scene(view({5: (0, 0, 9, 9), 6: (20, 20, 9, 9), 7: (40, 40, 9, 9)}), (5, 6, 7))
    one_hidden = crop_scene(view({5: (0, 0, 1, 1), 6: (20, 20, 9, 9), 7: (40, 40, 9, 9)}), (5, 6, 7))
    assert np.array_equal(one_hidden.boxes[:2], all_shown.boxes[1:])
    assert one_hidden.boxes[2].tolist() == [0, 0, 0, 0]
    assert one_hidden.seen.tolist() == [True, True, False]
    assert not one_hidden.crops[2].any()


@pytest.mark.parametrize(("pixels", "count"), [(1, 0), (2, 1)])
def test_object_needs_two_pixels(pixels: int, count: int) -> None:
    assert len(crop_objects(view({5: (0, 0, 1, pixels)}), (5,)).seen) == count


def test_view_that_shows_nothing_is_one_object() -> None:
    found = crop_scene(view({}), (5, 6))
    assert found.boxes.tolist() == [[128, 64, 128, 256], [0, 0, 0, 0]]
    assert found.seen.tolist() == [True, False]
    assert not found.crops[0, :, :8].any()
    assert found.crops[0, :, 8:24].all()


def test_prompt_picture_that_shows_nothing_has_no_object() -> None:
    assert len(crop_objects(view({}), (5, 6)).seen) == 0
    assert pad(crop_objects(view({}), (5,)), 2).seen.tolist() == [False, False]
