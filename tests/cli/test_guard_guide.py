"""The guide's five minutes, word for word: draft, settle what it names, guard, see a walk slowed."""

from __future__ import annotations

import asyncio
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from mcp.client import Client
from tests.guards.proxy.processes import stdio

from heedful.errors import InputError
from heedful.guards.tool_map.load import parse_tool_map

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "guard.md").read_text(encoding="utf-8")
HEEDFUL = [sys.executable, "-m", "heedful"]


def command(begin: str) -> list[str]:
    """Return the guide's command that begins so, as this Python runs it."""
    line = next(line for line in GUIDE.splitlines() if line.startswith(begin))
    return [word for given in shlex.split(line) for word in (HEEDFUL if given == "heedful" else [given])]


def settled(draft: str) -> str:
    """Return the draft as the guide's reader leaves it."""
    line = re.search(r"```yaml\n(  human\.distance: .*)\n```", GUIDE)
    assert line is not None
    written, count = re.subn(r"(?m)^  human\.distance: .*$", line[1], draft)
    assert count == 1
    return written[: written.index("\nreview:\n")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the guide's draft was made."""
    folder = tmp_path_factory.mktemp("guide")
    done = subprocess.run(
        command("heedful guard init"), cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_draft_asks_for_what_the_guide_names_and_nothing_else(folder: Path) -> None:
    draft = (folder / "my-robot.yaml").read_text(encoding="utf-8")
    table = GUIDE[GUIDE.index("| point |") : GUIDE.index("```yaml")]
    named = [name for row in table.splitlines()[2:] for name in re.findall(r"`([^`]+)`", row.split(" | ")[0])]
    assert list(yaml.safe_load(draft)["review"]) == named
    with pytest.raises(InputError, match="open points"):
        parse_tool_map(draft)


def test_what_the_guide_settles_guards_and_a_walk_near_a_person_is_slowed(folder: Path) -> None:
    draft = folder / "my-robot.yaml"
    draft.write_text(settled(draft.read_text(encoding="utf-8")), encoding="utf-8")

    async def walk() -> str:
        guarded = stdio(command("heedful guard --spec iso10218-humanoid"))
        guarded.cwd = folder
        async with Client(guarded, mode="auto", read_timeout_seconds=60) as client:
            told = await client.call_tool("walk_to", {"x": 0.5, "y": 0.0, "speed_percent": 80})
            assert not told.is_error
            return "\n".join(part.text for part in told.content if part.type == "text")

    told = asyncio.run(walk())
    assert '"speed_percent":30' in told
    assert "[guard] clamp: S2" in told
