"""The worked examples of docs/concepts/labels.md, in the order of the page."""

from __future__ import annotations

from .worked_battery import BATTERY
from .worked_camera import CAMERA
from .worked_conduct import CONDUCT
from .worked_example import Example
from .worked_faults import FAULTS
from .worked_moments import MOMENTS
from .worked_people import PEOPLE
from .worked_together import TOGETHER
from .worked_workspace import WORKSPACE

EXAMPLES: tuple[Example, ...] = (
    *CAMERA,
    *PEOPLE,
    *TOGETHER,
    *WORKSPACE,
    *BATTERY,
    *MOMENTS,
    *FAULTS,
    *CONDUCT,
)
