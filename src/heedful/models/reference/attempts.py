"""Which of a turn's calls tried which requested step, and what is still to be tried."""

from __future__ import annotations

from heedful.models.reference.turn_view import Done, TurnView
from heedful.spec.command import Step

TRIES = 3
"""How often a step, an obligation or a reading is tried before it is given up."""
TO_A_PLACE = "walk_to"
"""The one motion that can be taken up again where a fault ended it."""


class Attempts:
    """The tries of each step of the turn's request."""

    def __init__(self, view: TurnView) -> None:
        self._steps = view.hint.request.steps
        self.by_step: list[list[Done]] = [[] for _ in self._steps]
        for done in view.actuations():
            self._assign(done)

    def is_done(self, position: int) -> bool:
        """Return whether a step was carried out, or begun in a way that cannot be taken up again."""
        return any(_counts(done) for done in self.by_step[position])

    def is_tried(self, position: int) -> bool:
        """Return whether a call tried the step."""
        return bool(self.by_step[position])

    def open_steps(self) -> list[int]:
        """Return the steps that wait: untried, or failed and worth another try, after what they depend on."""
        return [k for k, step in enumerate(self._steps) if self._is_open(k, step)]

    def _is_open(self, position: int, step: Step) -> bool:
        if self.is_done(position) or len(self.by_step[position]) >= TRIES:
            return False
        return step.after is None or self.is_done(step.after)

    def _assign(self, done: Done) -> None:
        for position, step in enumerate(self._steps):
            if _is_try(step, done) and not self.is_done(position):
                self.by_step[position].append(done)
                return


def _counts(done: Done) -> bool:
    return not done.is_error or (done.is_partial and done.tool != TO_A_PLACE)


def _is_try(step: Step, done: Done) -> bool:
    if step.tool != done.tool:
        return False
    return all(done.args.get(k) == v for k, v in step.args.items() if k != "speed_percent")
