"""Reading the spec and the tool map again while the guard runs, on a person's word."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from heedful.guards.proxy.proxy import Proxy
from heedful.guards.proxy.rules import Rules

LONGEST_REASON = 400


class Reloader:
    """Puts new rules in force, or has motion refused while they cannot be read.

    The old rules are enforced until the new ones are whole, and go on being enforced where there are none.
    """

    def __init__(self, proxy: Proxy, read: Callable[[float], Rules], clock: Callable[[], float]) -> None:
        """Take the parts.

        Args:
            proxy: Whose rules they are.
            read: Reads the rules, at an instant of the guard's clock.
            clock: The guard's clock [s].
        """
        self._proxy, self._read, self._clock = proxy, read, clock
        self._alone = asyncio.Lock()

    async def reload(self, who: str) -> str:
        """Read the files again; return why they cannot be used, or an empty text."""
        gate = self._proxy.gate
        async with self._alone:
            try:
                rules = await asyncio.to_thread(self._read, self._clock())
                now_s = self._clock()
                gate.adopt(replace(rules, header=replace(rules.header, at_s=now_s)), who, now_s)
                self._proxy.renew()
                return ""
            except Exception as error:
                why = " ".join((str(error) or type(error).__name__).split())[:LONGEST_REASON]
                gate.distrust(why, who, self._clock())
                return why
            finally:
                self._proxy.monitor.look()
