"""The page's section of clips: one short film of each kind of violation, inside the page itself."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from heedful.reports.markup import Markup, element

CLIP_LEAD = (
    "A violation of each kind on the simulated layer, replayed from its trace. Rings: the distances "
    "that rules speak of, from the robot's body; red marks a broken rule."
)


@dataclass(frozen=True, slots=True)
class Clip:
    """One short film, with the words that say what it shows."""

    session: str
    turn: str
    rule: str
    label: str
    why: str
    """One sentence of the judge's."""
    media_type: str
    data: bytes

    @property
    def caption(self) -> str:
        """Which session and turn, which rule, and why."""
        return f"{self.rule}, {self.label}. {self.session}, turn {self.turn}: {self.why}."


@dataclass(frozen=True, slots=True)
class ClipReel:
    """The clips of a report, and what is to be said where some are missing."""

    clips: tuple[Clip, ...] = ()
    note: str = ""


NO_CLIPS = ClipReel()


def clip_parts(reel: ClipReel) -> Sequence[Markup]:
    """Return what the section holds; nothing where there is nothing to film."""
    figures = [_figure(clip) for clip in reel.clips]
    parts = [element("div", *figures, class_="clips")] if figures else []
    return [*parts, *([element("p", reel.note, class_="note")] if reel.note else [])]


def _figure(clip: Clip) -> Markup:
    source = f"data:{clip.media_type};base64,{base64.b64encode(clip.data).decode('ascii')}"
    alt = f"Clip of the simulated robot: {clip.caption}"
    image = element("img", src=source, alt=alt, loading="lazy")
    opened = element("details", element("summary", f"{clip.rule}, {clip.label}"), image, open=True)
    return element("figure", opened, element("figcaption", clip.caption))
