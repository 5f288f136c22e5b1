"""`heedful tabletop`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import orjson
from cyclopts import App, Parameter
from rich.console import Console
from rich.progress import track

from heedful.cli import DONE
from heedful.errors import InputError, StorageError
from heedful.labels.episode import EpisodeLabel, label_episode
from heedful.metrics.episodes import tally_episodes
from heedful.policies.registry import PolicyFiles
from heedful.rollout.needs import PICTURES, require
from heedful.rollout.plan import RolloutPlan
from heedful.state.tabletop.progress import Profile, Rule
from heedful.state.tabletop.scene import TASKS, Task
from heedful.trace.episode import encode_episode
from heedful.world.tabletop.spawn import Spawn

tabletop_app = App(name="tabletop", help="Episodes on the simulated table.", help_format="plaintext")

Tasks = Annotated[tuple[Task, ...], Parameter(consume_multiple=True, negative="")]
ENDINGS = (".gif", ".png")
MOST_WORKERS, MOST_EPISODES = 256, 1_000_000
SHOWN_SEEDS = 10
"""Seeds of episodes without success that are printed."""


@tabletop_app.command
def run(
    *,
    policy: str = "oracle",
    task: Tasks = TASKS,
    level: str = "placement",
    episodes: int = 150,
    seed: int = 0,
    rule: Rule = "centre",
    spawn: Spawn = "sound",
    profile: Profile = "vima",
    workers: int = 1,
    checkpoint: Path | None = None,
    tokenizer: Path | None = None,
    out: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Run episodes; print how many succeed, with a 95 % interval, and why the others do not.

    Parameters
    ----------
    policy
        Who acts: oracle, oracle_deepest, oracle_original, random, noop, or vima with its two files.
    task
        One or more of the four tasks; all when not given.
    level
        placement, combinatorial, novel_object, or a level file of yours.
    episodes
        Episodes of each task; their seeds follow each other.
    seed
        The first episode's seed.
    rule
        Success by the distance of centres as in the original, or by containment: strict.
    spawn
        sound draws scenes anew that could not be played fairly; original does not.
    profile
        vima hides the arm, paper shows it.
    workers
        Processes; results are the same with any number.
    checkpoint
        VIMA's official weights.
    tokenizer
        The tokenizer.json of t5-base.
    out
        A file for all episodes, JSON lines.
    json
        Print JSON instead of text.
    """
    require()
    _check_number("--episodes", episodes, MOST_EPISODES)
    _check_number("--workers", workers, MOST_WORKERS)
    files = PolicyFiles(checkpoint, tokenizer)
    plans = [RolloutPlan(name, level, policy, seed, episodes, rule, spawn, profile, files) for name in task]
    rows = []
    with _open(out) as file:
        for plan in plans:
            labels = _run_plan(plan, workers, file)
            rows.append({**_conditions(plan), **tally_episodes(labels).as_dict()})
            if not json:
                print(_line(plan, labels))
    if json:
        print(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
    return DONE


@tabletop_app.command
def render(
    task: Task,
    /,
    *,
    out: Path,
    policy: str = "oracle",
    level: str = "placement",
    seed: int = 0,
    rule: Rule = "centre",
    spawn: Spawn = "sound",
    profile: Profile = "vima",
    checkpoint: Path | None = None,
    tokenizer: Path | None = None,
) -> int:
    """Draw an episode: the prompt with its images, both views, their labels, each action.

    Parameters
    ----------
    task
        One of the four tasks.
    out
        The film's file, .gif, or .png for an animated PNG.
    policy
        Who acts.
    level
        placement, combinatorial, novel_object, or a level file of yours.
    seed
        The scene's seed.
    rule
        centre, or strict.
    spawn
        sound, or original.
    profile
        vima hides the arm, paper shows it.
    checkpoint
        VIMA's official weights.
    tokenizer
        The tokenizer.json of t5-base.
    """
    require(PICTURES)
    if out.suffix.lower() not in ENDINGS:
        raise InputError(f"A film of the table cannot end in {out.suffix!r}. Allowed: {', '.join(ENDINGS)}.")
    files = PolicyFiles(checkpoint, tokenizer)
    plan = RolloutPlan(task, level, policy, seed, 1, rule, spawn, profile, files)
    if plan.not_applicable:
        raise InputError(f"There is nothing to draw: {plan.not_applicable}.")
    frames = import_module("heedful.rollout.show").shoot_plan(plan)
    try:
        import_module("heedful.rollout.frames").write_film(frames, out)
    except OSError as error:
        raise StorageError(f"{out} cannot be written: {error}.") from error
    print(out)
    return DONE


def _run_plan(plan: RolloutPlan, workers: int, file: BinaryIO | None) -> list[EpisodeLabel]:
    """Run a plan's episodes, keep their records if asked, and return their labels."""
    run_plan = import_module("heedful.rollout.pool").run_plan
    console = Console(stderr=True)
    records = track(
        run_plan(plan, workers),
        plan.task,
        plan.episodes,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    labels = []
    for record in records:
        if file is not None:
            file.write(encode_episode(record))
        labels.append(label_episode(record, plan.rule))
    return labels


def _open(out: Path | None) -> AbstractContextManager[BinaryIO | None]:
    if out is None:
        return nullcontext()
    try:
        return out.open("wb")
    except OSError as error:
        raise StorageError(f"{out} cannot be written: {error}.") from error


def _line(plan: RolloutPlan, labels: Sequence[EpisodeLabel]) -> str:
    """Return what is printed of a plan."""
    tally = tally_episodes(labels)
    lines = [f"{plan.task}, {plan.level}, {plan.policy}: success {tally.success.format()}"]
    for why, count in (*tally.reasons.items(), *tally.causes.items()):
        lines.append(f"  {count} x {why}")
    failed = [
        str(seed)
        for seed, label in zip(plan.seeds, labels, strict=True)
        if label.outcome not in ("SUCCESS", "NOT_APPLICABLE")
    ]
    if failed:
        more = f" and {len(failed) - SHOWN_SEEDS} more" if len(failed) > SHOWN_SEEDS else ""
        lines.append(f"  seeds without success: {', '.join(failed[:SHOWN_SEEDS])}{more}")
    return "\n".join(lines)


def _conditions(plan: RolloutPlan) -> dict[str, Any]:
    return {
        "task": plan.task,
        "level": plan.level,
        "policy": plan.policy,
        "first_seed": plan.first_seed,
        "episodes": plan.episodes,
        "rule": plan.rule,
        "spawn": plan.spawn,
        "profile": plan.profile,
    }


def _check_number(option: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise InputError(f"{option} must be between 1 and {most}, not {value}.")
