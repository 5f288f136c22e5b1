"""The pictures in a prompt: an object alone before white, or a scene of its own, always without the arm.

They are drawn with the model and the context of the episode, which afterwards are as they were before.
"""

from __future__ import annotations

from heedful.state.tabletop.observation import ShownImage, ShownObject, ShownPrompt
from heedful.state.tabletop.scene import Prompt, PromptImage
from heedful.world.tabletop.renderer import Backdrop, Look, TabletopRenderer


def show_prompt(renderer: TabletopRenderer, prompt: Prompt) -> ShownPrompt:
    """Return a prompt with its pictures drawn."""
    with renderer.table.lent():
        images = {name: _show(renderer, image) for name, image in prompt.images.items()}
    return ShownPrompt(prompt.template, images)


def _show(renderer: TabletopRenderer, image: PromptImage) -> ShownImage:
    """Draw one picture; the table then holds its objects."""
    renderer.table.set_scene(image.objects, "suction")
    backdrop: Backdrop = "nothing" if image.kind == "object" else "table"
    views = renderer.draw_as(Look(backdrop=backdrop, magnification=image.magnification))
    shown = tuple(ShownObject(found.id, found.name, found.texture) for found in image.objects)
    return ShownImage(views, shown)
