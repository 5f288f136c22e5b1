"""From a shown prompt to the arrays that the model assembles: words, slots, and the pictures' objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heedful.errors import InputError
from heedful.policies.vima.crops import ObjectCrops, crop_objects, pad
from heedful.policies.vima.keys import PROMPT_POSITIONS
from heedful.policies.vima.tokenizer import Element, PromptTokenizer, Slot
from heedful.state.tabletop.observation import ShownImage, ShownPrompt
from heedful.state.tabletop.workspace import VIEWS, View

ImageObjects = Mapping[View, ObjectCrops]
"""The objects of one picture, by view."""


@dataclass(frozen=True, slots=True)
class PromptParts:
    """A prompt, ready for the model."""

    elements: tuple[Element, ...]
    images: tuple[ImageObjects, ...]
    """One for each slot, in the slots' order, padded to the same number of objects in each view."""


def read_prompt(prompt: ShownPrompt, tokenizer: PromptTokenizer) -> PromptParts:
    """Return a prompt's parts. Pictures that the text does not name are left out; it may name none.

    Raises:
        InputError: If a placeholder is unknown or has no picture, or the prompt is too long.
    """
    elements = tokenizer.split(prompt.template)
    images = pad_images(
        [crop_image(named_image(prompt, one.name)) for one in elements if isinstance(one, Slot)]
    )
    check_length(elements, images, prompt.template)
    return PromptParts(elements, images)


def named_image(prompt: ShownPrompt, name: str) -> ShownImage:
    """Return a placeholder's picture."""
    if name not in prompt.images:
        shown = ", ".join(sorted(prompt.images)) or "none"
        raise InputError(f"prompt {prompt.template!r}: no picture for {name!r}; there are: {shown}")
    return prompt.images[name]


def crop_image(image: ShownImage) -> ImageObjects:
    """Return the objects that a prompt's picture shows, by view."""
    object_ids = [one.id for one in image.objects]
    return {view: crop_objects(image.views[view], object_ids) for view in VIEWS}


def pad_images(images: Sequence[ImageObjects]) -> tuple[ImageObjects, ...]:
    """Return the pictures with as many objects in each view as the fullest one has there."""
    most = {view: max((len(one[view].seen) for one in images), default=0) for view in VIEWS}
    return tuple({view: pad(one[view], most[view]) for view in VIEWS} for one in images)


def check_length(elements: tuple[Element, ...], images: tuple[ImageObjects, ...], template: str) -> None:
    """Raise InputError if the prompt has more tokens than the model has places for."""
    tokens = len(elements) - len(images) + sum(len(crops.seen) for one in images for crops in one.values())
    if tokens > PROMPT_POSITIONS:
        raise InputError(f"prompt {template!r}: {tokens} tokens; the model takes at most {PROMPT_POSITIONS}")
