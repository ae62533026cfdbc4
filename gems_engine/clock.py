"""A clock of work, which stands still while a module is loaded: the first design shall not pay for importing scipy."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from types import ModuleType

_loading = 0.0


def now() -> float:
    """Seconds since some moment, without those in which modules were loaded by :func:`load`."""
    return time.perf_counter() - _loading


def load(name: str) -> ModuleType:
    """A module, which is loaded when it is first needed."""
    global _loading
    if name in sys.modules:
        return sys.modules[name]
    started = time.perf_counter()
    try:
        return import_module(name)
    finally:
        _loading += time.perf_counter() - started
