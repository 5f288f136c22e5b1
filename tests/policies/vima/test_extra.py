"""Says in the summary when VIMA's network was not tested."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("package", ["torch", "tokenizers", "cv2"])
def test_extra_vima_is_installed(package: str) -> None:
    pytest.importorskip(package, reason="needs the extra `vima`; the network was not tested")
