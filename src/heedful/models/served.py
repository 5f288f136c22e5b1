"""A served model: one wire, one transport, one name. What `build.py` gets for a name users type.

`build_served_model` reads the key from the environment once, at building, so that a missing one is
told before anything runs. The only thing a `ServedModel` remembers between calls is which request
parameters its provider refused.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from heedful.errors import InputError, ProviderError
from heedful.models.anthropic import AnthropicWire
from heedful.models.backoff import RetryPolicy
from heedful.models.credentials import Secret, find_key
from heedful.models.gemini import GeminiWire
from heedful.models.json_text import dump_json
from heedful.models.ledger import Ledger
from heedful.models.message import ModelReply, ModelRequest
from heedful.models.names import PROVIDERS, ModelName, check_base_url, parse_model_name
from heedful.models.openai_compatible import OpenAICompatibleWire
from heedful.models.rate_limit import PROCESS_LIMITERS, Limiters, RateLimits
from heedful.models.refusals import in_band_status, is_filtered, read_failure, refused_parameter
from heedful.models.transport import MAX_BODY_BYTES, Answer, Timing, Transport
from heedful.models.wire import Wire
from heedful.version import __version__

_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class ServedOptions:
    """How a served model is reached; what it is asked is in the request."""

    timeout_s: float = 60.0
    """Of one attempt."""
    max_attempts: int = 5
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_in_flight: int = 8
    """Of all models of the provider that share their limiters."""
    max_body_bytes: int = MAX_BODY_BYTES
    base_url: str | None = None
    """Where the provider is reached instead, e.g. a company's gateway. The key is sent there."""
    is_local: bool = False
    """Whether the model runs on the user's own machine, so that its tokens cost nothing."""
    jitter_seed: int | None = None
    """Seed of the waits between attempts; None takes fresh entropy, so that processes spread out."""

    def __post_init__(self) -> None:
        wrong = [name for name in ("timeout_s", "max_attempts", "max_in_flight") if getattr(self, name) <= 0]
        rates = (self.requests_per_minute, self.tokens_per_minute)
        if wrong or any(rate is not None and rate <= 0 for rate in rates):
            raise InputError(f"Model option {', '.join(wrong) or 'rate per minute'} must be greater than 0.")


class ServedModel:
    """A model behind HTTP."""

    def __init__(
        self,
        name: ModelName,
        wire: Wire,
        transport: Transport,
        *,
        base_url: str,
        secret: Secret | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.name = name.text
        self._provider = PROVIDERS[name.provider]
        self._wire = wire
        self._transport = transport
        self._url = base_url + wire.path()
        self._secret = secret
        self._ledger = ledger
        self._dropped: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"ServedModel({self.name!r})"

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Return the model's answer to `request`.

        A request that fails because the model refuses a parameter it can do without (a reasoning
        model and `temperature`) is sent once more without it; the reply's note `dropped:NAME` says so.

        Raises:
            ProviderError: If the provider failed after all retries.
            ContextOverflowError: If the request was longer than the model's context.
            CredentialError: If the provider refused the key.
        """
        spent = 0
        while True:
            dropped = self._dropped
            try:
                answer = await self._ask(request)
            except ProviderError as error:
                spent += error.attempts
                parameter = refused_parameter(error, self._wire.droppable - dropped)
                if parameter is None:
                    self._note_failure(spent)
                    raise
                self._dropped |= {parameter}
                continue
            return self._finished(answer, dropped, spent)

    async def aclose(self) -> None:
        """Release connections; calling it twice is harmless."""
        await self._transport.aclose()

    async def _ask(self, request: ModelRequest) -> Answer[ModelReply]:
        content = dump_json(self._wire.encode(request, self._dropped))
        expected = len(content) // _BYTES_PER_TOKEN + request.max_output_tokens

        def read(status: int, body: Any) -> ModelReply:
            return self._read(status, body, request)

        answer = await self._transport.post(
            self._url, headers=self._headers(), content=content, tokens=expected, read=read
        )
        usage = answer.value.usage
        self._transport.settle(expected, usage.input_tokens + usage.output_tokens)
        return answer

    def _headers(self) -> Mapping[str, str]:
        own = {"content-type": "application/json", "accept-encoding": "identity"}
        return {**own, "user-agent": f"heedful/{__version__}", **self._wire.headers(self._secret)}

    def _read(self, status: int, body: Any, request: ModelRequest) -> ModelReply:
        code = (in_band_status(body) or status) if 200 <= status < 300 else status
        if 200 <= code < 300:
            return self._wire.decode(body, request)
        if is_filtered(code, body):
            return ModelReply("", finish="filtered")
        raise read_failure(self._provider.id, code, body, self._provider.key_variables)

    def _finished(self, answer: Answer[ModelReply], dropped: frozenset[str], spent: int) -> ModelReply:
        notes = tuple(f"dropped:{name}" for name in sorted(dropped))
        reply = replace(
            answer.value,
            latency_s=answer.latency_s,
            attempts=spent + answer.attempts,
            notes=(*answer.value.notes, *notes),
        )
        if self._ledger is not None:
            self._ledger.record_reply(self.name, reply)
        return reply

    def _note_failure(self, attempts: int) -> None:
        if self._ledger is not None:
            self._ledger.record_failure(self.name, attempts)


def build_served_model(
    name: str | ModelName,
    *,
    options: ServedOptions | None = None,
    ledger: Ledger | None = None,
    environ: Mapping[str, str] = os.environ,
    limiters: Limiters = PROCESS_LIMITERS,
    timing: Timing | None = None,
) -> ServedModel:
    """Return the model that `name` names; nothing is sent yet.

    Args:
        name: A name as in `names.py`, of any provider but `reference`.
        options: How it is reached.
        ledger: Where its calls are counted.
        environ: Where the key is looked up.
        limiters: The limiters it shares with other models of its provider.
        timing: Other clocks, for tests.

    Raises:
        InputError: If the name or an option cannot be used.
        CredentialError: If the provider needs a key that `environ` does not hold.
    """
    options = options or ServedOptions()
    parsed = parse_model_name(name) if isinstance(name, str) else name
    base_url = check_base_url(options.base_url) if options.base_url is not None else parsed.base_url
    if base_url is None:
        raise InputError(f"{parsed.text!r} is no served model.")
    provider = PROVIDERS[parsed.provider]
    secret = find_key(provider.id, provider.key_variables, environ, required=provider.needs_key)
    if ledger is not None and (options.is_local or parsed.is_own_machine):
        ledger.declare_local(parsed.text)
    limits = RateLimits(options.requests_per_minute, options.tokens_per_minute, options.max_in_flight)
    transport = Transport(
        provider.id,
        limiter=limiters.limiter_for(f"{provider.id} {base_url}", limits),
        rng=np.random.default_rng(options.jitter_seed),
        policy=RetryPolicy(max_attempts=options.max_attempts),
        timeout_s=options.timeout_s,
        max_body_bytes=options.max_body_bytes,
        secret=secret,
        trust_env=not replace(parsed, base_url=base_url).is_loopback,
        timing=timing,
    )
    return ServedModel(
        parsed, _choose_wire(parsed), transport, base_url=base_url, secret=secret, ledger=ledger
    )


def _choose_wire(name: ModelName) -> Wire:
    kind = PROVIDERS[name.provider].wire
    if kind == "anthropic":
        return AnthropicWire(name.provider, name.model)
    if kind == "gemini":
        return GeminiWire(name.provider, name.model)
    return OpenAICompatibleWire(name.provider, name.model, name.tools, name.demos)
