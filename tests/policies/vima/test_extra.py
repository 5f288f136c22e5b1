"""Says in the summary when VIMA's network was not tested, and by which torch it was when it was."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("package", ["torch", "tokenizers", "cv2"])
def test_the_extra_is_whole_and_its_torch_safe_to_read_files_with(package: str) -> None:
    module = pytest.importorskip(package, reason="needs the extra `vima`; the network was not tested")
    if package == "torch":
        assert tuple(int(part) for part in module.__version__.split(".")[:2]) >= (2, 10)
    else:
        assert module.__version__
