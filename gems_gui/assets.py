"""Paths of the files that come with the program: icons, help pages, stories, the BibTeX entry of the paper."""

from __future__ import annotations

from pathlib import Path


def asset(name: str) -> Path:
    """The path of a file in `assets/`: inside the package in a wheel, next to it in a checkout or editable install."""
    package = Path(__file__).parent
    for folder in (package / "assets", package.parent / "assets"):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"the program was installed without its file assets/{name}")
