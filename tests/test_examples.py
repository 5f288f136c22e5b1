"""Examples run, and every command in the documentation exists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from heedful.cli import app, scenario_app, spec_app
from heedful.cli.guard import guard_app
from heedful.cli.tabletop import tabletop_app

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GROUPS = {"spec": spec_app, "scenario": scenario_app, "guard": guard_app, "tabletop": tabletop_app}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_something(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def commands(page: Path) -> list[list[str]]:
    text = page.read_text(encoding="utf-8")
    fenced = "\n".join(re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL))
    found = re.findall(r"(?:^|&& )heedful ([^\n&|>]+)", fenced, flags=re.MULTILINE)
    found += re.findall(r"`heedful ([^`]+)`", text)
    return [command.split() for command in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_documented_command_exists(page: Path) -> None:
    for words in commands(page):
        names = words[0].split("|")
        for name in names:
            assert name in [*app], f"{page.name}: heedful {' '.join(words)}"
        if words[0] == "guard" and len(words) > 1 and words[1].startswith("-"):
            continue
        if words[0] in GROUPS and len(words) > 1:
            for sub in words[1].split("|"):
                assert sub in [*GROUPS[words[0]]], f"{page.name}: heedful {' '.join(words)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_and_picture_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://)([^)#\s]+)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
    assert "FIGURES" not in text


def test_options_of_run_in_the_readme_are_options_of_run() -> None:
    help_text = subprocess.run(
        [sys.executable, "-m", "heedful", "run", "--help"], capture_output=True, text=True, check=True
    ).stdout
    for words in commands(ROOT / "README.md"):
        if words[0] == "run":
            for option in (word for word in words if word.startswith("--")):
                assert option in help_text
