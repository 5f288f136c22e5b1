"""`heedful run`."""

from __future__ import annotations

import secrets
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from heedful.batch import Outcome, run_batch
from heedful.build import build_model
from heedful.call_ledger import read_ledger
from heedful.cli import DONE, GATE_FAILED, INCOMPLETE
from heedful.cli.stand_in import tell_stand_in
from heedful.errors import InputError
from heedful.film.clips import MOST_CLIPS, with_clips
from heedful.guards.registry import build_guard
from heedful.metrics.gates import parse_gate
from heedful.orchestrator.push import Push
from heedful.results import RunResult, read_results, write_reports
from heedful.run_config import Execution, RunConfig
from heedful.run_folder import RunFolder
from heedful.scenarios.resolve import variant_name
from heedful.spec.load import load_spec
from heedful.trace.writer import Durability
from heedful.world.mujoco_g1.pose import check_pose
from heedful.world.world import PoseSource, ProximitySource

Names = Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")]
DEFAULT = RunConfig()


def run(
    *,
    model: Names = None,
    context: Names = None,
    push: Names = None,
    scenario: Names = None,
    variants: int = 0,
    order: Literal["written", "shuffled"] = "written",
    spec: str = DEFAULT.spec,
    reps: int = DEFAULT.repetitions,
    seed: int = DEFAULT.seed,
    clock: Literal["turn", "wall"] = DEFAULT.clock,
    temperature: float = 0.2,
    max_calls: int = DEFAULT.max_calls,
    max_model_s: float = DEFAULT.max_model_s,
    max_output_tokens: int = DEFAULT.max_output_tokens,
    dispatch: Literal["mcp", "direct"] = DEFAULT.dispatch,
    layer: Names = None,
    guard: Names = None,
    proximity: ProximitySource = DEFAULT.proximity,
    pose: PoseSource = DEFAULT.pose,
    out: Path | None = None,
    resume: Annotated[bool, Parameter(negative="")] = False,
    workers: int | Literal["ray"] = 0,
    concurrency: int = 8,
    durability: Durability = "turn",
    fail_on: Names = None,
    clips: int = MOST_CLIPS,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Run sessions, label them and write a report.

    Without arguments: the nine reference models, full and window context, two repetitions of
    humanoid-100-v1; no key, no network, under a minute.

    Parameters
    ----------
    model
        Models, e.g. reference/oracle openai/gpt-4o-mini ollama/qwen3:8b
        openai-compatible/NAME@http://127.0.0.1:8080/v1.
    context
        Context policies: full, window, window-cached.
    push
        Sensor updates pushed into the conversation: none, change, turn.
    scenario
        Scenarios by name or file; NAME+g7 is a generated variant.
    variants
        Run this many seeded variants of each scenario instead of the scenario itself.
    order
        written, or shuffled: variants with their turns in another order; needs --variants.
    spec
        The safety spec by name or file.
    reps
        Repetitions of each arm; arms of a repetition meet the same world.
    seed
        Seed of the run.
    clock
        turn: only tool calls take time; wall: the model's latency too.
    temperature
        Sampling temperature of served models.
    max_calls
        Tool calls in one turn before the watchdog ends it.
    max_model_s
        Wall-clock time a served model may take in one turn.
    max_output_tokens
        Output tokens of one model call.
    dispatch
        mcp: tools over an in-memory MCP server; direct: the same tools without the protocol.
    layer
        Evaluation layers: text (synthetic sensors), sim (a simulated G1); arms of two layers pair.
    guard
        Guards between model and robot: off, on, or on@SIGNAL=MARGIN such as
        on@human.distance=0.1+1.6/s; arms with and without pair.
    proximity
        Where the simulated layer's distance to the nearest person comes from: geometry (true distance
        with the scenario's noise, fast) or depth (the head camera's depth picture, at 5 Hz).
    pose
        Where its idea of that person's posture, facing, age and handover comes from: scripted, geometry
        (the truth with errors measured of keypoints) or keypoints (MediaPipe in the head camera's picture).
    out
        The run's folder; a new one under runs/ when not given.
    resume
        Go on with the run in --out, with the settings it was begun with.
    workers
        Processes for scripted models; 0 takes one for each core. ray: a Ray cluster, for served models
        too: the one at RAY_ADDRESS, or a local one; --out must be on storage that every node sees.
    concurrency
        Sessions of served models at a time.
    durability
        turn: every turn is forced to disk; session: only the end of a session is.
    fail_on
        Gates such as 'violations > 0' or 'sps < 0.9'; a failed gate gives exit code 1.
    clips
        Clips of violations on the simulated layer in the page, at most.
    json
        Print the summary as JSON instead of tables.
    """
    gates = tuple(parse_gate(text) for text in fail_on or ())
    execution = Execution(workers, concurrency, durability, resume)
    execution.check()
    folder = _folder(out, resume=resume)
    if not resume:
        config = RunConfig(
            models=_split(model) or DEFAULT.models,
            contexts=_split(context) or DEFAULT.contexts,
            pushes=_pushes(push),
            guards=_split(guard) or DEFAULT.guards,
            layers=_split(layer) or DEFAULT.layers,
            scenarios=_variants(_split(scenario) or DEFAULT.scenarios, variants, seed, order),
            spec=spec,
            repetitions=reps,
            seed=seed,
            clock=clock,
            temperature=temperature,
            max_calls=max_calls,
            max_model_s=max_model_s,
            max_output_tokens=max_output_tokens,
            dispatch=dispatch,
            proximity=proximity,
            pose=pose,
        )
        config.check()
        _check_models(config)
        if "sim" in config.layers:
            check_pose(config.pose)
        folder.create(config)
        if "sim" in config.layers:
            tell_stand_in()
    try:
        outcome = _run(folder, execution, quiet=json)
    except KeyboardInterrupt:
        print(f"heedful: interrupted; finished turns are kept. {_how_to_resume(folder)}", file=sys.stderr)
        return INCOMPLETE
    result = with_clips(read_results(folder, gates=gates), clips)
    write_reports(folder, result)
    return _tell(folder, outcome, result, as_json=json)


def _folder(out: Path | None, *, resume: bool) -> RunFolder:
    if out is not None:
        return RunFolder(out)
    if resume:
        raise InputError("--resume needs --out DIR: the folder of the run to go on with.")
    return RunFolder(Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}")


def _check_models(config: RunConfig) -> None:
    """Build every model and guard once, so that a mistyped name leaves no folder behind."""
    spec = load_spec(config.spec)
    spec.require_judged()
    for name in config.models:
        build_model(name, spec)
    for name in config.guards:
        build_guard(name, spec)


def _split(names: list[str] | None) -> tuple[str, ...]:
    return tuple(part for name in names or () for part in name.split(",") if part)


def _variants(names: tuple[str, ...], count: int, seed: int, order: str) -> tuple[str, ...]:
    if not 0 <= count <= 100_000:
        raise InputError(f"--variants must be between 0 and 100000, not {count}.")
    if count == 0 and order == "written":
        return names
    if count == 0:
        raise InputError("--order shuffled needs --variants N with N of at least 1.")
    if not 0 <= seed <= 10**9 - count:
        raise InputError(f"--seed must be between 0 and {10**9 - count} with --variants, not {seed}.")
    is_shuffled = order == "shuffled"
    return tuple(variant_name(n, seed + k, is_shuffled=is_shuffled) for n in names for k in range(count))


def _pushes(names: list[str] | None) -> Any:
    pushes: tuple[Push | str, ...] = _split(names) or DEFAULT.pushes
    return pushes


def _run(folder: RunFolder, execution: Execution, *, quiet: bool) -> Outcome:
    config = folder.config()
    turns = {name: len(folder.scenario(k).turns) for k, name in enumerate(config.scenarios)}
    total = sum(turns[cell.scenario] for cell in config.cells())
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as progress:
        task = progress.add_task("turns", total=total)
        return run_batch(folder, execution, lambda count: progress.advance(task, count))


def _tell(folder: RunFolder, outcome: Outcome, result: RunResult, *, as_json: bool) -> int:
    if as_json:
        sys.stdout.buffer.write(result.json_bytes() + b"\n")
    else:
        result.print_tables(Console(), folder.path)
        _tell_paid(folder)
    for problem in outcome.problems:
        print(f"heedful: {problem}", file=sys.stderr)
    if not outcome.is_complete:
        left = outcome.expected - outcome.finished
        print(
            f"heedful: {left} of {outcome.expected} sessions did not end. {_how_to_resume(folder)}",
            file=sys.stderr,
        )
        return INCOMPLETE
    return GATE_FAILED if result.failed_gates else DONE


def _tell_paid(folder: RunFolder) -> None:
    for model, paid in read_ledger(folder.sessions).by_model().items():
        print(
            f"{model}: {paid.calls} calls in {paid.attempts} attempts, {paid.input_tokens} input tokens "
            f"({paid.cached_input_tokens} cached), {paid.output_tokens} output tokens, "
            f"cost {paid.cost_text}; turns that ran twice are counted twice."
        )


def _how_to_resume(folder: RunFolder) -> str:
    return f"Go on with: heedful run --resume --out {folder.path}"
