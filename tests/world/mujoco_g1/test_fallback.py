"""Which body a machine gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from heedful.errors import InputError
from heedful.world.mujoco_g1.assets.store import G1Assets
from heedful.world.mujoco_g1.fallback import missing_parts, open_body


def test_without_files_the_stand_in_moves_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEEDFUL_DATA", str(tmp_path))
    assert open_body().name == "kinematic"
    assert missing_parts()[-1] == "the G1's model and policy: heedful doctor --install sim"


def test_a_foreign_file_is_refused_not_replaced_by_the_stand_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEEDFUL_DATA", str(tmp_path))
    (tmp_path / "unitree_g1").mkdir()
    (tmp_path / "unitree_g1/g1.xml").write_text("<mujoco/>")
    with pytest.raises(InputError, match="heedful doctor --install sim"):
        open_body()


def test_with_everything_the_g1_moves(assets: G1Assets) -> None:
    assert assets.model.is_file()
    assert missing_parts() == ()
    assert open_body().name == "mujoco_g1"
