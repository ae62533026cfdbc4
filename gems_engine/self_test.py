"""A self-test of the engine on this machine: versions, and a check of each part.

To add a check, write a function that returns a finding or raises, and add a line to `CHECKS`.
"""

from __future__ import annotations

import platform
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes
    ----------
    about
        What was checked.
    result
        The result, in one line.
    good
        Whether it works; None for plain information, such as a version.
    """

    about: str
    result: str
    good: bool | None = None


Check = Callable[[], Finding]


def examined(checks: Iterable[tuple[str, Check]]) -> Iterator[Finding]:
    """The findings one by one; a check that raises is a failure."""
    for about, check in checks:
        try:
            yield check()
        except Exception as error:
            yield Finding(about, f"{type(error).__name__}: {error}", good=False)


def installed(package: str) -> str | None:
    """The version of an installed package, without importing it; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _machine() -> Finding:
    return Finding("machine", f"Python {platform.python_version()}, {platform.system()} on {platform.machine()}")


def _versions() -> Finding:
    names = ("gems-lab", "numpy", "scipy", "threadpoolctl")
    found = {name: installed(name) for name in names}
    lacking = [name for name in names[1:] if found[name] is None]
    said = ", ".join(f"{name} {found[name] or '(not installed)'}" for name in names)
    return Finding("engine", said, good=not lacking)


def _plugins() -> Finding:
    """Everything that another package provides can be used."""
    from gems_engine.commands import broken_plugins, plugin_commands, plugin_groups
    from gems_engine.plugins import OWN

    broken = [each.sentence for each in broken_plugins()]
    if broken:
        return Finding("plug-ins", " ".join(broken), good=False)
    commands = plugin_commands().usable.items()
    others = [name for name, each in commands if not each.run.__module__.startswith(OWN)]
    found = [*(name for group in plugin_groups() for name in group.find().usable), *others]
    return Finding("plug-ins", ", ".join(found) if found else "none installed", good=True if found else None)


def _designs() -> Finding:
    """A design with a known optimum: orthonormal arms in R^d have equal weights, and every pair costs 2d."""
    import numpy as np

    from gems_engine.design import DesignProblem, solve_design
    from gems_engine.gallery import make

    d = 7
    arms, hard = np.eye(d), make("paper-hard").arms
    value = solve_design(DesignProblem(arms, targets=arms)).value
    design = solve_design(DesignProblem(hard, targets=hard))
    good = abs(value / (2 * d) - 1.0) < 1e-6 and design.lower_bound <= design.value <= design.lower_bound * (1 + 1e-6)
    said = f"{d} orthonormal arms cost {value:.6f} (known: {2 * d}); the hard instance is proven within 1e-6"
    return Finding("designs", said if good else f"wrong: {said}", good)


def _runs() -> Finding:
    """A run finds the best arm of a simple instance, and is reproduced event by event from its seed."""
    from gems_engine.gallery import make
    from gems_engine.running import run
    from gems_engine.verification import verify

    instance = make("paper-hard", epsilon=0.3)
    since = time.perf_counter()
    trace = run(instance, "fixed-confidence", seed=1, max_samples=100_000).finish()
    took = time.perf_counter() - since
    assert trace.finished is not None
    right = trace.finished.recommendation == instance.best
    again = verify(trace)
    recommended = instance.target_label(trace.finished.recommendation)
    said = f"{len(trace)} events in {took * 1e3:.0f} ms, {recommended} recommended"
    if not right:
        return Finding("runs", f"{said}, which is wrong", good=False)
    return Finding(
        "runs",
        f"{said}, the same again from its seed" if again.same else f"{said}, but not the same again from its seed",
        again.same,
    )


def _files() -> Finding:
    """What is written can be read back."""
    from gems_engine.files import read_run, write_run
    from gems_engine.gallery import make
    from gems_engine.running import run

    trace = run(make("verifiability", D=3), "rage", seed=1, max_samples=1000).finish()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.gems"
        write_run(file, trace)
        size, read = file.stat().st_size, read_run(file)
    same = list(read) == list(trace)
    said = f"a run of {len(trace)} events written and read back, {size:,} bytes"
    return Finding("files", said if same else "the file read back differs from the one written", same)


def _workers() -> Finding:
    """A worker process starts, runs a trial, and returns the same row as this process."""
    from gems_engine.experiment import local_executor, repeated, run_trials

    since = time.perf_counter()
    trials = list(repeated("verifiability:D=3", "rage", 1, max_samples=1000))
    with local_executor(1) as executor:
        (there,) = run_trials(trials, executor)
    took = time.perf_counter() - since
    (here,) = run_trials(trials)
    good = not there.error and there == here
    said = f"a process started and ran a trial in {took:.1f} s"
    return Finding(
        "worker processes",
        said if good else f"wrong: {there.error or 'its row differs from that of this process'}",
        good,
    )


CHECKS: tuple[tuple[str, Check], ...] = (
    ("machine", _machine),
    ("engine", _versions),
    ("plug-ins", _plugins),
    ("designs", _designs),
    ("runs", _runs),
    ("files", _files),
    ("worker processes", _workers),
)
"""The checks, in order."""
