"""Entries of a registry: a name in a file of a package, imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def registered(package: str, home: str) -> Any:
    """Import the entry `file.NAME` of a package's registry; the file may be in a subfolder."""
    file, _, name = home.rpartition(".")
    return getattr(import_module(f"{package}.{file}"), name)
