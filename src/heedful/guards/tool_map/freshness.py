"""Whether results still bring anything new: stamps on a foreign clock, and pictures that repeat."""

from __future__ import annotations

DRIFT = 1e-4
"""How far two clocks may run apart [s/s]."""


class Freshness:
    """What one signal's stamps or pictures have been so far.

    A stamp is on the target's own clock. The smallest difference seen between a stamp and its arrival
    puts the two clocks together: a value can look older than it is by the quickest reply's delay, and
    one that is held back, repeated or stamped by a clock that was set back looks old.
    """

    def __init__(self) -> None:
        self.has_changed = False
        """Whether anything new has come since the first result."""
        self._token: float | str | None = None
        self._asked_s = 0.0
        self._first_seen_s = 0.0
        self._offset_s: float | None = None
        self._offset_at_s = 0.0

    def sampled_s(self, stamp_s: float, asked_s: float, now_s: float) -> float:
        """Return when a stamped value was taken, on the guard's clock and never later than `asked_s` [s].

        Args:
            stamp_s: The stamp, on the target's clock [s].
            asked_s: When the guard asked.
            now_s: When the result arrived.
        """
        offset = now_s - stamp_s
        if self._offset_s is not None:
            drifted = self._offset_s + DRIFT * max(0.0, now_s - self._offset_at_s)
            offset = min(offset, drifted)
        self._offset_s, self._offset_at_s = offset, now_s
        return min(asked_s, stamp_s + offset)

    def unchanged_s(self, token: float | str, asked_s: float, now_s: float) -> float:
        """Return how long the same stamp or picture has been coming [s].

        Args:
            token: What would change if something new had come.
            asked_s: When the guard asked; a result older than the newest one changes nothing.
            now_s: When the result arrived.
        """
        if self._token is None:
            self._token, self._asked_s, self._first_seen_s = token, asked_s, asked_s
        elif asked_s >= self._asked_s and _is_newer(token, self._token):
            self.has_changed = True
            self._token, self._first_seen_s = token, asked_s
        self._asked_s = max(self._asked_s, asked_s)
        return max(0.0, now_s - self._first_seen_s)


def _is_newer(token: float | str, than: float | str) -> bool:
    """Return whether a picture is another one, or a stamp a later one."""
    if isinstance(token, float) and isinstance(than, float):
        return token > than
    return token != than
