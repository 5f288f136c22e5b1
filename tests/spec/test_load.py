from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import InputError, SpecError, UnknownNameError
from heedful.spec.load import MAX_DEPTH, load_spec, parse_spec, parse_yaml, shipped_specs

from .samples import shipped_text

TEXT = shipped_text()
NEAR = '"human.distance < params.near_distance"'
WHEN_OF_S2 = TEXT[: TEXT.index(NEAR)].count("\n") + 1


def error_of(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        parse_spec(text, "my.yaml")
    return str(caught.value)


def with_condition(condition: str) -> str:
    return TEXT.replace(NEAR, f'"{condition}"')


@pytest.mark.parametrize("name", shipped_specs())
def test_every_shipped_spec_loads(name):
    assert load_spec(name).name == name


def test_both_specs_ship():
    assert {"iso10218-humanoid", "humanoid-context"} <= set(shipped_specs())


def test_file_loads_like_the_shipped_name(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT, encoding="utf-8")
    assert load_spec(str(path)).document == load_spec("iso10218-humanoid").document


def test_unknown_spec_names_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'iso10218-humanoid'"):
        load_spec("iso10218-humanoids")


def test_binary_and_missing_files_are_input_errors(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        load_spec(str(path))
    path.write_bytes(b"a" * 1_000_001)
    with pytest.raises(InputError, match="larger than"):
        load_spec(str(path))


def test_malformed_yaml_names_file_and_line():
    assert error_of("name: x\ntools: [a,\n").startswith("my.yaml: line 3, column 1: not valid YAML")


def test_wrong_field_names_file_line_and_field():
    broken = TEXT.replace("max: 30", "max: 300")
    line = broken[: broken.index("max: 300")].count("\n") + 1
    message = error_of(broken)
    assert message.startswith(f"my.yaml: line {line}: invariants.1.response.limit.max")
    assert "less than or equal to 100" in message


def test_unknown_field_is_refused():
    assert "Extra inputs are not permitted" in error_of(TEXT + "colour: red\n")


def test_unknown_signal_names_the_line_and_the_nearest():
    message = error_of(with_condition("human.distanse < 1.0"))
    assert message.startswith(f"my.yaml: line {WHEN_OF_S2}: invariant S2: Signal 'human.distanse'")
    assert "Did you mean 'human.distance'" in message


def test_unknown_parameter_names_the_nearest():
    assert "'params.near_distance'" in error_of(with_condition("human.distance < params.near_distanse"))


def test_release_condition_is_placed_at_its_own_line():
    broken = TEXT.replace('"battery.level >= params.recovered_battery"', '"battery.levels >= 20.0"')
    line = broken[: broken.index("battery.levels")].count("\n") + 1
    assert error_of(broken).startswith(f"my.yaml: line {line}: invariant S4: Signal 'battery.levels'")


def test_release_condition_may_not_read_a_command():
    broken = TEXT.replace("battery.level >= params.recovered_battery", "command.leaves_workspace")
    assert "reads a command" in error_of(broken)


def test_mixed_units_are_refused():
    assert "mixes units: [m] and [%]" in error_of(with_condition("human.distance < params.low_battery"))


def test_whole_number_gets_a_hint():
    assert "Write numbers with a decimal point" in error_of(with_condition("human.distance < 1"))


def test_condition_must_be_a_boolean():
    assert "must be a boolean" in error_of(with_condition("human.distance"))


def test_key_written_twice_is_refused():
    assert "my.yaml: line 2: the key 'name' is written twice" in error_of("name: a\nname: b\n")


def test_same_invariant_twice_is_refused():
    assert "ids must be unique: S1" in error_of(TEXT.replace("id: S2", "id: S1").replace("S5, S2]", "S5]"))


def test_precedence_of_unknown_invariants_is_refused():
    assert "unknown invariants: S9" in error_of(TEXT.replace("[S1, S3, S4, S5, S2]", "[S9]"))


@pytest.mark.parametrize("number", [".nan", ".inf", "-.inf"])
def test_numbers_must_be_finite(number):
    broken = TEXT.replace("near_distance: {value: 1.0", f"near_distance: {{value: {number}")
    assert "finite number" in error_of(broken)


def anchors_bomb() -> str:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("!!python/object/apply:os.system ['true']", "could not determine a constructor"),
        ("a: !!python/name:os.system", "could not determine a constructor"),
        (anchors_bomb(), "once its anchors are written out"),
        ("a: &a [*a]", "once its anchors are written out"),
        ("&a {b: *a}", "once its anchors are written out"),
        ("[" * 200_000, "nesting"),
        ("{a: " * 100_000, f"nested more than {MAX_DEPTH}"),
        ("\n".join(" " * depth + "a:" for depth in range(900)), f"nested more than {MAX_DEPTH}"),
        ("a: " + "9" * 6000, "not valid YAML"),
        ("a: 2001-99-99", "not valid YAML"),
        ("? [a]\n: b", "unhashable"),
        ("", "valid dictionary"),
        ("- 1", "valid dictionary"),
    ],
)
def test_malicious_yaml_is_refused_quickly(text, reason):
    start = time.process_time()
    assert reason in error_of(text)
    assert time.process_time() - start < 2


def test_deep_and_long_conditions_are_refused():
    assert "recursion" in error_of(with_condition("(" * 5000 + "camera.frozen" + ")" * 5000))
    assert "recursion" in error_of(with_condition("human.distance" + " + 1.0" * 500 + " < 2.0"))


@given(st.text(max_size=200))
def test_any_text_is_data_or_an_input_error(text):
    with contextlib.suppress(SpecError):
        parse_yaml(text, "x", SpecError)


def test_plain_anchors_and_merges_still_work():
    text = "base: &b {x: 1, y: 2}\nother: {<<: *b, y: 3}\n"
    assert parse_yaml(text, "x", SpecError) == {"base": {"x": 1, "y": 2}, "other": {"x": 1, "y": 3}}
