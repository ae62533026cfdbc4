"""Runs that tests of views show, and what they ask of them."""

from dataclasses import fields, is_dataclass, replace
from functools import cache

import numpy as np
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QColor

from gems_engine.experiment.replicates import Replicates, Replication, Source
from gems_engine.experiment.seed_trials import SeedJob, SeedTrials
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.trace import Trace
from gems_gui.snapshot import NOTHING, Selection, Snapshot
from tests.engine.synthetic_runs import small_instance, synthetic, wide_instance

RUNS = ("paper-hard", "sphere", "fixed-budget", "transductive")
"""Real runs; ``made up`` has idle rounds and validations too, and ``wide`` has 1,000 arms."""


@cache
def run(name):
    """A run by name, the same for all tests."""
    if name == "paper-hard":
        return Run(make("paper-hard"), "fixed-confidence", 1, base=4, max_samples=100_000).finish()
    if name == "sphere":
        return Run(make("sphere"), "fixed-confidence", 1, max_samples=300_000).finish()
    if name == "800 arms":  # its last call has B = 256
        return Run(make("sphere", n=800), "fixed-confidence", 1, max_samples=60_000).finish()
    if name == "fixed-budget":
        return Run(make("paper-hard"), "fixed-budget", 1).finish()
    if name == "transductive":
        return Run(make("transductive"), "fixed-confidence", 1, max_samples=300_000).finish()
    instance = small_instance() if name == "made up" else wide_instance()
    trace = Trace(instance)
    trace.extend(synthetic(instance, support=None if name == "made up" else 40))
    return trace


@cache
def replicates_of(name, count=10):
    """More seeds of a run, the same for all tests."""
    started = run(name).started
    source = Source(run(name).instance, started.algorithm, started.seed, started.parameters)
    found = Replicates(source, count)
    Replication(source, range(1, count + 1), told=found.add).run()
    return found


@cache
def rival_of(name):
    """A short run of another algorithm on the instance of a run, the same for all tests."""
    return Run(run(name).instance, "gems-m", 1).finish()


def filled(snapshot, name):
    """A snapshot of a run with all that views of several runs need: another run, more seeds of it, and of a race."""
    several = snapshot.with_runs([snapshot, Snapshot.of(rival_of(name))])
    return replace(several, replicates=replicates_of(name, 3), seeds=race_seeds())


@cache
def race_seeds(count=10):
    """Seeds of a race, the same for all tests."""
    given = {"max_samples": 3000}
    lanes = (("fixed-confidence", given), ("rage", given))
    found = SeedTrials(run("paper-hard").instance, lanes, range(1, count + 1))
    SeedJob(found, told=found.add).run()
    return found


def snapshot_of(name, cursor=None, arm=None, truth=True):
    """A snapshot of a run, perhaps with an arm picked or the truth hidden."""
    snapshot = Snapshot.of(run(name), cursor, NOTHING if arm is None else Selection.of_arm(run(name).instance, arm))
    return replace(snapshot, truth=truth)


def cursor_after(name, kind, which=0):
    """The cursor right behind an event of a kind."""
    return int(run(name).positions(kind)[which]) + 1


def cut(snapshot):
    """The same snapshot of a trace that ends there: nothing that is shown may know more."""
    trace = Trace(snapshot.instance)
    trace.extend(snapshot.trace[: snapshot.cursor])
    return replace(Snapshot.of(trace), selection=snapshot.selection, truth=snapshot.truth)


def same(one, other):
    """Whether two series say the same, array by array."""
    if is_dataclass(one) and type(one) is type(other):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=True)
    return one == other


def point(plot, x, y):
    """The pixel of a plot's widget at a place in it."""
    return plot.mapFromScene(plot.box.mapViewToScene(QPointF(x, y)))


def color_at(card, image, plot, x, y):
    """What was painted at a place of a plot, as «#rrggbb» in capitals."""
    pixel = plot.viewport().mapTo(card, QPoint(0, 0)) + point(plot, x, y)
    return QColor(image.pixel(pixel)).name().upper()
