"""Functions that the tests of queries ask for; the analysis process imports this module, so it brings no Qt."""

import os
import signal
import sys
import time
from pathlib import Path

from gems_engine.errors import InputError


def square(x):
    return x * x


def described(x):
    return f"{type(x).__name__} {x}"


def logged(path, x):
    """As ``square``, and a line in a file for every time that it was computed."""
    with Path(path).open("a") as file:
        file.write(f"{x}\n")
    return x * x


def endless(path):
    Path(path).write_text(str(os.getpid()))
    while True:
        time.sleep(0.01)


def after(path, x):
    """x, when a file has appeared."""
    while not Path(path).exists():
        time.sleep(0.005)
    return x


def refuse():
    raise InputError("D must be at least 1.")


def fail():
    raise ZeroDivisionError("nothing to divide by")


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def unpicklable():
    return lambda: None


def surroundings():
    return os.getpid(), sorted(sys.modules), os.environ.get("OPENBLAS_NUM_THREADS")


def best_design(instance, d):
    """A real query: the optimal design's value in R^d."""
    from gems_engine.design import DesignProblem, DesignSolve

    solve = DesignSolve(DesignProblem(instance.arms[:, :d], targets=instance.targets[:, :d]), "certified", 1e-6)
    while not solve.done:
        solve.step()
    return solve.design().value
