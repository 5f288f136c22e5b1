from __future__ import annotations

import pytest

from heedful.spec.conditions import Condition
from heedful.spec.syntax import Call, Constant, Name, Other, names_in, walk

from .samples import small_spec

DISTANCE, FROZEN, POSTURE = Name("human.distance"), Name("camera.frozen"), Name("human.posture")
SIGNALS = small_spec(
    {
        "id": "A",
        "title": "a",
        "when": "true",
        "response": {"kind": "prohibit"},
        "source": {"standard": "s", "clause": "c"},
    }
).document.signals


def tree(text: str):
    return Condition(text, SIGNALS, {}).tree


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", Constant(True)),
        ("camera.frozen", FROZEN),
        ("!camera.frozen", Call("!_", (FROZEN,))),
        ("camera.frozen == false", Call("_==_", (FROZEN, Constant(False)))),
        ("human.distance < 1.5", Call("_<_", (DISTANCE, Constant(1.5)))),
        ("human.distance >= -0.25", Call("_>=_", (DISTANCE, Constant(-0.25)))),
        ("-human.distance < 0.0", Call("_<_", (Call("-_", (DISTANCE,)), Constant(0.0)))),
        ("human.posture != ''", Call("_!=_", (POSTURE, Constant("")))),
        ("human.posture == 'größer'", Call("_==_", (POSTURE, Constant("größer")))),
        (
            "human.posture in ['seated', 'lying']",
            Call("@in", (POSTURE, Other((Constant("seated"), Constant("lying"))))),
        ),
        (
            "human.distance + 2.0 * human.distance > 1.0",
            Call("_>_", (Call("_+_", (DISTANCE, Call("_*_", (Constant(2.0), DISTANCE)))), Constant(1.0))),
        ),
        (
            "camera.frozen ? human.distance < 1.0 : false",
            Call("_?_:_", (FROZEN, Call("_<_", (DISTANCE, Constant(1.0))), Constant(False))),
        ),
        ("human.posture.startsWith('s')", Call("startsWith", (POSTURE, Constant("s")))),
        (
            "camera.frozen || !camera.frozen && human.distance < 1.0",
            Call(
                "_||_",
                (
                    FROZEN,
                    Call("_&&_", (Call("!_", (FROZEN,)), Call("_<_", (DISTANCE, Constant(1.0))))),
                ),
            ),
        ),
    ],
)
def test_expression_is_decoded(text, expected):
    assert tree(text) == expected


def test_whole_numbers_stay_apart_from_doubles():
    literals = [n.value for n in walk(tree("300 < -129 || 1.0 < 2.0")) if isinstance(n, Constant)]
    assert [(type(v), v) for v in literals] == [(int, 300), (int, -129), (float, 1.0), (float, 2.0)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[0.5, 2.0].exists(t, human.distance < t)", "comprehension"),
        ("{'a': camera.frozen}['a']", "struct"),
        ("[camera.frozen][0]", "list"),
    ],
)
def test_names_inside_other_expressions_are_collected(text, kind):
    found = tree(text)
    assert {"human.distance", "camera.frozen"} & names_in(found)
    assert kind in {node.kind for node in walk(found) if isinstance(node, Other)}
