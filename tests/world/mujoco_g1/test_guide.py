"""The guide's example, as printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from heedful.world.mujoco_g1.assets.store import G1Assets

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "simulation.md"


def test_the_guides_example_walks_and_sits(assets: G1Assets) -> None:
    assert assets.policy.is_file()
    found = re.search(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    done = subprocess.run([sys.executable, "-c", found[1]], capture_output=True, text=True, check=True)
    assert done.stdout.count("<TaskEnd.DONE: 'done'>") == 2
