"""Where the files are that come with the program: icons, pages of help, stories, the paper's entry."""

from __future__ import annotations

from pathlib import Path


def asset(name: str) -> Path:
    """Where a file of `assets/` is: inside the package in a wheel, beside it in a checkout or an editable install."""
    package = Path(__file__).parent
    for folder in (package / "assets", package.parent / "assets"):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"the program was installed without its file assets/{name}")
