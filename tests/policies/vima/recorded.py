"""Comparing arrays with the samples that were recorded of the original's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

TOLERANCE = 1e-4


def difference(original: Mapping[str, Any], name: str, array: Any) -> float:
    """Return the largest difference of a whole array from the recorded samples of its twin."""
    sample = original["outputs"][name]
    flat = np.asarray(array, dtype=np.float64)
    assert list(flat.squeeze().shape) == [size for size in sample["shape"] if size != 1], name
    return float(np.abs(flat.reshape(-1)[sample["index"]] - sample["value"]).max())
