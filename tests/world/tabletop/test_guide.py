"""The guide's example runs as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("gymnasium", reason="needs the extra `tabletop`")
pytest.importorskip("mujoco", reason="needs the extra `tabletop`")

GUIDE = Path(__file__).parents[3] / "docs/guides/tabletop.md"


def test_the_guides_example_takes_a_step() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(example, names)  # noqa: S102 - our own guide
    assert names["info"] and "outcome" in names["info"]  # type: ignore[operator]  # noqa: PT018
    names["env"].close()  # type: ignore[attr-defined]
