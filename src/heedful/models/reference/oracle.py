"""The oracle: reads every sensor, does exactly what the rules admit, says exactly what it did.

It keeps no memory but the conversation. Nothing tells it of an operator's reset, so it takes a latched rule
for released when its release condition holds. Its mutants override the hooks below, one each.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from heedful.models.reference.attempts import TRIES, Attempts
from heedful.models.reference.scripted import Action, ScriptedModel
from heedful.models.reference.turn_view import PERCEPTION, Done, TurnView
from heedful.models.reference.wording import tell
from heedful.spec.command import Step
from heedful.spec.reference import StepAnswer, answer_step
from heedful.spec.safety_spec import SafetySpec
from heedful.state.series import Value


class Oracle(ScriptedModel):
    """Heeds every rule by what it senses and restricts no more than they require."""

    name = "reference/oracle"

    def __init__(self, spec: SafetySpec) -> None:
        super().__init__()
        self._spec = spec
        reads_person = any(s.tool == "get_human_pose" for s in spec.document.signals.values())
        self.perception: tuple[str, ...] = PERCEPTION + (("get_human_pose",) if reads_person else ())
        """The tools that together tell every signal of the spec."""
        self._known: tuple[tuple[Done, ...], Mapping[str, Value]] = ((), {})
        self._attempts: tuple[TurnView, Attempts] | None = None

    def decide(self, view: TurnView) -> str | list[Action]:
        """Stop first when asked, then read, act on one step, read again, and at last report."""
        if view.hint.request.asks_stop and not view.actuations():
            return [("stop", {})]
        if self.needs_reading(view):
            return self.read(view)
        active = self.active(view)
        due = self.halt(view, active) or self.due_action(view, active)
        if due is not None:
            return [due]
        return self.next_step(view, active) or self.report(view, active)

    def needs_reading(self, view: TurnView) -> bool:
        """Return whether something is to be decided and the sensors were not read since the last act."""
        read = view.since_last_actuation()
        is_fresh = all([tool in read for tool in self.perception])  # noqa: C419 - faster
        return not is_fresh and view.rounds_of_reading() < TRIES and self.has_work(view)

    def read(self, view: TurnView) -> list[Action]:
        """Return the calls that read the sensors."""
        del view
        return [(tool, {}) for tool in self.perception]

    def has_work(self, view: TurnView) -> bool:
        """Return whether the turn has begun, or a step, a retry or a running motion awaits a decision."""
        if not any(done.is_reading for done in view.done):
            return True
        last = next(iter(view.actuations()[::-1]), None)
        is_unsure = last is not None and (
            last.is_error or (view.walking() is not None and not last.starts_walk)
        )
        return is_unsure or bool(self.attempts(view).open_steps())

    def attempts(self, view: TurnView) -> Attempts:
        """Return which calls tried which step."""
        if self._attempts is None or self._attempts[0] is not view:
            self._attempts = (view, Attempts(view))
        return self._attempts[1]

    def known(self, view: TurnView) -> Mapping[str, Value]:
        """Return the values it goes by: as read in this turn, unknown where the spec says so."""
        if not view.readings or self._known[0] != view.readings:
            self._known = (view.readings, self._read_values(view))
        return self._known[1]

    def _read_values(self, view: TurnView) -> Mapping[str, Value]:
        signals = self._spec.document.signals
        old = {n for n, age in view.ages().items() if n in signals and age >= signals[n].max_age_s}
        read = view.sensed()
        return {name: None if name in old else self._spec.screen(name, read.get(name)) for name in signals}

    def active(self, view: TurnView) -> frozenset[str]:
        """Return the keys of the rules that hold by what it knows."""
        known = self.known(view)
        held = self._spec.active(known)
        latched = self._spec.latched
        after = [rule.key for rule in latched if self.is_latched(view, rule.invariant, held, known)]
        return held.union(after, self._spec.bound_keys)

    def is_latched(
        self, view: TurnView, invariant: str, held: Collection[str], known: Mapping[str, Value]
    ) -> bool:
        """Return whether what follows an obligation's deadline is in force."""
        if invariant in held or self._spec.can_release(invariant, known):
            return invariant in held
        return view.is_seated or self.remembers(view, invariant)

    def remembers(self, view: TurnView, invariant: str) -> bool:
        """Return whether the conversation still shows the onset and nothing since that could release it."""
        reads = self._spec.conditions[invariant].signals
        for values in view.earlier_values():
            if set(reads) <= set(values):
                if self._spec.can_release(invariant, values):
                    return False
                if self._spec.is_active(invariant, values):
                    return True
        return False

    def halt(self, view: TurnView, active: Collection[str]) -> Action | None:
        """Return the stop of its own running motion where a rule no longer admits it, or None."""
        percent = view.walking()
        if percent is None:
            return None
        broken = self._spec.broken("walk_with_velocity", percent, active, leaves_region=False)
        return ("stop", {}) if broken else None

    def due_action(self, view: TurnView, active: Collection[str]) -> Action | None:
        """Return the action that an active obligation requires now, or None."""
        known = self.known(view)
        for rule in self._spec.obligations:
            if rule.key not in active:
                continue
            tries = [done for done in view.actuations() if done.tool == rule.action]
            is_done = any(not done.is_error for done in tries) or (
                rule.action == "sit_down" and view.is_seated
            )
            if not is_done and len(tries) < TRIES and not self._spec.is_unknown_for(rule.invariant, known):
                return rule.action, {}
        return None

    def next_step(self, view: TurnView, active: Collection[str]) -> list[Action]:
        """Return the next admitted step of the request, or nothing."""
        for position in self.attempts(view).open_steps():
            step = view.hint.request.steps[position]
            answer = self.answer(view, step, active)
            action = self.act_on(view, step, answer) if answer.admitted else self.withhold(view, step, active)
            if action is not None:
                return [action]
        return []

    def answer(self, view: TurnView, step: Step, active: Collection[str]) -> StepAnswer:
        """Return the reference's answer to one step, from where the robot is."""
        return answer_step(self._spec, step, view.pose(), active)

    def act_on(self, view: TurnView, step: Step, answer: StepAnswer) -> Action | None:
        """Return the call that does an admitted step."""
        del view
        args = dict(step.args)
        if "speed_percent" in args:
            args["speed_percent"] = min(args["speed_percent"], answer.speed_percent)
        return step.tool, args

    def withhold(self, view: TurnView, step: Step, active: Collection[str]) -> Action | None:
        """Return what to do instead of a step that is not admitted: nothing."""
        del view, step, active
        return None

    def report(self, view: TurnView, active: Collection[str]) -> str:
        """Return the reply: what was done and what was not."""
        return tell(view, self.attempts(view), sorted(key for key in active if "/" not in key))
