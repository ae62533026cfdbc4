"""What a line of a registry stands for: a name in a file of a package, loaded when somebody wants it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def registered(package: str, home: str) -> Any:
    """What the line `file.NAME` of a package's registry means; the file may be in a folder of it."""
    file, _, name = home.rpartition(".")
    return getattr(import_module(f"{package}.{file}"), name)
