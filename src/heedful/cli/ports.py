"""Ports as a user names them."""

from __future__ import annotations

from heedful.errors import InputError

HIGHEST_PORT = 65_535


def check_port(option: str, port: int) -> int:
    """Return a port that a socket can have; the system would take a larger one for another port.

    Args:
        option: The option that names it.
        port: What the user gave; 0 for any free one.

    Raises:
        InputError: If it is none.
    """
    if not 0 <= port <= HIGHEST_PORT:
        raise InputError(f"{option} takes a port from 0 (any free one) to {HIGHEST_PORT}, not {port}.")
    return port
