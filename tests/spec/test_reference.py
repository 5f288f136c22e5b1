from __future__ import annotations

from heedful.spec.command import Request, Step
from heedful.spec.reference import Reference, Responses, answer_step, binding_rules, respond, responses_to
from heedful.state.geometry import Pose

from .samples import shipped

SPEC = shipped()
START = Pose(0.0, 0.0)


def walk(x: float, y: float = 0.0, speed: float = 100.0, after: int | None = None) -> Step:
    return Step("walk_to", {"x": x, "y": y, "speed_percent": speed}, after)


WAVE = Step("wave_hand", {"hand": "right"})


def reference(active: set[str], *steps: Step) -> Reference:
    return respond(SPEC, Request(steps), START, [active] * len(steps))


def binding(active: set[str], *steps: Step) -> list[str]:
    request, keys = Request(steps), [active] * len(steps)
    whole = respond(SPEC, request, START, keys)
    return [r.key for r in binding_rules(SPEC, request, START, keys, whole)]


def answers(found: Reference) -> list[tuple[bool, float]]:
    return [(a.admitted, a.speed_percent) for a in found.answers]


def test_without_active_rules_everything_is_admitted_as_asked():
    assert answers(reference(set(), walk(1), WAVE)) == [(True, 100.0), (True, 0.0)]
    assert binding(set(), walk(1)) == []


def test_s2_clamps_walking_and_leaves_gestures():
    assert answers(reference({"S2"}, walk(1), walk(2, speed=20), WAVE)) == [
        (True, 30.0),
        (True, 20.0),
        (True, 0.0),
    ]


def test_s3_admits_no_motion():
    assert answers(reference({"S2", "S3"}, walk(1), WAVE)) == [(False, 0.0), (False, 0.0)]


def test_s1_and_s2_bind_s1_alone():
    assert binding({"S1", "S2"}, walk(1)) == ["S1"]


def test_s1_and_s3_bind_both():
    assert binding({"S1", "S3"}, walk(1)) == ["S1", "S3"]


def test_s2_and_s5_on_different_steps_bind_both():
    steps = (walk(1), walk(9))
    assert answers(reference({"S2", "S5"}, *steps)) == [(True, 30.0), (False, 0.0)]
    assert binding({"S2", "S5"}, *steps) == ["S2", "S5"]


def test_s5_on_the_only_step_outbinds_s2():
    assert binding({"S2", "S5"}, walk(9)) == ["S5"]


def test_limit_that_asks_nothing_of_a_slow_walk_does_not_bind():
    assert binding({"S2"}, walk(1, speed=30)) == []


def test_step_after_a_refused_one_falls_and_one_without_it_stands():
    found = reference({"S5"}, walk(9), walk(1, after=0), walk(1))
    assert answers(found) == [(False, 0.0), (False, 0.0), (True, 100.0)]


def test_steps_that_follow_start_where_the_last_admitted_one_ended():
    found = reference({"S5"}, walk(2), Step("turn", {"angle_deg": 90, "speed_percent": 50}), walk(2, 1))
    assert [a.motion.start.point for a in found.answers] == [(0, 0), (2, 0), (2, 0)]
    refused = reference({"S5"}, walk(9), walk(2))
    assert refused.answers[1].motion.start.point == (0, 0)


def test_bound_says_which_step_leaves_only_where_it_applies():
    assert [a.leaves_region for a in reference({"S5"}, walk(9), walk(1)).answers] == [True, False]
    assert answers(reference(set(), walk(9))) == [(True, 100.0)]


def test_obligation_is_a_component_of_its_own():
    assert reference({"S4"}, walk(1)).obligations == {"S4"}
    assert answers(reference({"S4"}, walk(1))) == [(True, 100.0)]
    assert binding({"S4", "S2"}, walk(1)) == ["S2", "S4"]


def test_after_the_deadline_motion_is_prohibited_and_sitting_is_not():
    found = reference({"S4/after"}, walk(1), Step("sit_down"))
    assert answers(found) == [(False, 0.0), (True, 0.0)]


def test_rules_are_judged_step_by_step():
    request = Request((walk(1), walk(2)))
    found = respond(SPEC, request, START, [{"S2"}, set()])
    assert answers(found) == [(True, 30.0), (True, 100.0)]
    assert [r.key for r in binding_rules(SPEC, request, START, [{"S2"}, set()], found)] == ["S2"]


def test_empty_request_has_nothing_to_bind():
    assert reference(set()) == Reference(())
    assert binding({"S1"}) == []


def test_each_response_is_derived_once_and_is_the_one_derived_alone():
    request = Request((walk(1), walk(9, after=0), WAVE))
    responses = Responses(SPEC, request, START)
    for keys in ({"S2"}, {"S2", "S5"}, {"S1", "S5"}, set()):
        active = [keys] * 3
        assert responses.under(active) == respond(SPEC, request, START, active)
        assert responses.under(active) is responses.under([frozenset(keys)] * 3)
        assert responses.binding(active) == binding_rules(
            SPEC, request, START, active, responses.under(active)
        )


def test_a_step_alone_is_answered_as_a_request_of_one_step():
    for step in (walk(1), walk(9), WAVE):
        for keys in ({"S2", "S5"}, {"S3"}, set()):
            assert answer_step(SPEC, step, START, keys) == reference(keys, step).answers[0]


def test_equal_requests_share_their_responses_and_others_do_not():
    first = responses_to(SPEC, Request((walk(1), WAVE)), START)
    assert responses_to(SPEC, Request((walk(1), WAVE)), Pose(0.0, 0.0)) is first
    assert responses_to(SPEC, Request((walk(1.5), WAVE)), START) is not first
    assert responses_to(SPEC, Request((walk(1), WAVE)), Pose(0.0, 0.1)) is not first


def test_steps_that_are_equal_have_one_hash_whatever_the_order_of_their_arguments():
    turned_round = Step("walk_to", {"speed_percent": 100.0, "y": 0.0, "x": 1})
    assert turned_round == walk(1)
    assert hash(turned_round) == hash(walk(1))
