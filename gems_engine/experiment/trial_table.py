"""The trials of an experiment as one table: a row for each trial, and every parameter in its own column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from math import isfinite

from gems_engine.algorithms import algorithm_named
from gems_engine.experiment.metrics import OF_PARAMETERS, Metric, plugin_metrics
from gems_engine.experiment.specification import Cell, Specification
from gems_engine.experiment.trials import Row
from gems_engine.formats.csv_cells import csv_text
from gems_engine.formats.item_options import how_read
from gems_engine.gallery import parse_spec
from gems_engine.instance import Instance
from gems_engine.parameters import Value, check_all

OF_CELL = ("experiment", "cell", "label")
OF_TRIAL: dict[str, Callable[[Row], Value]] = {
    "success": lambda row: bool(row.correct) and not row.error,
    "tau": lambda row: row.tau,
    "stop": lambda row: row.finish,
    "samples": lambda row: row.samples,
    "recommendation": lambda row: row.recommendation,
    "first_right": lambda row: row.first_right,
    "changes": lambda row: row.changes,
    "rounds": lambda row: row.rounds,
    "verifiable": lambda row: row.verified,
    "runtime_seconds": lambda row: row.seconds,
    "runtime_to_tau_seconds": lambda row: row.seconds_to_tau,
    "tries": lambda row: row.tries,
    "error": lambda row: row.error or None,
    "versions": lambda row: row.made_by,
}
"""The columns of the result of a trial, each a function of its row; None is a missing value."""
INSTANCE, ALGORITHM = OF_PARAMETERS
"""What the columns of parameters begin with: an instance and an algorithm may have parameters of the same name."""


class TrialTable:
    """The columns of an experiment, and the values of its trials in them.

    Parameters
    ----------
    specification
        The experiment.
    """

    def __init__(self, specification: Specification) -> None:
        self._specification = specification

    @cached_property
    def _cells(self) -> list[dict[str, Value]]:
        """What all trials of a cell have in common, by column."""
        said = self._specification
        return [
            {
                "experiment": said.name,
                "cell": cell.index,
                "label": cell.label,
                "experiment_seed": said.seed,
                **_of(cell),
            }
            for cell in said.cells
        ]

    @cached_property
    def _metrics(self) -> dict[str, Metric]:
        """The metrics of plug-ins, which have a column each."""
        return plugin_metrics().usable

    @cached_property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        names = dict.fromkeys(name for cell in self._cells for name in cell)
        of_algorithm = [name for name in names if name.startswith("algorithm")]
        of_instance = [name for name in names if name.startswith("instance") or name == "family"]
        return (*OF_CELL, *of_instance, *of_algorithm, "trial", "experiment_seed", "seed", *OF_TRIAL, *self._metrics)

    def values(self, row: Row) -> list[Value]:
        """The values of a trial, in the order of the header; None where it has none."""
        said = self._specification
        trial, place = divmod(row.index, len(said.cells))
        cell = said.cells[place]
        found = {**self._cells[place], "instance": row.instance, "trial": trial, "seed": row.seed}
        if cell.fresh:
            found[f"{INSTANCE}seed"] = row.seed
        found |= {name: of(row) for name, of in OF_TRIAL.items()}
        found |= {name: number if isfinite(number := each.of(row)) else None for name, each in self._metrics.items()}
        return [found.get(name) for name in self.header]

    def csv(self, rows: Iterable[Row]) -> Iterator[bytes]:
        """The header and the rows as lines of CSV."""
        yield csv_text([self.header]).encode()
        for row in rows:
            yield csv_text([self.values(row)]).encode()


def _of(cell: Cell) -> dict[str, Value]:
    """The instance and the algorithm of a cell with all their parameters, including those that have their defaults."""
    found: dict[str, Value] = {"instance": cell.instance_name}
    if isinstance(cell.instance, Instance):
        found |= {"instance_digest": cell.instance.digest}
        found |= {f"{INSTANCE}{name}": value for name, value in how_read(cell.instance.recipe).items()}
    else:
        family, given = parse_spec(cell.instance)
        found["family"] = family.name
        found |= {f"{INSTANCE}{name}": value for name, value in check_all(family.parameters, given).items()}
    values = check_all(algorithm_named(cell.algorithm).parameters, cell.parameters)
    found["algorithm"] = cell.algorithm
    return found | {f"{ALGORITHM}{name}": value for name, value in values.items()}
