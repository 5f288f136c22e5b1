"""The model names users type, read into a record; nothing is opened or looked up here.

openai/gpt-4o-mini   anthropic/claude-haiku-4-5   google/gemini-2.5-flash   openrouter/META/MODEL
ollama/qwen3:8b                                   ollama/qwen3:8b@http://10.0.0.5:11434/v1
openai-compatible/NAME@http://127.0.0.1:8080/v1   vLLM, llama.cpp, LM Studio and their like
openai-compatible/NAME+json@URL                   tools in the prompt, answers as JSON
openai-compatible/NAME+json+demos@URL             with two worked demonstrations before it
reference/oracle                                  scripted models, built elsewhere
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import SplitResult, urlsplit

from heedful.errors import InputError, UnknownNameError

WireKind = Literal["openai", "anthropic", "gemini", "reference"]
ToolsMode = Literal["native", "json"]

_ADDRESS = re.compile(r"@(?=https?://)", re.IGNORECASE)
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@~-]{0,199}")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_EXAMPLE = "openai-compatible/NAME@http://127.0.0.1:8080/v1"


@dataclass(frozen=True, slots=True)
class Provider:
    """A family of models reached in one way."""

    id: str
    wire: WireKind
    base_url: str | None = None
    """Where it is reached; None if the name has to say."""
    key_variables: tuple[str, ...] = ()
    needs_key: bool = True
    is_addressable: bool = False
    """Whether a name may carry `@URL`. Never for a provider whose key would be sent there."""
    has_modes: bool = False
    """Whether a name may carry `+json`."""


PROVIDERS: Mapping[str, Provider] = {
    provider.id: provider
    for provider in (
        Provider("openai", "openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",)),
        Provider("anthropic", "anthropic", "https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",)),
        Provider(
            "google",
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta",
            ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ),
        Provider(
            "openrouter", "openai", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), has_modes=True
        ),
        Provider(
            "ollama",
            "openai",
            "http://127.0.0.1:11434/v1",
            needs_key=False,
            is_addressable=True,
            has_modes=True,
        ),
        Provider(
            "openai-compatible",
            "openai",
            key_variables=("OPENAI_COMPATIBLE_API_KEY",),
            needs_key=False,
            is_addressable=True,
            has_modes=True,
        ),
        Provider("reference", "reference", needs_key=False),
    )
}


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model name taken apart."""

    text: str
    """The name as typed."""
    provider: str
    model: str
    """What the provider calls the model, without suffixes and address."""
    base_url: str | None = None
    """Where it is reached, without a slash at the end; None for reference models."""
    tools: ToolsMode = "native"
    demos: bool = False

    @property
    def is_own_machine(self) -> bool:
        """Whether Ollama runs the model here, at no price; its `-cloud` models only pass through."""
        return self.provider == "ollama" and self.is_loopback and not self.model.endswith("-cloud")

    @property
    def is_loopback(self) -> bool:
        """Whether the address is this machine."""
        return self.base_url is not None and urlsplit(self.base_url).hostname in _LOOPBACK


def parse_model_name(text: str) -> ModelName:
    """Return the parts of a model name.

    Raises:
        UnknownNameError: If no provider has that name.
        InputError: If the name is not of a form listed in this module's docstring.
    """
    provider_id, slash, rest = text.partition("/")
    if not slash or not rest:
        raise InputError(f"Model name {text[:80]!r} is not PROVIDER/MODEL, e.g. 'openai/gpt-4o-mini'.")
    if provider_id == "inspect":
        raise InputError("Models named 'inspect/...' need the Inspect adapter, which is not installed yet.")
    if provider_id not in PROVIDERS:
        raise UnknownNameError("Model provider", provider_id[:80], PROVIDERS)
    provider = PROVIDERS[provider_id]
    if provider.wire == "reference":
        return ModelName(text, provider_id, rest)
    place = _split_address(provider, rest)
    model, _, suffix = place.named.partition("+")
    _check_suffix(provider, suffix)
    if _MODEL.fullmatch(model) is None or ".." in model:
        raise InputError(
            f"{model[:80]!r} is no model name: letters, digits and . _ : / @ ~ - only, at most 200 of them."
        )
    return ModelName(
        text, provider_id, model, place.base_url, "json" if suffix else "native", suffix == "json+demos"
    )


class _Place(NamedTuple):
    named: str
    base_url: str | None


def _split_address(provider: Provider, rest: str) -> _Place:
    parts = _ADDRESS.split(rest, maxsplit=1)
    if len(parts) == 1:
        if provider.base_url is None:
            raise InputError(f"A {provider.id} name needs the server's address: {_EXAMPLE}.")
        return _Place(rest, provider.base_url)
    if not provider.is_addressable:
        raise InputError(f"A {provider.id} name takes no address. For another server write {_EXAMPLE}.")
    return _Place(parts[0], check_base_url(parts[1]))


def check_base_url(address: str) -> str:
    """Return a server address without the slash at its end.

    The address itself is not repeated in an error: it may hold a password.

    Raises:
        InputError: If it is not http(s)://HOST[:PORT][/PATH], or carries a password, query or fragment.
    """
    if not address.isascii() or not address.isprintable() or " " in address:
        raise InputError("The server's address holds spaces or characters that no address has.")
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as error:
        raise InputError(f"The server's address is malformed; write it as in {_EXAMPLE}.") from error
    if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
        raise InputError(f"The server's address is not http(s)://HOST[:PORT]/PATH as in {_EXAMPLE}.")
    _refuse_extras(parts)
    return address.rstrip("/")


def _refuse_extras(parts: SplitResult) -> None:
    if parts.username is not None or parts.password is not None:
        raise InputError(
            "The server's address holds a user or password; names are stored in traces. Leave it out."
        )
    if parts.query or parts.fragment:
        raise InputError("The server's address takes no '?' or '#' part.")


def _check_suffix(provider: Provider, suffix: str) -> None:
    if suffix and not provider.has_modes:
        modal = ", ".join(sorted(one.id for one in PROVIDERS.values() if one.has_modes))
        raise InputError(f"{provider.id} takes no '+' suffix; '+json' and '+json+demos' are for {modal}.")
    if suffix not in {"", "json", "json+demos"}:
        raise InputError(f"Model suffix '+{suffix[:80]}' is not '+json' or '+json+demos'.")
