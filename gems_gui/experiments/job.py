"""An experiment as a job of the trials' thread, which tells first what its folder holds; knows no Qt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError
from gems_engine.experiment.folder import Recorder, first_session, holds_results, read_results, read_rows
from gems_engine.experiment.harness import Harness, Standing
from gems_engine.experiment.measures import Measures
from gems_engine.experiment.specification import Specification

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from gems_engine.experiment.local import LocalWorkers

Told = Callable[[Any], None]
_BREATH = 200  # rows that are read before others may use Python's lock


class ExperimentJob:
    """Says the rows of a folder, and runs the trials that are missing.

    Attributes
    ----------
    harness
        Knows how far it is.
    notes
        What somebody should be told about the folder: a torn last line.
    """

    def __init__(self, harness: Harness, folder: Path, told: Told, notes: Sequence[str] = ()) -> None:
        self.harness, self.notes = harness, notes
        self.specification = harness.specification
        self._folder, self._on_row = folder, told
        self.measures: Measures = harness.measures

    @property
    def standing(self) -> Standing:
        """How far it is."""
        return self.harness.standing

    def run(self) -> Standing:
        """Tell what there is, then run what is missing."""
        _report_rows(self._folder, self._on_row, lambda: self.harness.control.cancelled)
        return self.harness.run()

    def pause(self) -> None:
        """Begin no further trial."""
        self.harness.pause()

    def go_on(self) -> None:
        """Begin trials again."""
        self.harness.go_on()

    def cancel(self) -> None:
        """End it; what is done is kept."""
        self.harness.cancel()


class ReadingJob:
    """Says the rows of a folder, and runs nothing."""

    def __init__(self, folder: Path, told: Told) -> None:
        results = read_results(folder)
        self.measures, self.specification, self.notes = results.measures, results.specification, results.notes
        self._folder, self._on_row = folder, told
        self._over = threading.Event()
        done, total = results.measures.done, len(results.specification)
        self.standing = Standing(min(done, total), total, done, results.measures.failed, 0.0, None)

    def run(self) -> None:
        """Tell them."""
        _report_rows(self._folder, self._on_row, self._over.is_set)

    def pause(self) -> None:
        """There is nothing to begin."""

    def go_on(self) -> None:
        """There is nothing to begin."""

    def cancel(self) -> None:
        """Stop telling."""
        self._over.set()


def _report_rows(folder: Path, told: Told, over: Callable[[], bool]) -> None:
    """Say the row of every trial in a folder once; of one that failed and was run again, the later one too."""
    if not holds_results(folder):
        return
    seen: set[int] = set()
    for number, row in enumerate(read_rows(folder)):
        if over():
            return
        if row.index not in seen:
            if not row.error:
                seen.add(row.index)
            told(row)
        if number % _BREATH == _BREATH - 1:
            time.sleep(0.001)


def running(
    specification: Specification, folder: Path, workers: str
) -> Callable[[LocalWorkers | None, Told], AbstractContextManager[ExperimentJob]]:
    """How to begin an experiment, or to go on with it, in a folder."""

    @contextmanager
    def begin(executor: LocalWorkers | None, told: Told) -> Iterator[ExperimentJob]:
        with Recorder(folder, specification, workers, resume=True) as recorder:
            harness = Harness(specification, executor, recorder, told)
            yield ExperimentJob(harness, folder, told, recorder.notes)

    return begin


def reading(folder: Path) -> Callable[[LocalWorkers | None, Told], AbstractContextManager[ReadingJob]]:
    """How to read what a folder holds."""
    return lambda _, told: nullcontext(ReadingJob(folder, told))


def begun_in(folder: str) -> bool:
    """Whether a folder holds rows."""
    return bool(folder.strip()) and holds_results(folder)


def refusal(specification: Specification, folder: str) -> str:
    """Why an experiment cannot go on in a folder, one sentence; empty where it can."""
    if not folder.strip():
        return "A folder is needed for the rows."
    try:
        if not holds_results(folder):
            return "It is not a folder." if Path(folder).exists() and not Path(folder).is_dir() else ""
        session = first_session(folder)
    except (InputError, OSError) as error:
        return str(error)
    if session.digest != specification.digest:
        return f"It holds the results of another specification, {session.experiment!r}: name another folder."
    if session.seed != specification.seed:
        return f"Its rows have the seed {session.seed}, not {specification.seed}: name another folder."
    return ""


def proposed(folder: Path, specification: Specification) -> Path:
    """A folder in which an experiment can begin, or has begun."""
    number = 1
    while True:
        place = folder / (f"gems-{specification.name}" + (f"-{number}" if number > 1 else ""))
        if not refusal(specification, str(place)):
            return place
        number += 1
