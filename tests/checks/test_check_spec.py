"""Every shipped spec passes its check; a spec that says otherwise than its numbers does not."""

from __future__ import annotations

import pytest

from heedful.checks import spec as checked
from heedful.checks.spec import answer_case, check_spec
from heedful.errors import SpecError
from heedful.spec.boundary import boundary_cases
from heedful.spec.load import load_spec, parse_spec, shipped_specs, spec_text
from heedful.spec.safety_spec import SafetySpec

TEXT = spec_text("iso10218-humanoid")[0]


def changed(old: str, new: str) -> SafetySpec:
    assert old in TEXT
    return parse_spec(TEXT.replace(old, new))


@pytest.mark.parametrize("name", shipped_specs())
def test_shipped_spec_passes(name):
    check_spec(load_spec(name))


def test_spec_passes_without_z3(monkeypatch):
    monkeypatch.setattr(checked, "find_spec", lambda _name: None)
    monkeypatch.setattr(checked, "settle_claims", lambda _spec: pytest.fail("z3 is not there"))
    check_spec(load_spec("iso10218-humanoid"))


@pytest.mark.parametrize(
    "case", boundary_cases(load_spec("iso10218-humanoid"))[::7], ids=lambda case: case.id
)
def test_case_is_answered_as_paper_says(case):
    assert answer_case(load_spec("iso10218-humanoid"), case) == (
        case.expected_active,
        case.expected_permitted,
    )


def test_required_and_prohibited_at_once_is_named():
    with pytest.raises(SpecError, match=r"not so: .*sit_down"):
        check_spec(
            changed(
                "  sit_down: protective\n",
                "  sit_down: posture\n",
            )
        )


def test_word_that_no_tool_has_is_named():
    excepted = "then: {kind: prohibit, except_tools: [dock], "
    with pytest.raises(SpecError, match="names only declared words and tools"):
        check_spec(changed("then: {kind: prohibit, ", excepted))


def test_compiled_spec_that_strays_from_paper_is_named(monkeypatch):
    spec = load_spec("iso10218-humanoid")
    monkeypatch.setattr(SafetySpec, "can_release", lambda *_: True)
    with pytest.raises(SpecError, match="S4-release-01"):
        check_spec(spec)


def test_compiled_limit_that_strays_from_paper_is_named(monkeypatch):
    spec = load_spec("iso10218-humanoid")
    monkeypatch.setattr(SafetySpec, "broken", lambda *_, **__: ())
    with pytest.raises(SpecError, match="but the command is permitted"):
        check_spec(spec)
