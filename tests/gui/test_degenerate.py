"""Degenerate instances through every algorithm and every view: an answer or a clear sentence, never anything else."""

import resource
import time

import numpy as np
import pytest

from gems_engine.algorithms import BUILT_IN
from gems_engine.errors import InputError
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import run
from gems_gui.painting.frames import Look
from gems_gui.painting.render import PictureSheet
from gems_gui.snapshot import Snapshot
from gems_gui.views import EVERY_VIEW

FEATURES = np.random.default_rng(7).normal(size=(6, 3))
CAP = 4000

INSTANCES = {
    "one arm": lambda: Instance.linear([[1.0, 0.5]], [1.0, 0.0]),
    "D = 1": lambda: Instance.linear([[1.0], [0.4], [-1.0]], [0.8]),
    "two arms": lambda: Instance.linear([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.2]),
    "D > arms": lambda: Instance.linear(np.eye(9)[:3] + 0.1, [1.0, 0.3, *[0.0] * 7]),
    "identical arms": lambda: Instance.linear([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0, 0.1]),
    "identical losers": lambda: Instance.linear([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [1.0, 0.1]),
    "an arm that is nothing": lambda: Instance.linear([[1.0, 0.0], [0.0, 0.0], [0.5, 0.5]], [1.0, 0.0]),
    "arms on a line": lambda: Instance.linear([[1.0, 2.0], [2.0, 4.0], [-1.0, -2.0]], [0.2, 0.2]),
    "huge": lambda: Instance.linear(FEATURES * 1e90, np.array([1.0, 0.4, 0.0]) * 1e-90),
    "tiny": lambda: Instance.linear(FEATURES * 1e-90, np.array([1.0, 0.4, 0.0]) * 1e90),
    "scales apart": lambda: Instance.linear(FEATURES * [1.0, 1e7, 1e-7], [1.0, 1e-7, 0.0]),
    "nearly equal": lambda: Instance.linear(np.vstack([np.eye(3), np.eye(3)[:1] + 1e-9]), np.array([1.0, 0.2, 0.0])),
}


def sentence(error):
    """What a user is told: one printable sentence."""
    said = str(error)
    assert said.isprintable()
    assert said.endswith((".", "?"))


def answered(instance, algorithm):
    """The trace of a short run, or None where a sentence refuses it."""
    known = {parameter.name for parameter in BUILT_IN[algorithm].parameters}
    asked = {"max_samples": CAP} if "max_samples" in known else {"budget": CAP} if "budget" in known else {}
    try:
        trace = run(instance, algorithm, seed=1, **asked).finish()
    except InputError as error:
        sentence(error)
        return None
    assert trace.finished is not None
    assert 0 <= trace.finished.recommendation < len(instance.targets)
    return trace


def paint_all(trace, names=tuple(EVERY_VIEW), parts=(0.0, 0.5, 1.0)):
    """Every view at the start, in the middle and at the end: something is painted, and its numbers are a table."""
    for name in names:
        sheet = PictureSheet((name,), Look((420, 300)))
        try:
            for cursor in {int(part * len(trace)) for part in parts}:
                sheet.show(Snapshot.of(trace, cursor))
                image = sheet.image()
                assert (image.width(), image.height()) == (420, 300)
                (view,) = sheet.views
                if view.has_numbers:
                    try:
                        table = view.as_table()
                    except InputError as error:
                        sentence(error)
                    else:
                        assert all(len(row) == len(table.columns) for row in table.rows)
        finally:
            sheet.close()


@pytest.fixture(params=INSTANCES)
def instance(request):
    try:
        return INSTANCES[request.param]()
    except InputError as error:
        sentence(error)
        return None


@pytest.mark.parametrize("algorithm", BUILT_IN)
def test_every_algorithm_answers_or_says_why_not(instance, algorithm):
    if instance is not None:
        answered(instance, algorithm)


@pytest.mark.parametrize("name", ["D = 1", "identical arms", "an arm that is nothing", "huge"])
def test_every_view_shows_what_came_of_it(name, qapp):
    """The hardest to draw; the walk below has all."""
    instance = INSTANCES[name]()
    trace = answered(instance, "fixed-confidence") or answered(instance, "misspecified")
    assert trace is not None
    paint_all(trace, parts=(1.0,))


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("algorithm", BUILT_IN)
def test_every_view_of_every_algorithm(instance, algorithm, qapp):
    trace = None if instance is None else answered(instance, algorithm)
    if trace is not None:
        paint_all(trace)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("algorithm", BUILT_IN)
def test_five_thousand_arms(algorithm, qapp, capsys):
    """Every algorithm, and every view of what came of it, with a table of the seconds that each took."""
    instance = make("sphere", D=3, d_star=2, n=5000, min_gap=0.0, seed=1)
    since = time.process_time()
    trace = answered(instance, algorithm)
    took = {"the run": time.process_time() - since}
    for name in EVERY_VIEW if trace is not None else ():
        since = time.process_time()
        paint_all(trace, (name,), parts=(0.5, 1.0))
        took[name] = time.process_time() - since
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    long = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in took.items() if seconds >= 1 or name == "the run")
    with capsys.disabled():
        print(f"\n{algorithm}: {long}, at most {most:.1f} GB")
    assert most < 4
