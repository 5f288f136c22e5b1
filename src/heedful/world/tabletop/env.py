"""The tabletop as a Gymnasium environment: the original's dictionaries, Gymnasium's `reset` and `step`.

Below: `bench`. Rewards are 1 for the step that succeeds and 0 else; the original's are always 0.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.observation import TableObservation
from heedful.state.tabletop.progress import Outcome, Profile, Rule
from heedful.state.tabletop.scene import Task
from heedful.state.tabletop.workspace import COLUMNS, ROWS, VIEWS, X_RANGE, Y_RANGE
from heedful.world.tabletop.bench import Bench
from heedful.world.tabletop.spawn import Spawn, draw_scene

END_EFFECTORS = ("suction", "spatula")
"""Whose place is their number in `ee`."""
MOST_SEED = 2**31

Values = dict[str, Any]


class TabletopEnv(gymnasium.Env[Values, Values]):  # type: ignore[misc] # untyped where it is not installed
    """Episodes of one task at one level, each on a scene of its own.

    Observations: `rgb` of each view, shape (3, 128, 256); `segm` of each view, ids, shape (128, 256); `ee`, 0
    for the suction cup and 1 for the spatula. Actions: two places (x, y) on the table [m] and two rotations
    (x, y, z, w). `info` holds `prompt`, `success`, `failure`, `outcome` (empty while it goes on), `reason`.

    Args:
        task: Which of the four tasks.
        level: Which level of generalisation.
        spawn: Whether scenes that cannot be played fairly are drawn again.
        rule: What counts as success.
        profile: Whether the arm is seen.
        render_mode: `rgb_array`, or None.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's own declaration

    def __init__(
        self,
        task: Task = "visual_manipulation",
        level: str = "placement",
        *,
        spawn: Spawn = "sound",
        rule: Rule = "centre",
        profile: Profile = "vima",
        render_mode: str | None = None,
    ) -> None:
        self.task, self.level, self.spawn, self.rule = task, level, spawn, rule
        self.render_mode = render_mode
        self.bench = Bench(profile)
        self.action_space = _action_space()
        self.observation_space = _observation_space()
        self._seen: TableObservation | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Values, dict[str, Any]]:
        """Begin an episode on the scene of a seed, or of one drawn; `options["scene"]` may give the scene."""
        super().reset(seed=seed)
        scene = (options or {}).get("scene")
        if scene is None:
            drawn = int(self.np_random.integers(MOST_SEED)) if seed is None else seed
            scene = draw_scene(self.task, self.level, drawn, self.spawn)
        self.bench.begin(scene, self.rule)
        self._seen = self.bench.observe()
        return to_values(self._seen), self._info()

    def step(self, action: Values) -> tuple[Values, float, bool, bool, dict[str, Any]]:
        """Carry out an action."""
        self.bench.act(to_action(action))
        self._seen = self.bench.observe()
        outcome = self.bench.outcome
        is_cut_off = outcome == "TIMEOUT"
        is_over = outcome is not None and not is_cut_off
        return to_values(self._seen), float(outcome == "SUCCESS"), is_over, is_cut_off, self._info()

    def render(self) -> NDArray[np.uint8] | None:
        """Return the front view above the top view, shape (256, 256, 3); None without a render mode."""
        if self.render_mode is None or self._seen is None:
            return None
        return np.concatenate([self._seen.views[view].rgb for view in VIEWS])

    def close(self) -> None:
        """Give back what draws."""
        self.bench.close()

    def _info(self) -> dict[str, Any]:
        outcome: Outcome | None = self.bench.outcome
        return {
            "prompt": self.bench.scene.prompt.template,
            "success": self.bench.progress.is_success,
            "failure": bool(self.bench.progress.failure),
            "outcome": outcome or "",
            "reason": self.bench.progress.failure,
        }


def to_values(seen: TableObservation) -> Values:
    """Return an observation as the environment gives it: channels first."""
    return {
        "rgb": {view: np.ascontiguousarray(seen.views[view].rgb.transpose(2, 0, 1)) for view in VIEWS},
        "segm": {view: seen.views[view].segm for view in VIEWS},
        "ee": np.int64(END_EFFECTORS.index(seen.end_effector)),
    }


def to_action(values: Values) -> TableAction:
    """Return an action from the environment's dictionary."""
    parts = {name: tuple(map(float, values[name])) for name in _BOUNDS}
    return TableAction(**parts)  # type: ignore[arg-type] # lengths are those of the space


_PLACE = ((X_RANGE[0], Y_RANGE[0]), (X_RANGE[1], Y_RANGE[1]))
_ROTATION = ((-1.0,) * 4, (1.0,) * 4)
_BOUNDS = {
    "pose0_position": _PLACE,
    "pose0_rotation": _ROTATION,
    "pose1_position": _PLACE,
    "pose1_rotation": _ROTATION,
}


def _action_space() -> Dict:
    return Dict(
        {
            name: Box(np.array(low, np.float32), np.array(high, np.float32))
            for name, (low, high) in _BOUNDS.items()
        }
    )


def _observation_space() -> Dict:
    rgb = Box(0, 255, (3, ROWS, COLUMNS), np.uint8)
    segm = Box(0, 255, (ROWS, COLUMNS), np.uint8)
    return Dict(
        {
            "rgb": Dict(dict.fromkeys(VIEWS, rgb)),
            "segm": Dict(dict.fromkeys(VIEWS, segm)),
            "ee": Discrete(len(END_EFFECTORS)),
        }
    )
