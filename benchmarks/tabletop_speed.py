"""How fast the tabletop runs with the oracle, beside the limits of the same machine at the same time.

An episode is: its scene drawn, laid out and at rest, the prompt's pictures, and each step with both views in
colour and segmentation, the last look included. Rounds of all four tasks, of bare `mj_step` on the episode's
own scene, and of bare drawing of that scene are interleaved in one process. Times are processor seconds of
this process: a software renderer works on several cores, and all of them count.

The original's figure is what was recorded once on a machine of this kind, and no ratio is made of it; for a
ratio the original has to run beside ours.
Run: `python benchmarks/tabletop_speed.py [--rounds N] [--episodes N]` (needs `heedful[tabletop]`).
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

from heedful.world.drawing.gl import choose_backend, open_context

choose_backend()  # before MuJoCo is imported, which makes the choice for its own renderer then

import cv2  # noqa: E402
import mujoco  # noqa: E402
import numpy as np  # noqa: E402

from heedful.policies.policy import Policy  # noqa: E402
from heedful.policies.registry import build_policy  # noqa: E402
from heedful.rollout.episode import policy_rng  # noqa: E402
from heedful.state.tabletop.scene import TASKS, Task  # noqa: E402
from heedful.state.tabletop.workspace import COLUMNS, ROWS, VIEWS  # noqa: E402
from heedful.world.tabletop.bench import Bench  # noqa: E402
from heedful.world.tabletop.spawn import draw_scene  # noqa: E402

ORIGINAL_S = 1.2
"""An episode of Visual Manipulation in the original, recorded on two shared cores with the same pictures."""
LEAST_SHARE = 0.5
STEPS, PICTURES = 1000, 20
T = TypeVar("T")


class Clock:
    """Processor seconds by what they were spent on."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)

    def time(self, what: str, run: Callable[[], T]) -> T:
        """Do something and note how long it took."""
        start = time.process_time()
        found = run()
        self.spent[what] += time.process_time() - start
        return found


class BareRenderer:
    """MuJoCo's own drawing of one view, in colour and then in ids, each read back; nothing else."""

    def __init__(self, model: Any, data: Any) -> None:
        self.gl = open_context(COLUMNS, ROWS)
        self.gl.make_current()
        kept = model.vis.quality.offsamples, model.vis.quality.shadowsize
        model.vis.quality.offsamples = model.vis.quality.shadowsize = 0
        self.context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        model.vis.quality.offsamples, model.vis.quality.shadowsize = kept
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self.context)
        self.scene, self.option = mujoco.MjvScene(model, maxgeom=200), mujoco.MjvOption()
        self.option.geomgroup[1] = 0
        self.scene.flags[[mujoco.mjtRndFlag.mjRND_SHADOW.value, mujoco.mjtRndFlag.mjRND_REFLECTION.value]] = 0
        self.eye = mujoco.MjvCamera()
        self.eye.type, self.eye.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, model.camera("top").id
        self.model, self.data, self.picture = model, data, np.empty((ROWS, COLUMNS, 3), np.uint8)

    def draw(self) -> None:
        """Draw once."""
        self.gl.make_current()
        place = mujoco.MjrRect(0, 0, COLUMNS, ROWS)
        every = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(self.model, self.data, self.option, None, self.eye, every, self.scene)
        for is_flat in (0, 1):
            self.scene.flags[
                [mujoco.mjtRndFlag.mjRND_SEGMENT.value, mujoco.mjtRndFlag.mjRND_IDCOLOR.value]
            ] = is_flat
            mujoco.mjr_render(place, self.scene, self.context)
            mujoco.mjr_readPixels(self.picture, None, place, self.context)


class Round:
    """What one round of episodes of one task took."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.episodes = self.steps = self.views = 0

    def play(self, bench: Bench, policy: Policy, task: Task, seed: int) -> None:
        """Play one episode."""
        clock = self.clock
        scene = clock.time("drawing scenes", lambda: draw_scene(task, "placement", seed))
        clock.time("physics", lambda: bench.begin(scene))
        self.steps += bench.simulation.physics.steps
        prompt = clock.time("prompts", bench.show_prompt)
        policy.reset(prompt, bench, policy_rng(scene))
        seen = clock.time("views", bench.observe)
        self.views += len(VIEWS)
        while bench.outcome is None:
            action = clock.time("policy", lambda before=seen: policy.act(before).action)
            at = bench.simulation.physics.steps
            clock.time("physics", lambda action=action: bench.act(action))
            self.steps += bench.simulation.physics.steps - at
            seen = clock.time("views", bench.observe)
            self.views += len(VIEWS)
        self.episodes += 1

    @property
    def seconds(self) -> float:
        """What all episodes took."""
        return sum(self.clock.spent.values())


def bare_steps(bench: Bench) -> float:
    """Return bare physics steps a second on the bench's scene, at rest."""
    model, spare = bench.table.model, mujoco.MjData(bench.table.model)
    mujoco.mj_copyData(spare, model, bench.table.data)
    return STEPS / spent(lambda: mujoco.mj_step(model, spare, STEPS))


def spent(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--episodes", type=int, default=20, help="of each task in a round")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    bench, policy = Bench(), build_policy("oracle")
    bare = BareRenderer(bench.table.model, bench.table.data)
    found: dict[Task, list[Round]] = {task: [] for task in TASKS}
    limits: dict[Task, list[tuple[float, float]]] = {task: [] for task in TASKS}
    for task in TASKS:
        Round().play(bench, policy, task, 0)
    for number in range(options.rounds):
        for task in TASKS:
            played = Round()
            for seed in range(options.episodes):
                played.play(bench, policy, task, 1000 * number + seed)
            found[task].append(played)
            drawn = spent(lambda: [bare.draw() for _ in range(PICTURES)])
            limits[task].append((bare_steps(bench), PICTURES / drawn))
    report(found, limits)


def report(found: dict[Task, list[Round]], limits: dict[Task, list[tuple[float, float]]]) -> None:
    middle = statistics.median
    print(f"MuJoCo {mujoco.__version__}, {os.environ.get('MUJOCO_GL', 'GL')}, load {os.getloadavg()[0]:.1f}")
    print(f"recorded of the original: {ORIGINAL_S} s an episode of visual_manipulation (not measured here)")
    for task, rounds in found.items():
        rate = [played.episodes / played.seconds for played in rounds]
        print(f"{task}: {middle(rate):.1f} episodes/s/core (best {max(rate):.1f}, worst {min(rate):.1f})")
        total = sum(played.seconds for played in rounds)
        shares = {
            what: sum(played.clock.spent[what] for played in rounds) / total for what in rounds[0].clock.spent
        }
        print("  of which " + ", ".join(f"{what} {share:.0%}" for what, share in shares.items()))
        steps = [played.steps / played.clock.spent["physics"] for played in rounds]
        views = [played.views / played.clock.spent["views"] for played in rounds]
        for what, ours, limit in (
            ("physics steps/s", steps, [pair[0] for pair in limits[task]]),
            ("views/s, colour and ids", views, [pair[1] for pair in limits[task]]),
        ):
            share = middle(mine / most for mine, most in zip(ours, limit, strict=True))
            verdict = "met" if share >= LEAST_SHARE else "NOT met here, now"
            print(
                f"  {what}: {middle(ours):,.0f} of a bare loop's {middle(limit):,.0f}: {share:.2f} "
                f"(at least {LEAST_SHARE}: {verdict})"
            )


if __name__ == "__main__":
    main()
