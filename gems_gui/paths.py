"""Absolute paths, and names for files."""

from __future__ import annotations

import os
import re


def absolute(path: str) -> str:
    """The absolute path; unchanged if the working directory was deleted."""
    try:
        return os.path.abspath(path)
    except OSError:
        return path


def file_stem(name: str) -> str:
    """A file name for something with this name."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")
