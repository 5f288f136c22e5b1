"""The pictures of the tests as records of the tabletop."""

from __future__ import annotations

from heedful.state.tabletop.observation import (
    ShownImage,
    ShownObject,
    ShownPrompt,
    TableObservation,
    TableView,
)

from . import pictures


def prompt(template: str = pictures.TEMPLATE) -> ShownPrompt:
    images = {name: image(name) for name in pictures.PROMPT_BOXES}
    return ShownPrompt(template, images)


def image(name: str) -> ShownImage:
    boxes = pictures.PROMPT_BOXES[name]
    views = {
        view: TableView(pictures.rgb(f"{name} {view}"), pictures.segm(found)) for view, found in boxes.items()
    }
    return ShownImage(views, tuple(ShownObject(one, "block", "red") for one in boxes["front"]))


def observation(step: int) -> TableObservation:
    boxes = pictures.STEP_BOXES[step]
    views = {
        view: TableView(pictures.rgb(f"step {step} {view}"), pictures.segm(found))
        for view, found in boxes.items()
    }
    return TableObservation(views, "suction", pictures.OBJECT_IDS)
