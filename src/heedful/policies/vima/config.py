"""The seven sizes in which VIMA was published; a checkpoint says which one it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from heedful.errors import InputError

MAX_EMBED_DIM, MAX_LAYERS = 4096, 64
"""Beyond every published size; a file that asks for more is refused before anything is allocated."""


@dataclass(frozen=True, slots=True)
class VimaConfig:
    """What differs between the sizes."""

    embed_dim: int
    """Width of the tokens that the decoder works on."""
    xf_n_layers: int
    """Pairs of a cross-attention and a self-attention block."""
    sattn_n_heads: int
    """Heads of each self-attention block."""
    xattn_n_heads: int
    """Heads of each cross-attention block."""

    @property
    def size(self) -> str:
        """The published size's name, such as `200M`, or `custom`."""
        return next((name for name, config in SIZES.items() if config == self), "custom")


SIZES: Mapping[str, VimaConfig] = {
    "2M": VimaConfig(256, 1, 8, 8),
    "4M": VimaConfig(256, 2, 8, 8),
    "9M": VimaConfig(320, 3, 10, 10),
    "20M": VimaConfig(384, 4, 12, 12),
    "43M": VimaConfig(512, 5, 16, 16),
    "92M": VimaConfig(640, 7, 20, 20),
    "200M": VimaConfig(768, 11, 24, 24),
}
"""The published sizes, named by the parameters of their decoder."""


def read_config(given: object, where: str) -> VimaConfig:
    """Return the configuration that a checkpoint names.

    Raises:
        InputError: If an entry is absent, unknown, no whole number, or out of range.
    """
    names = [field.name for field in fields(VimaConfig)]
    if not isinstance(given, Mapping) or set(given) != set(names):
        held = ", ".join(sorted(map(str, given))) if isinstance(given, Mapping) else type(given).__name__
        raise InputError(f"{where}: `cfg` holds {held or 'nothing'}; it must hold {', '.join(names)}")
    wrong = [f"{name} = {given[name]!r}" for name in names if type(given[name]) is not int]
    if wrong:
        raise InputError(f"{where}: `cfg` must hold whole numbers; it has {', '.join(wrong)}")
    config = VimaConfig(**{name: given[name] for name in names})
    check_config(config, where)
    return config


def check_config(config: VimaConfig, where: str) -> None:
    """Raise InputError unless a model of this configuration can be built.

    The original shrinks nothing to fit: widths must be multiples of the heads.
    """
    values = asdict(config)
    if min(values.values()) < 1 or config.embed_dim > MAX_EMBED_DIM or config.xf_n_layers > MAX_LAYERS:
        raise InputError(
            f"{where}: `cfg` is {values}; allowed: at least 1 everywhere, embed_dim to {MAX_EMBED_DIM}, "
            f"xf_n_layers to {MAX_LAYERS}"
        )
    if config.embed_dim % config.sattn_n_heads or config.embed_dim % config.xattn_n_heads:
        raise InputError(f"{where}: `cfg` is {values}; embed_dim must be a multiple of both numbers of heads")
