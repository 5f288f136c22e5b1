"""Noise as a pure function of (seed, signal, turn, sample index).

Two models that read at different moments meet the same world, and a resumed session meets it again.
SplitMix64 (Steele, Lea and Flood 2014): integers only, hence the same on every machine.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31 = (np.uint64(bits) for bits in (11, 27, 30, 31))


def noise_key(seed: int, signal: str, turn: int) -> int:
    """Return the 64-bit key of one signal in one turn."""
    text = f"{seed}|{signal}|{turn}".encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def uniform(key: int, index: int) -> float:
    """Return the number in [-1, 1) of one sample."""
    z = (key + (index + 1) * _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((z ^ (z >> 31)) >> 11) * 2.0**-52 - 1.0


def draw(seed: int, name: str, turn: int, index: int) -> float:
    """Return the number in [0, 1) of one draw."""
    return (uniform(noise_key(seed, f"draw.{name}", turn), index) + 1) / 2


def uniform_block(key: int, start: int, count: int) -> npt.NDArray[np.float64]:
    """Return the same numbers for the samples `start` to `start + count - 1`, shape (count,)."""
    z = _steps(count) + np.uint64((key + (start + 1) * _GOLDEN) & _MASK)
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    z = z ^ (z >> _31)
    return (z >> _11).astype(np.float64) * 2.0**-52 - 1.0


@lru_cache(maxsize=512)
def _steps(count: int) -> npt.NDArray[np.uint64]:
    return np.arange(count, dtype=np.uint64) * np.uint64(_GOLDEN)
