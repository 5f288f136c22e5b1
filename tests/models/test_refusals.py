from __future__ import annotations

import pytest

from heedful.errors import ContextOverflowError, CredentialError, ProviderError
from heedful.models.refusals import (
    in_band_status,
    is_filtered,
    is_worth_retrying,
    read_failure,
    refused_parameter,
)


def openai_error(message: str, **fields: object) -> dict[str, object]:
    return {"error": {"message": message, **fields}}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (
            400,
            openai_error("Your messages are too many.", code="context_length_exceeded"),
        ),
        (400, openai_error("Your input exceeds the context window of this model.")),
        (
            400,
            openai_error("prompt is too long: 208310 tokens > 200000 maximum"),
        ),
        (400, openai_error("input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000")),
        (413, {"error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}),
        (413, "Payload Too Large"),
        (
            400,
            openai_error("The input token count (9) exceeds the maximum number of tokens allowed (1)."),
        ),
        (
            400,
            openai_error("the request exceeds the available context size"),
        ),
        (
            400,
            {
                "object": "error",
                "message": "The prompt (length 5000) is longer than the maximum model length of 4096.",
            },
        ),
        (400, {"error": "Trying to keep the first 5000 tokens when context the overflows."}),
        (400, openai_error("This endpoint's maximum context length is 8192 tokens.")),
    ],
)
def test_each_wording_of_an_overflow_is_known(status, body):
    error = read_failure("p", status, body)
    assert type(error) is ContextOverflowError
    assert not is_worth_retrying(error)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, openai_error("Incorrect API key provided: sk-123.", code="invalid_api_key")),
        (403, {"error": {"type": "permission_error", "message": "no access"}}),
        (400, openai_error("Not good.", details=[{"reason": "API_KEY_INVALID"}])),
    ],
)
def test_a_refused_key_names_the_variables_and_repeats_nothing(status, body):
    error = read_failure("google", status, body, ("A", "B"))
    assert type(error) is CredentialError
    assert str(error) == f"google refused the key (HTTP {status}). Set A or B in the environment."


@pytest.mark.parametrize(
    ("status", "body", "filtered"),
    [
        (400, openai_error("The response was filtered due to ...", code="content_filter"), True),
        (400, openai_error("Invalid prompt: your prompt was flagged", code="invalid_prompt"), True),
        (403, openai_error("meta/m requires moderation. Your input was flagged"), True),
        (403, openai_error("no access"), False),
        (500, openai_error("x", code="content_filter"), False),
        (400, openai_error("bad"), False),
    ],
)
def test_a_content_filter_is_no_fault_of_the_provider(status, body, filtered):
    assert is_filtered(status, body) is filtered


@pytest.mark.parametrize(
    ("status", "reason", "worth"),
    [
        (None, "cut", True),
        (408, "x", True),
        (409, "x", True),
        (429, "slow down", True),
        (529, "overloaded", True),
        (500, "x", True),
        (429, "You exceeded your current quota (insufficient_quota)", False),
        (400, "x", False),
        (404, "x", False),
        (302, "x", False),
        (200, "too large", False),
    ],
)
def test_what_is_worth_another_attempt(status, reason, worth):
    assert is_worth_retrying(ProviderError("p", reason, status=status)) is worth


SENT = ("temperature", "max_tokens", "seed")


@pytest.mark.parametrize(
    ("status", "reason", "name"),
    [
        (400, "Unsupported value: 'temperature' does not support 0.2 with this model.", "temperature"),
        (400, "'max_tokens' is not supported here. Use 'max_completion_tokens' instead.", "max_tokens"),
        (400, "`temperature` is deprecated for this model.", "temperature"),
        (400, "`temperature` may only be set to 1 when thinking is enabled.", "temperature"),
        (422, "Extra inputs are not permitted (seed)", "seed"),
        (400, "top_p is not supported", None),
        (400, "temperature must be at most 2", None),
        (500, "temperature is not supported", None),
    ],
)
def test_the_parameter_a_provider_complains_of_is_found(status, reason, name):
    assert refused_parameter(ProviderError("p", reason, status=status), SENT) == name


def test_errors_inside_a_good_answer_have_a_status():
    assert in_band_status({"error": {"code": 429, "message": "x"}}) == 429
    assert in_band_status({"error": {"code": "x"}}) == 502
    assert in_band_status({"error": "x"}) == 502
    assert in_band_status({"error": None, "choices": []}) is None
    assert in_band_status([]) is None


def test_a_reason_is_one_bounded_line():
    error = read_failure("p", 500, openai_error("a\n b" + "c" * 900, type="server_error"))
    assert isinstance(error, ProviderError)
    assert error.reason.startswith("a bccc")
    assert error.reason.endswith("(server_error)")
    assert len(error.reason) < 500
    plain = read_failure("p", 502, "<html>Bad\nGateway</html>")
    assert isinstance(plain, ProviderError)
    assert plain.reason == "<html>Bad Gateway</html>"
    assert (
        str(read_failure("p", 500, None))
        == "p: the provider answered with an error (HTTP 500) after 1 attempt(s)"
    )
