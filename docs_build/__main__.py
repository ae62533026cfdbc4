"""Builds the documentation, with warnings as errors, and checks it: ``python -m docs_build [FOLDER]``.

The default folder is `build/site`; open its `index.html`. Needs ``pip install -e ".[docs]"``, and no network.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from sphinx.cmd.build import main as sphinx

from docs_build.check_site import main as check
from docs_build.sources import ROOT, write_sources


def build(site: Path) -> int:
    """Build the site in a folder, whose old content is removed, and return the exit code."""
    shutil.rmtree(site, ignore_errors=True)
    with TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        write_sources(source)
        settings = ["-c", str(ROOT / "docs_build"), "-d", f"{folder}/doctrees"]
        code = sphinx(["-q", "-W", "--keep-going", "-b", "html", *settings, str(source), str(site)])
    return code or check([str(site)])


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site")))
