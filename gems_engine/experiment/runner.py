"""Experiments from Python: run one on any executor, or read a folder, and get its trials as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gems_engine.columns import Columns
from gems_engine.errors import InputError
from gems_engine.experiment.cluster import client_executor, is_client
from gems_engine.experiment.folder import Recorder, read_results, rows_in_order
from gems_engine.experiment.harness import Harness
from gems_engine.experiment.library import specification_from, specification_of
from gems_engine.experiment.measures import Measures, Summary
from gems_engine.experiment.report import write_report
from gems_engine.experiment.specification import Specification
from gems_engine.experiment.trial_table import TrialTable
from gems_engine.experiment.trials import Row
from gems_engine.files import PathLike, atomic_write
from gems_engine.notebook import Picture
from gems_engine.parameters import Value, unknown_name
from gems_engine.terminal import plural

Spec = str | Path | Mapping[str, Any] | Specification


class ExperimentResults(Columns):
    """The trials of an experiment, one after the other, each with everything that determined it.

    ``results["tau"]`` is a column of ``results.csv`` as an array, with an entry for each trial, and ``results.columns``
    are all of them. Missing numbers are NaN, and missing texts are None.

    Parameters
    ----------
    specification : Specification
        The experiment.
    rows : sequence of Row
        A row for each trial that was run.

    Attributes
    ----------
    specification : Specification
    rows : tuple of Row
        In the order of the trials.

    Examples
    --------
    >>> from gems_engine import run_experiment
    >>> results = run_experiment("verifiability", trials=1)
    >>> results
    <ExperimentResults verifiability: 16 trials of 16 cells, 16 right>
    >>> results["tau"][results["label"] == "RAGE"].tolist()
    [739, 1832, 4373, 10166, 739, 1832, 4373, 10166]
    """

    def __init__(self, specification: Specification, rows: list[Row]) -> None:
        self.specification = specification
        self.rows = tuple(sorted(rows, key=lambda row: row.index))
        super().__init__(self._by_column)

    def _by_column(self) -> dict[str, list[Value]]:
        table = TrialTable(self.specification)
        rows = [table.values(row) for row in self.rows]
        return {name: [row[at] for row in rows] for at, name in enumerate(table.header)}

    def __len__(self) -> int:
        return len(self.rows)

    def summary(self) -> Summary:
        """The statistics of every cell, with their intervals, as in the report."""
        return Measures(self.specification).extend(self.rows).summary()

    def plot(self, name: str = "success") -> Picture:
        """A plot of the report as SVG, for example ``success`` or ``samples``; a notebook shows it."""
        from gems_engine.experiment.plots import plots_of
        from gems_engine.experiment.theory import bounds_of

        plots = plots_of(self.summary(), bounds_of(self.specification))
        if name not in plots:
            raise unknown_name("plot", name, plots)
        return Picture(name, plots[name])

    def to_csv(self, path: PathLike) -> None:
        """Write the columns to a CSV file, which is ``results.csv`` of a folder of results."""
        atomic_write(path, TrialTable(self.specification).csv(self.rows))

    def __repr__(self) -> str:
        right, cells = sum(bool(row.correct) and not row.error for row in self.rows), len(self.specification.cells)
        trials = f"{plural(len(self.rows), 'trial')} of {plural(cells, 'cell')}"
        return f"<ExperimentResults {self.specification.name}: {trials}, {right} right>"


def run_experiment(
    spec: Spec,
    executor: Executor | Any | None = None,
    *,
    trials: int | None = None,
    seed: int | None = None,
    folder: PathLike | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ExperimentResults:
    """Run the trials of an experiment.

    Except for timings, a trial depends only on the experiment, its seed and the number of the trial.

    Parameters
    ----------
    spec : str, path, mapping or Specification
        The name of a built-in experiment, a ``.toml`` file, or the same as a dict. In a dict the value of ``instance``
        may also be an :class:`~gems_engine.instance.Instance`, or a list with some.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Where the trials run: :func:`~gems_engine.experiment.local_executor`, any executor of ``concurrent.futures``, or
        a Dask client. By default they run in this process, one after the other. It is not shut down.
    trials, seed : int, optional
        The number of trials of each cell and the seed of the experiment; by default those of the specification.
    folder : path, optional
        A folder for rows, ``results.csv`` and the report, as ``gems experiment`` writes it. Without one, nothing is
        written.
    resume : bool
        Whether to continue the results in the folder. Without it, a folder with results is refused.
    progress : callable, optional
        Called after every trial with the numbers of trials done and of all trials.

    Returns
    -------
    ExperimentResults
        All trials, including those that the folder had before.

    Raises
    ------
    InputError
        If the specification is wrong, or the executor is lost. Finished trials are in the folder then.

    Examples
    --------
    >>> from gems_engine import run_experiment
    >>> results = run_experiment(
    ...     {
    ...         "trials": 3,
    ...         "instance": {"family": "paper-hard", "d_star": 3, "epsilon": [0.3, 0.1]},
    ...         "algorithm": [{"name": "fixed-confidence", "label": "GEMS"}, {"name": "rage", "label": "RAGE"}],
    ...         "stop": {"samples": 20_000},
    ...     }
    ... )
    >>> len(results), results["success"].dtype
    (12, dtype('bool'))
    >>> sorted(set(results["instance_epsilon"].tolist()))
    [0.1, 0.3]
    """
    said = _specification(spec).with_(trials, seed)
    with _executor(executor) as found:
        if folder is None:
            rows: list[Row] = []
            _play(Harness(said, found, told=rows.append), progress)
            return ExperimentResults(said, rows)
        place = Path(folder)
        with Recorder(place, said, _in_words(executor), resume) as recorder:
            try:
                _play(Harness(said, found, recorder), progress)
            finally:
                if recorder.measures.done:
                    write_report(place)
    return read_experiment(place)


def read_experiment(folder: PathLike) -> ExperimentResults:
    """The trials in a folder of results, even while it is being written.

    Parameters
    ----------
    folder : path
        The folder of ``gems experiment``, the window or :func:`run_experiment`.

    Returns
    -------
    ExperimentResults
        All trials that the folder has.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from gems_engine import read_experiment, run_experiment
    >>> with TemporaryDirectory() as folder:
    ...     made = run_experiment("verifiability", trials=1, folder=f"{folder}/results")
    ...     read_experiment(f"{folder}/results")
    <ExperimentResults verifiability: 16 trials of 16 cells, 16 right>
    """
    results = read_results(Path(folder))
    return ExperimentResults(results.specification, list(rows_in_order(Path(folder), results)))


def _specification(spec: Spec) -> Specification:
    if isinstance(spec, Specification):
        return spec
    if isinstance(spec, Mapping):
        return specification_from(spec)
    if isinstance(spec, str | Path):
        return specification_of(spec)
    raise InputError(f"A specification is a name, a file, a dict or a Specification, not a {type(spec).__name__}.")


@contextmanager
def _executor(given: Any) -> Iterator[Executor | None]:
    if is_client(given):
        yield client_executor(given)
    elif given is None or hasattr(given, "submit"):
        yield given
    else:
        raise InputError(f"An executor is one of concurrent.futures or a Dask client, not a {type(given).__name__}.")


def _in_words(executor: Any) -> str:
    return "this process" if executor is None else f"a {type(executor).__name__}"


def _play(harness: Harness, progress: Callable[[int, int], None] | None) -> None:
    told = harness.told
    if progress is not None:

        def tell(row: Row) -> None:
            if told is not None:
                told(row)
            now = harness.progress
            progress(now.done, now.total)

        harness.told = tell
    harness.run()
