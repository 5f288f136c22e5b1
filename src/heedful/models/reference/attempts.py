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

    def __init__(self, view: TurnView, steps: tuple[Step, ...] | None = None) -> None:
        """Assign each call to the first step that it tries.

        Args:
            view: The turn.
            steps: The steps, where they are not taken as requested.
        """
        self._steps = view.hint.request.steps if steps is None else steps
        self.by_step: list[list[Done]] = [[] for _ in self._steps]
        self.strays: list[Done] = []
        """Calls that tried no step."""
        for done in view.actuations():
            self._assign(done)

    def is_done(self, position: int) -> bool:
        """Return whether a step was carried out, or begun in a way that cannot be taken up again."""
        return any(_counts(done) for done in self.by_step[position])

    def is_tried(self, position: int) -> bool:
        """Return whether a call tried the step."""
        return bool(self.by_step[position])

    def waits_in_vain(self, position: int) -> bool:
        """Return whether the step it depends on was tried and could not be done."""
        after = self._steps[position].after
        return after is not None and self.is_tried(after) and not self.is_done(after)

    def open_steps(self) -> list[int]:
        """Return the steps that wait: untried, or failed by a fault, and after what they depend on."""
        return [k for k, step in enumerate(self._steps) if self._is_open(k, step)]

    def _is_open(self, position: int, step: Step) -> bool:
        tries = self.by_step[position]
        is_hopeless = len(tries) >= TRIES or any(not done.is_fault for done in tries)
        return (
            not is_hopeless
            and not self.is_done(position)
            and (step.after is None or self.is_done(step.after))
        )

    def _assign(self, done: Done) -> None:
        for position, step in enumerate(self._steps):
            if _is_try(step, done) and not self.is_done(position):
                self.by_step[position].append(done)
                return
        self.strays.append(done)


def _counts(done: Done) -> bool:
    return not done.is_error or (done.is_partial and done.tool != TO_A_PLACE)


def _is_try(step: Step, done: Done) -> bool:
    if step.tool != done.tool:
        return False
    return all(done.args.get(k) == v for k, v in step.args.items() if k != "speed_percent")
