"""Model selection for pure exploration in linear bandits.

>>> from gems_engine import instances, run
>>> trace = run(instances.make("paper-hard", epsilon=0.1), "fixed-confidence", seed=1, max_samples=100_000).finish()
>>> trace.finished.recommendation
8
"""

from importlib import import_module
from typing import Any

_PUBLIC = {
    "instances": ("gems_engine.instances", None),
    "run": ("gems_engine.running", "run"),
    "Run": ("gems_engine.running", "Run"),
    "Session": ("gems_engine.running", "Session"),
}

__all__ = ["Run", "Session", "instances", "run"]


def __getattr__(name: str) -> Any:
    """Load what is asked for: the command line's help needs none of it."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'gems_engine' has no attribute {name!r}")
    module, attribute = _PUBLIC[name]
    loaded = import_module(module)
    return loaded if attribute is None else getattr(loaded, attribute)
