"""Where a file is, whoever asks and from wherever the program was started."""

from __future__ import annotations

import os


def absolute(path: str) -> str:
    """A path that means the same file in every folder; as it is where the folder of the program was deleted."""
    try:
        return os.path.abspath(path)
    except OSError:
        return path
