"""A clock that stops while a module is imported, so that the first design is not charged for importing scipy."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from types import ModuleType

_loading = 0.0


def now() -> float:
    """Seconds since an arbitrary moment, without the time that :func:`load` took."""
    return time.perf_counter() - _loading


def load(name: str) -> ModuleType:
    """Import a module on first use."""
    global _loading
    if name in sys.modules:
        return sys.modules[name]
    started = time.perf_counter()
    try:
        return import_module(name)
    finally:
        _loading += time.perf_counter() - started
