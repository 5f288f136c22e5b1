"""One worker's tabletop: a model compiled once and what draws it, then episode after episode on it.

Below: `simulation`, `renderer`, the rules. Above: `env` and the rollout, which add a policy. It is also the
planner that scripted policies ask: it tries actions on a copied state.
"""

from __future__ import annotations

from collections.abc import Mapping

from heedful.errors import InputError
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.observation import ShownPrompt, TableObservation
from heedful.state.tabletop.progress import Foreseen, Outcome, Profile, Progress, Rule, TableState
from heedful.state.tabletop.rules import begin, judge
from heedful.state.tabletop.scene import TableScene
from heedful.world.tabletop.model import TabletopModel
from heedful.world.tabletop.prompt_pictures import show_prompt
from heedful.world.tabletop.renderer import Arm, TabletopRenderer
from heedful.world.tabletop.simulation import TableSimulation

ARMS: Mapping[Profile, Arm] = {"vima": "hidden", "paper": "visible"}


class Bench:
    """Episodes on one table; `begin` first, then `observe` and `act` in turn.

    Args:
        profile: Whether the arm is seen.
    """

    def __init__(self, profile: Profile = "vima") -> None:
        self.profile: Profile = profile
        self.table = TabletopModel()
        self.renderer = TabletopRenderer(self.table, ARMS[profile])
        self.simulation = TableSimulation(self.table)
        self._scene: TableScene | None = None

    def begin(self, scene: TableScene, rule: Rule = "centre") -> None:
        """Lay out a scene."""
        self._scene, self._rule, self._steps = scene, rule, 0
        self.simulation.reset(scene)
        self._progress = begin(scene)

    @property
    def scene(self) -> TableScene:
        """The scene as it was drawn."""
        if self._scene is None:
            raise InputError("The bench holds no scene yet; call `begin` first.")
        return self._scene

    @property
    def state(self) -> TableState:
        """The table now."""
        return self.simulation.state

    @property
    def progress(self) -> Progress:
        """How far the episode has come."""
        return self._progress

    @property
    def outcome(self) -> Outcome | None:
        """How the episode ended; None while it goes on."""
        if self._progress.is_success:
            return "SUCCESS"
        if self.state.lost:
            return "INVALID"
        if self._progress.failure:
            return "FAILURE"
        return "TIMEOUT" if self._steps >= self.scene.max_steps else None

    def observe(self) -> TableObservation:
        """Return what is seen now."""
        ids = tuple(found.id for found in self.scene.objects)
        return TableObservation(self.renderer.draw_views(), self.scene.end_effector, ids)

    def show_prompt(self) -> ShownPrompt:
        """Return the prompt with its pictures."""
        return show_prompt(self.renderer, self.scene.prompt)

    def act(self, action: TableAction) -> TableState:
        """Carry out an action and judge what came of it."""
        state = self.simulation.step(action)
        self._steps += 1
        self._progress = judge(self.scene, self._progress, state, self._rule)
        return state

    def foresee(self, action: TableAction) -> Foreseen:
        """Return what an action would lead to; the table itself stays as it is."""
        before = self.simulation.snapshot()
        state = self.simulation.step(action)
        self.simulation.restore(before)
        return Foreseen(state, judge(self.scene, self._progress, state, self._rule))

    def close(self) -> None:
        """Give back what draws."""
        self.renderer.close()
