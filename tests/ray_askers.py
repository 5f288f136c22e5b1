"""Two workers of a Ray cluster that ask one provider; run as `python -m tests.ray_askers`.

Prints how many worker processes took part.
"""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial
from typing import Any

from heedful.models.message import Message, ModelRequest
from heedful.models.served import ServedOptions, build_served_model
from heedful.models.shared_limits import SharedLimiters
from heedful.ray_cluster import Load, open_cluster


def ask(keeper: Any, url: str, rate: float, count: int, session: str) -> int:
    """Send requests one after the other; return this worker's process id."""

    async def talk() -> None:
        model = build_served_model(
            f"openai-compatible/m@{url}/v1",
            options=ServedOptions(requests_per_minute=rate),
            limiters=SharedLimiters(keeper, session),
        )
        for _ in range(count):
            await model.respond(ModelRequest((Message("user", "Hello."),), ()))
        await model.aclose()

    asyncio.run(talk())
    return os.getpid()


def main(url: str, rate: str, count: str) -> None:
    with open_cluster() as cluster:
        work = partial(ask, cluster.start_keeper(), url, float(rate), int(count))
        pids = {landed.result for landed in cluster.run_each(work, ["one", "two"], Load())}
    print(len(pids))


if __name__ == "__main__":
    main(*sys.argv[1:])
