"""Make the README's screenshot: run the reference models and picture the report in headless Chromium.

Run: `make screenshot`. Needs chromium on the PATH.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(__file__).parent / "images" / "report.png"
QUIET = ("--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update")


def main() -> None:
    """Run heedful and take the picture."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("chromium is not installed")
    with tempfile.TemporaryDirectory() as name:
        run = Path(name) / "run"
        subprocess.run([sys.executable, "-m", "heedful", "run", "--out", str(run)], check=True)
        subprocess.run(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                *QUIET,
                f"--user-data-dir={name}/profile",
                "--window-size=1280,1500",
                "--hide-scrollbars",
                f"--screenshot={TARGET}",
                (run / "report.html").as_uri(),
            ],
            check=True,
        )
    print(TARGET)


if __name__ == "__main__":
    main()
