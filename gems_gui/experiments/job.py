"""An experiment as a job of the trials' thread, which first reports the rows of its folder. Does not import Qt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError, quoted
from gems_engine.experiment.folder import Recorder, first_session, holds_results, read_results, read_rows
from gems_engine.experiment.harness import Harness, Standing
from gems_engine.experiment.measures import Measures
from gems_engine.experiment.specification import Specification

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from gems_engine.experiment.local import LocalWorkers

Told = Callable[[Any], None]
_BREATH = 200  # rows that are read before releasing the GIL


class ExperimentJob:
    """Reports the rows of a folder, and runs the missing trials.

    Attributes
    ----------
    harness
        Runs the trials and has the progress.
    notes
        What the user should know about the folder, such as an incomplete last line.
    """

    def __init__(self, harness: Harness, folder: Path, told: Told, notes: Sequence[str] = ()) -> None:
        self.harness, self.notes = harness, notes
        self.specification = harness.specification
        self._folder, self._on_row = folder, told
        self.measures: Measures = harness.measures

    @property
    def standing(self) -> Standing:
        """The progress."""
        return self.harness.standing

    def run(self) -> Standing:
        """Report the existing rows, then run the missing trials."""
        _report_rows(self._folder, self._on_row, lambda: self.harness.control.cancelled)
        return self.harness.run()

    def pause(self) -> None:
        """Start no new trial."""
        self.harness.pause()

    def go_on(self) -> None:
        """Resume starting trials."""
        self.harness.go_on()

    def cancel(self) -> None:
        """Cancel; keep the finished trials."""
        self.harness.cancel()


class ReadingJob:
    """Reports the rows of a folder, and runs nothing."""

    def __init__(self, folder: Path, told: Told) -> None:
        results = read_results(folder)
        self.measures, self.specification, self.notes = results.measures, results.specification, results.notes
        self._folder, self._on_row = folder, told
        self._over = threading.Event()
        done, total = results.measures.done, len(results.specification)
        self.standing = Standing(min(done, total), total, done, results.measures.failed, 0.0, None)

    def run(self) -> None:
        """Report the rows."""
        _report_rows(self._folder, self._on_row, self._over.is_set)

    def pause(self) -> None:
        """Do nothing, as no trial is run."""

    def go_on(self) -> None:
        """Do nothing, as no trial is run."""

    def cancel(self) -> None:
        """Stop reporting."""
        self._over.set()


def _report_rows(folder: Path, told: Told, over: Callable[[], bool]) -> None:
    """Report the row of each trial in a folder once; if a trial failed and was run again, also the later row."""
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
    """The function that starts or continues an experiment in a folder."""

    @contextmanager
    def begin(executor: LocalWorkers | None, told: Told) -> Iterator[ExperimentJob]:
        with Recorder(folder, specification, workers, resume=True) as recorder:
            harness = Harness(specification, executor, recorder, told)
            yield ExperimentJob(harness, folder, told, recorder.notes)

    return begin


def reading(folder: Path) -> Callable[[LocalWorkers | None, Told], AbstractContextManager[ReadingJob]]:
    """The function that reads the rows of a folder."""
    return lambda _, told: nullcontext(ReadingJob(folder, told))


def begun_in(folder: str) -> bool:
    """Whether a folder contains rows."""
    return bool(folder.strip()) and holds_results(folder)


def refusal(specification: Specification, folder: str) -> str:
    """Why an experiment cannot run in a folder, in one sentence, or empty."""
    if not folder.strip():
        return "Choose a folder for the results."
    try:
        if not holds_results(folder):
            return (
                "This is not a folder. Choose another one."
                if Path(folder).exists() and not Path(folder).is_dir()
                else ""
            )
        session = first_session(folder)
    except (InputError, OSError) as error:
        return str(error)
    if session.digest != specification.digest:
        name = quoted(session.experiment)
        return f"The folder contains results of another specification, {name}. Choose another folder."
    if session.seed != specification.seed:
        return f"The results in this folder have seed {session.seed}, not {specification.seed}. Choose another folder."
    return ""


def proposed(folder: Path, specification: Specification) -> Path:
    """A folder in which an experiment can be started or continued."""
    number = 1
    while True:
        place = folder / (f"gems-{specification.name}" + (f"-{number}" if number > 1 else ""))
        if not refusal(specification, str(place)):
            return place
        number += 1
