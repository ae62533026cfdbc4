"""Model selection for pure exploration in linear bandits: the names that a notebook needs, imported lazily.

>>> from gems_engine import instances, run, summarise
>>> trace = run(instances.make("paper-hard", epsilon=0.1), "fixed-confidence", seed=1, max_samples=100_000).finish()
>>> summarise(trace).recommendation
8
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gems_engine import instances as instances
    from gems_engine.complexity import complexities as complexities
    from gems_engine.complexity import guarantees as guarantees
    from gems_engine.errors import InputError as InputError
    from gems_engine.explanation import explain as explain
    from gems_engine.files import read_run as read_run
    from gems_engine.files import write_run as write_run
    from gems_engine.running import Run as Run
    from gems_engine.running import run as run
    from gems_engine.session import Session as Session
    from gems_engine.summary import summarise as summarise

_HOMES = {
    "InputError": "errors",
    "Run": "running",
    "Session": "session",
    "complexities": "complexity",
    "explain": "explanation",
    "guarantees": "complexity",
    "instances": "",
    "read_run": "files",
    "run": "running",
    "summarise": "summary",
    "write_run": "files",
}
"""The module of each public name; `instances` is a module itself."""

__all__ = [
    "InputError",
    "Run",
    "Session",
    "complexities",
    "explain",
    "guarantees",
    "instances",
    "read_run",
    "run",
    "summarise",
    "write_run",
]


def __getattr__(name: str) -> Any:
    """Import a name on first use: the command line's help needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'gems_engine' has no attribute {name!r}")
    home = _HOMES[name]
    return getattr(import_module(f"gems_engine.{home}"), name) if home else import_module(f"gems_engine.{name}")
