from __future__ import annotations

import pickle

import pytest

from heedful.errors import CredentialError
from heedful.models.credentials import Secret, find_key, redact


def test_the_first_variable_that_is_set_counts():
    found = find_key("google", ("A", "B"), {"A": "  ", "B": "key-b\n"}, required=True)
    assert found is not None
    assert found.reveal() == "key-b"


def test_a_missing_key_names_the_variables():
    with pytest.raises(CredentialError, match=r"google needs a key. Set A or B in the environment."):
        find_key("google", ("A", "B"), {}, required=True)
    assert find_key("ollama", (), {}, required=False) is None


@pytest.mark.parametrize("value", ["sk-1\nsk-2", "sk ü", "a b", "a\x00b"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_repeated(value):
    with pytest.raises(CredentialError, match="The key in A holds") as caught:
        find_key("openai", ("A",), {"A": value}, required=True)
    assert value not in str(caught.value)


def test_a_secret_does_not_show_and_does_not_travel():
    secret = Secret("sk-very-secret")
    assert "very" not in f"{secret} {secret!r} {[secret]}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)


def test_redaction_cuts_the_key_out():
    assert redact(b"no sk-secret here", Secret("sk-secret")) == b"no [redacted] here"
    assert redact(b"a b", Secret("a")) == b"a b"
    assert redact(b"a b", None) == b"a b"
