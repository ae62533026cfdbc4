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
    from gems_engine.experiment import read_experiment as read_experiment
    from gems_engine.experiment import run_experiment as run_experiment
    from gems_engine.explanation import explain as explain
    from gems_engine.files import read_run as read_run
    from gems_engine.files import write_run as write_run
    from gems_engine.instance import Instance as Instance
    from gems_engine.running import Run as Run
    from gems_engine.running import run as run
    from gems_engine.session import Session as Session
    from gems_engine.summary import Summary as Summary
    from gems_engine.summary import summarise as summarise
    from gems_engine.trace import Trace as Trace

    __version__: str
    """The installed version; "unknown" in a checkout that is not installed."""

_HOMES = {
    "InputError": "errors",
    "Instance": "instance",
    "Run": "running",
    "Session": "session",
    "Summary": "summary",
    "Trace": "trace",
    "complexities": "complexity",
    "explain": "explanation",
    "guarantees": "complexity",
    "instances": "",
    "read_experiment": "experiment",
    "read_run": "files",
    "run": "running",
    "run_experiment": "experiment",
    "summarise": "summary",
    "write_run": "files",
}
"""The module of each public name; `instances` is a module itself."""

__all__ = [
    "InputError",
    "Instance",
    "Run",
    "Session",
    "Summary",
    "Trace",
    "__version__",
    "complexities",
    "explain",
    "guarantees",
    "instances",
    "read_experiment",
    "read_run",
    "run",
    "run_experiment",
    "summarise",
    "write_run",
]


def __getattr__(name: str) -> Any:
    """Import a name on first use: the command line's help needs none of them."""
    if name == "__version__":
        from gems_engine.version import own_version

        return own_version() or "unknown"
    if name not in _HOMES:
        raise AttributeError(f"module 'gems_engine' has no attribute {name!r}")
    home = _HOMES[name]
    return getattr(import_module(f"gems_engine.{home}"), name) if home else import_module(f"gems_engine.{name}")
