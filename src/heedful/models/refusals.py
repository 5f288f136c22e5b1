"""What a provider's error answer means, in the package's own errors.

Pure: status and parsed body in, an exception (not raised) or a yes/no out. The wordings are those of
OpenAI, Anthropic, Gemini, OpenRouter, vLLM, llama.cpp, LM Studio and Ollama.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from heedful.errors import ContextOverflowError, CredentialError, ProviderError
from heedful.models.reading import as_list, as_object

_REASON_LIMIT = 300
_RETRIED = frozenset({408, 409, 425, 429})

_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|string_above_max_length"
    r"|maximum context length|maximum model length|context (?:window|size|length) (?:of|exceeded|limit)"
    r"|exceeds? (?:the |this model's )?(?:available |maximum )?context"
    r"|greater than the context length|context the overflows|context overflow"
    r"|prompt is too long|exceed context limit|exceeds the maximum number of tokens"
    r"|request_too_large|input is too long|too large for model"
)
_NO_CREDIT = re.compile(r"insufficient_quota|insufficient credit|credit balance|billing")
_BAD_KEY = re.compile(r"api_key_invalid|api key not valid|invalid_api_key|authentication_error")
_FILTERED = re.compile(
    r"content_filter|content management policy|content_policy_violation|invalid_prompt"
    r"|requires moderation|was flagged|usage policy"
)
_REFUSED = re.compile(
    r"unsupported|not support|deprecated|unrecognized|unknown (?:parameter|field|name)|not permitted"
    r"|extra inputs|not allowed|invalid parameter|cannot be (?:set|specified)|only the default|unexpected"
    r"|may only be|non-default|only (?:supports|accepts)|not (?:available|configurable)"
)


def read_failure(
    provider: str, status: int, body: Any, key_variables: Sequence[str] = ()
) -> ProviderError | CredentialError:
    """Return the error that a non-2xx answer stands for; the caller raises it."""
    words = _words(body)
    if status == 413 or (status in {400, 422, 500} and _OVERFLOW.search(words)):
        return ContextOverflowError(provider, _reason(body) or "the request is too large", status=status)
    if status == 401 or (status == 403 and not _FILTERED.search(words)) or _is_bad_key(status, words):
        names = " or ".join(key_variables) or "the key it wants"
        return CredentialError(f"{provider} refused the key (HTTP {status}). Set {names} in the environment.")
    return ProviderError(provider, _reason(body) or "the provider answered with an error", status=status)


def is_filtered(status: int, body: Any) -> bool:
    """Return whether an error answer is a content filter's refusal: the model's conduct, no fault."""
    return status in {400, 403} and _FILTERED.search(_words(body)) is not None


def is_worth_retrying(error: ProviderError) -> bool:
    """Return whether the same request may succeed later.

    An error without a status is a broken connection or answer, which may. An exhausted account may not.
    """
    if isinstance(error, ContextOverflowError) or _NO_CREDIT.search(error.reason.lower()):
        return False
    return error.status is None or error.status in _RETRIED or error.status >= 500


def refused_parameter(error: ProviderError, sent: Iterable[str]) -> str | None:
    """Return which of the `sent` parameters a 400 complains of, or None."""
    reason = error.reason.lower()
    if error.status not in {400, 422} or not _REFUSED.search(reason):
        return None
    named = [
        (match.start(), name) for name in sent if (match := re.search(rf"\b{re.escape(name)}\b", reason))
    ]
    return min(named)[1] if named else None


def in_band_status(body: Any) -> int | None:
    """Return the status of an error that came inside a 200 answer (OpenRouter), or None."""
    error = as_object(body).get("error")
    if not error:
        return None
    code = as_object(error).get("code")
    return code if isinstance(code, int) and not isinstance(code, bool) and 400 <= code <= 599 else 502


def _is_bad_key(status: int, words: str) -> bool:
    return status == 400 and _BAD_KEY.search(words) is not None


def _error_of(body: Any) -> Any:
    outer = as_object(body if not isinstance(body, list) else next(iter(as_list(body)), None))
    if isinstance(body, str):
        return body
    return outer.get("error") or outer.get("message") or outer.get("detail")


def _reason(body: Any) -> str:
    """Return the provider's own words on one line, its machine codes behind them."""
    error = _error_of(body)
    if isinstance(error, str):
        return " ".join(error.split())[:_REASON_LIMIT]
    fields = as_object(error)
    said = [fields.get("message"), *(fields.get(name) for name in ("code", "type", "status", "param"))]
    known = [text for text in said if isinstance(text, str) and text]
    if not known:
        return ""
    codes = f" ({', '.join(known[1:])})" if known[1:] else ""
    return " ".join(known[0].split())[:_REASON_LIMIT] + codes[:120]


def _words(body: Any) -> str:
    fields = as_object(_error_of(body))
    extra = [as_object(fields.get("metadata")).get("raw")]
    extra += [as_object(detail).get("reason") for detail in as_list(fields.get("details"))]
    return " ".join([_reason(body), *(text for text in extra if isinstance(text, str))]).lower()[:4_000]
