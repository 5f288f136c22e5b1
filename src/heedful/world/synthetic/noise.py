"""Noise as a pure function of (seed, signal, turn, sample index).

Two models that read at different moments meet the same world, and a resumed session meets it again.
SplitMix64 (Steele, Lea and Flood 2014): integers only, hence the same on every machine.
"""

from __future__ import annotations

from hashlib import blake2b

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def noise_key(seed: int, signal: str, turn: int) -> int:
    """Return the 64-bit key of one signal in one turn."""
    text = f"{seed}|{signal}|{turn}".encode()
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little")


def uniform(key: int, index: int) -> float:
    """Return a number in [-1, 1) for one sample."""
    z = (key + (index + 1) * _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((z ^ (z >> 31)) >> 11) * 2.0**-52 - 1.0
