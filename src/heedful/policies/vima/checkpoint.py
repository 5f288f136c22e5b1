"""Reading official checkpoints: tensors only, checked before anything of their size is allocated.

A checkpoint is a pickle, and a pickle is a program. Only torch's restricted reader is used, which builds
tensors and plain containers and refuses everything else; there is no way around it.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError

import torch
from torch import Tensor

from heedful.errors import InputError
from heedful.policies.vima.config import VimaConfig, read_config
from heedful.policies.vima.keys import Layout, explain_mismatch
from heedful.policies.vima.model import VimaModel

MAX_BYTES = 4 * 2**30
"""Beyond every published file; the largest has 1.57 GB."""
MAX_PROGRAM_BYTES = 8 * 2**20
"""Of the pickle that says how the tensors lie in the file."""
SAFE_TORCH = (2, 10)
"""The first version whose restricted reader holds (CVE-2025-32434, CVE-2026-24747)."""
PREFIX = "policy."
"""What the official files put in front of every key."""
UNREADABLE = (
    UnpicklingError,
    RuntimeError,
    EOFError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    ImportError,
    OverflowError,
    MemoryError,
)
"""What torch's reader raises at damaged or foreign files."""


@dataclass(frozen=True, slots=True)
class CheckpointFacts:
    """What a record of a run says about the weights."""

    name: str
    """The file's name."""
    sha256: str
    size_bytes: int
    config: VimaConfig
    parameters: int
    """Numbers learned, tied ones counted once."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model ready to infer, and where it came from."""

    model: VimaModel
    facts: CheckpointFacts


def load_checkpoint(path: Path) -> LoadedModel:
    """Return the model of an official checkpoint, on the CPU.

    Raises:
        InputError: If the file is absent, damaged, no such checkpoint, holds code, or if a tensor is
            missing, surplus, of another shape or type, or not finite.
    """
    check_reader(path)
    check_archive(path)
    content = read_content(path)
    config = read_config(content["cfg"], f"checkpoint {path}")
    tensors = named_tensors(content["state_dict"], path)
    check_layouts(tensors, config, path)
    check_values(tensors, path)
    model = fill_model(config, tensors)
    parameters = sum(one.numel() for one in model.parameters())
    facts = CheckpointFacts(path.name, digest(path), path.stat().st_size, config, parameters)
    return LoadedModel(model, facts)


def check_reader(path: Path) -> None:
    """Raise InputError if torch is too old to be trusted with a file."""
    version = str(torch.__version__)
    if tuple(int(part) for part in version.split(".")[:2]) < SAFE_TORCH:
        needed = ".".join(map(str, SAFE_TORCH))
        raise InputError(
            f"checkpoint {path}: files can make torch {version} run code; needed: {needed} or later"
        )


def check_archive(path: Path) -> None:
    """Raise InputError unless the file is an archive of torch's of a possible size."""
    if not path.is_file():
        raise InputError(f"checkpoint {path}: no such file")
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(
            f"checkpoint {path}: it is not an archive that torch saved (1.6 or later): {error}"
        ) from error
    programs = [one for one in entries if one.filename.endswith("/data.pkl")]
    if len(programs) != 1:
        raise InputError(
            f"checkpoint {path}: the archive holds no checkpoint of torch's (no single `data.pkl`)"
        )
    packed = [one.filename for one in entries if one.compress_type != zipfile.ZIP_STORED]
    if packed:
        raise InputError(f"checkpoint {path}: `{packed[0]}` is compressed, which torch never does")
    size = sum(one.file_size for one in entries)
    if size > MAX_BYTES or programs[0].file_size > MAX_PROGRAM_BYTES:
        raise InputError(
            f"checkpoint {path}: unpacks to {size} bytes with a pickle of {programs[0].file_size}; allowed: "
            f"{MAX_BYTES} and {MAX_PROGRAM_BYTES}"
        )


def read_content(path: Path) -> Mapping[str, object]:
    """Return the checkpoint's two entries; its tensors stay in the file until they are needed."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except UNREADABLE as error:
        raise InputError(
            f"checkpoint {path}: refused; it is damaged or holds more than tensors and plain values, and "
            f"code in a file is never run: {first_sentence(error)}"
        ) from error
    if not isinstance(content, Mapping) or not {"cfg", "state_dict"} <= set(content):
        held = (
            ", ".join(sorted(map(str, content))) if isinstance(content, Mapping) else type(content).__name__
        )
        raise InputError(f"checkpoint {path}: holds {held or 'nothing'}; it must hold `cfg` and `state_dict`")
    return content


def first_sentence(error: BaseException) -> str:
    """Return what torch's reader found, without its advice to switch the protection off."""
    found = str(error.__context__ or error).strip().partition("\n")[0]
    return found.partition(". ")[0][:300] or type(error).__name__


def named_tensors(given: object, path: Path) -> dict[str, Tensor]:
    """Return the tensors by their names without the prefix."""
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise InputError(f"checkpoint {path}: `state_dict` must hold tensors by name")
    foreign = [key for key, value in given.items() if not is_plain_tensor(value)]
    if foreign:
        raise InputError(
            f"checkpoint {path}: `{foreign[0]}` is {type(given[foreign[0]]).__name__}, must be a tensor"
        )
    tensors = {key.removeprefix(PREFIX): value.detach() for key, value in given.items()}
    if len(tensors) != len(given):
        raise InputError(f"checkpoint {path}: a key is there both with and without the prefix {PREFIX!r}")
    return tensors


def is_plain_tensor(value: object) -> bool:
    """Return whether this is a dense tensor in memory."""
    return isinstance(value, Tensor) and value.layout is torch.strided and value.device.type == "cpu"


def check_layouts(tensors: Mapping[str, Tensor], config: VimaConfig, path: Path) -> None:
    """Raise InputError with everything that is wrong with names, shapes and types."""
    found = {
        key: Layout(tuple(one.shape), str(one.dtype).removeprefix("torch.")) for key, one in tensors.items()
    }
    faults = explain_mismatch(found, config)
    if faults:
        raise InputError(f"checkpoint {path}: the tensors do not fit size {config.size}: {'; '.join(faults)}")


def check_values(tensors: Mapping[str, Tensor], path: Path) -> None:
    """Raise InputError if a weight is not finite, or a fixed table is not what it must be."""
    for key, one in tensors.items():
        if key.endswith("position_ids"):
            is_good = torch.equal(one, torch.arange(len(one)))
        elif key.endswith(".attn.bias"):
            is_good = torch.equal(one[0, 0], torch.ones(one.shape[-2:]).tril())
        else:
            is_good = bool(torch.isfinite(one).all())
        if not is_good:
            raise InputError(f"checkpoint {path}: `{key}` holds values that it cannot have")


def fill_model(config: VimaConfig, tensors: Mapping[str, Tensor]) -> VimaModel:
    """Return a model with these tensors, copied out of the file."""
    with torch.device("meta"):
        model = VimaModel(config)
    copies = {key: one.clone(memory_format=torch.contiguous_format) for key, one in tensors.items()}
    model.load_state_dict(copies, strict=True, assign=True)
    model.requires_grad_(False).eval()
    return model


def digest(path: Path) -> str:
    """Return the file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
