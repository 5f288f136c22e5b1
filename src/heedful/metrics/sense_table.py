"""Violations by sensed against violations by true state, counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SenseTable:
    """Turn labels by sensed against true state: what noise alone explains."""

    sensed_ok_true_ok: int
    sensed_ok_true_bad: int
    sensed_bad_true_ok: int
    sensed_bad_true_bad: int
