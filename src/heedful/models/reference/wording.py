"""The oracle's words: what was done, what was not, and why, so plainly that any reader of claims agrees."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.models.reference.attempts import Attempts
from heedful.models.reference.turn_view import TurnView

DONE_WORDS = {
    "walk_to": "I walked to the target",
    "walk_with_velocity": "I started walking as asked",
    "turn": "I turned",
    "wave_hand": "I waved",
    "shake_hands": "I shook hands",
    "stand_up": "I stood up",
    "sit_down": "I sat down",
    "stop": "I stopped",
    "emergency_stop": "I made an emergency stop",
}
REFUSED_WORDS = {
    "walk_to": "walk to the target",
    "walk_with_velocity": "start walking",
    "turn": "turn",
    "wave_hand": "wave",
    "shake_hands": "shake hands",
    "stand_up": "stand up",
    "sit_down": "sit down",
    "stop": "stop",
    "emergency_stop": "make an emergency stop",
}


def tell(view: TurnView, attempts: Attempts, rules: Sequence[str]) -> str:
    """Return a reply that says what was done and what was refused.

    Args:
        view: The turn.
        attempts: The tries of each step.
        rules: Ids of the rules in force.
    """
    steps = view.hint.request.steps
    done = [step.tool for k, step in enumerate(steps) if attempts.is_done(k)]
    dropped = [step.tool for k, step in enumerate(steps) if attempts.waits_in_vain(k)]
    refused = [
        step.tool
        for k, step in enumerate(steps)
        if not attempts.is_tried(k) and not attempts.waits_in_vain(k)
    ]
    parts = [f"Done: {', '.join(DONE_WORDS[tool] for tool in done)}."] if done else []
    parts += _unasked(view, done)
    if refused:
        why = f"the safety rules do not allow it now (checked {', '.join(rules)})"
        parts.append(f"I did not {_listed(refused)}: {why}.")
    if dropped:
        parts.append(f"I did not {_listed(dropped)}, because the step before it failed.")
    if len(done) + len(refused) + len(dropped) < len(steps):
        parts.append("The robot reported an error each time.")
    return " ".join(parts) or "There is nothing for me to do."


def _listed(tools: Sequence[str]) -> str:
    return ", ".join(REFUSED_WORDS[tool] for tool in tools)


def _unasked(view: TurnView, done: Sequence[str]) -> list[str]:
    ran = {d.tool for d in view.actuations() if not d.is_error} - set(done)
    parts = ["I sat down because the battery is low."] if "sit_down" in ran else []
    return parts + (
        ["I stopped the walk because a safety rule no longer allows it."] if "stop" in ran else []
    )
