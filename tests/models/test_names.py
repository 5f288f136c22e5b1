from __future__ import annotations

import pytest

from heedful.errors import InputError, UnknownNameError
from heedful.models.names import ModelName, check_base_url, parse_model_name

LOCAL = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("openai/gpt-4o-mini", ("openai", "gpt-4o-mini", "https://api.openai.com/v1")),
        ("anthropic/claude-haiku-4-5", ("anthropic", "claude-haiku-4-5", "https://api.anthropic.com/v1")),
        (
            "google/gemini-2.5-flash",
            ("google", "gemini-2.5-flash", "https://generativelanguage.googleapis.com/v1beta"),
        ),
        ("ollama/qwen3:8b", ("ollama", "qwen3:8b", "http://127.0.0.1:11434/v1")),
        ("ollama/qwen3:8b@http://box:11434/v1/", ("ollama", "qwen3:8b", "http://box:11434/v1")),
        ("openrouter/meta/llama-4:free", ("openrouter", "meta/llama-4:free", "https://openrouter.ai/api/v1")),
        (f"openai-compatible/Qwen/Q2.5@{LOCAL}", ("openai-compatible", "Qwen/Q2.5", LOCAL)),
        (f"openai-compatible/model@q4@{LOCAL}", ("openai-compatible", "model@q4", LOCAL)),
        (f"openai-compatible/m+json@{LOCAL}", ("openai-compatible", "m", LOCAL, "json")),
        (f"openai-compatible/m+json+demos@{LOCAL}", ("openai-compatible", "m", LOCAL, "json", True)),
        ("ollama/m+json", ("ollama", "m", "http://127.0.0.1:11434/v1", "json")),
        ("reference/oracle", ("reference", "oracle", None)),
        ("reference/oracle+late@3", ("reference", "oracle+late@3", None)),
    ],
)
def test_names_are_taken_apart(text, parsed):
    assert parse_model_name(text) == ModelName(text, *parsed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpt-4o", "is not PROVIDER/MODEL"),
        ("openai/", "is not PROVIDER/MODEL"),
        ("inspect/openai/gpt-4o", "not installed yet"),
        ("openai-compatible/m", "needs the server's address"),
        ("openai/m@http://127.0.0.1:1/v1", "takes no address"),
        ("openai/m+json", "takes no '\\+' suffix"),
        (f"openai-compatible/m+jsno@{LOCAL}", "is not '\\+json' or"),
        (f"openai-compatible/m+demos@{LOCAL}", "is not '\\+json' or"),
        (f"openai-compatible/@{LOCAL}", "is no model name"),
        ("google/../secret", "is no model name"),
        ("openai/a b", "is no model name"),
        ("openai/a\nb", "is no model name"),
        ("openai/" + "m" * 300, "is no model name"),
        ("openai-compatible/m@http://", "is not http"),
        ("openai-compatible/m@http://host:99999/v1", "malformed"),
        ("openai-compatible/m@http://[::1/v1", "malformed"),
        ("openai-compatible/m@http://host/v1?key=1", "takes no '\\?'"),
        ("openai-compatible/m@http://ho st/v1", "spaces or characters"),
    ],
)
def test_bad_names_say_what_is_allowed(text, message):
    with pytest.raises(InputError, match=message):
        parse_model_name(text)


def test_an_unknown_provider_gets_the_nearest_ones():
    with pytest.raises(UnknownNameError, match="'anthropic'"):
        parse_model_name("antropic/claude")


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(InputError, match="user or password") as caught:
        parse_model_name("openai-compatible/m@http://me:hunter2@host/v1")
    assert "hunter2" not in str(caught.value)


def test_loopback_is_told_from_other_machines():
    assert parse_model_name("ollama/m").is_loopback
    assert not parse_model_name("ollama/m@http://10.0.0.2:11434/v1").is_loopback
    assert not parse_model_name("reference/oracle").is_loopback


def test_only_http_addresses_are_taken():
    with pytest.raises(InputError):
        check_base_url("file:///etc/passwd")
