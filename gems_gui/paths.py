"""Paths that mean the same file in every folder, and names for files."""

from __future__ import annotations

import os
import re


def absolute(path: str) -> str:
    """A path that means the same file in every folder; as it is where the folder of the program was deleted."""
    try:
        return os.path.abspath(path)
    except OSError:
        return path


def file_stem(name: str) -> str:
    """What a file is called that holds something of this name."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")
