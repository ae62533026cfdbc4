"""Counts what happens to changed files, and keeps each failure once."""

import gc
import os
import warnings
from collections import Counter

from gems_engine.errors import InputError
from gems_gui.views import EVERY_VIEW
from tests.fuzz.run_again import check_sentence
from tests.fuzz.run_consumers import Gallery, Painter

SEED = int(os.environ.get("GEMS_FUZZ_SEED", "1"))


def inputs(default):
    """The number of inputs of a long test."""
    return int(os.environ.get("GEMS_FUZZ_RUNS", default))


class Counted:
    """Tries inputs, each a function of its number.

    Parameters
    ----------
    shown, painted
        Of the accepted inputs, every which one is shown in all views, and painted in one; 0 for none.
    """

    def __init__(self, shown=0, painted=0):
        self.shown, self.painted = shown, painted
        self.counts = Counter()
        self.failures = {}
        self.gallery = Gallery() if shown else None
        self._painter = Painter() if painted else None

    def run(self, numbers):
        """Try the inputs of these numbers."""
        gc.collect()
        gc.freeze()  # nothing of the program itself is garbage: looking for it takes time
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # numbers of absurd size overflow
                for number in numbers:
                    self._run_one(number)
        finally:
            gc.unfreeze()

    def _run_one(self, number):
        try:
            self.attempt(number)
        except Exception as error:
            self.counts["failures"] += 1
            self.failures.setdefault(_where(error), number)

    def attempt(self, number):
        """Try one."""
        raise NotImplementedError

    def accepted(self, read):
        """What a reader returns; None if it refuses the input with a sentence."""
        self.counts["inputs"] += 1
        try:
            found = read()
        except InputError as error:
            check_sentence(error)
            self.counts["refused"] += 1
            return None
        self.counts["accepted"] += 1
        return found

    def turn(self, every):
        """Whether the accepted input is that of an interval; never for 0."""
        return every and self.counts["accepted"] % every == 0

    def paint(self, snapshot):
        """Paint a snapshot in the view whose turn it is."""
        self.counts["painted"] += 1
        name = list(EVERY_VIEW)[self.counts["painted"] % len(EVERY_VIEW)]
        self._painter.paint(name, snapshot)


def _where(error):
    """The innermost place of the program that raised, with what it said."""
    found, cause = [], error
    while cause is not None:
        frame = cause.__traceback__
        while frame is not None:
            code = frame.tb_frame.f_code
            if "gems_" in code.co_filename:
                found.append(f"{os.path.basename(code.co_filename)}:{frame.tb_lineno}")
            frame = frame.tb_next
        cause = cause.__cause__
    return f"{' < '.join(found[:-4:-1])}: {type(error).__name__}: {str(error)[:100]}"
