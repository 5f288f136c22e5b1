"""An episode played once more, as pictures."""

from __future__ import annotations

from PIL import Image

from heedful.policies.policy import Policy
from heedful.policies.registry import build_policy
from heedful.rollout.episode import policy_rng
from heedful.rollout.frames import draw_frame
from heedful.rollout.plan import RolloutPlan
from heedful.state.tabletop.progress import Rule
from heedful.state.tabletop.scene import TableScene
from heedful.world.tabletop.bench import Bench
from heedful.world.tabletop.spawn import draw_scene


def shoot_plan(plan: RolloutPlan) -> list[Image.Image]:
    """Return the frames of a plan's first episode."""
    scene = draw_scene(plan.task, plan.partition, plan.first_seed, plan.spawn)
    bench = Bench(plan.profile)
    try:
        return shoot_episode(bench, build_policy(plan.policy, plan.files), scene, plan.rule)
    finally:
        bench.close()


def shoot_episode(bench: Bench, policy: Policy, scene: TableScene, rule: Rule) -> list[Image.Image]:
    """Return a frame before each step, with the action that follows, and one of the end."""
    bench.begin(scene, rule)
    prompt = bench.show_prompt()
    policy.reset(prompt, bench, policy_rng(scene))
    frames: list[Image.Image] = []
    while bench.outcome is None:
        seen = bench.observe()
        action = policy.act(seen).action
        caption = (
            f"{scene.task}, {scene.level}, seed {scene.seed}: step {len(frames) + 1} of {scene.max_steps}"
        )
        frames.append(draw_frame(prompt, seen, action, caption))
        bench.act(action)
    ending = " ".join(part for part in (bench.outcome, bench.progress.failure) if part)
    return [*frames, draw_frame(prompt, bench.observe(), None, f"the end: {ending}")]
