"""The specification of an experiment: a grid of instances and algorithms, and a number of trials per cell."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from gems_engine.errors import InputError
from gems_engine.experiment.trials import Trial, seeded, trial_seed
from gems_engine.gallery import parse_spec
from gems_engine.instance import Instance
from gems_engine.parameters import Value
from gems_engine.terminal import number, power_of_ten

MOST_TRIALS = 10_000_000
"""The largest number of trials of one cell."""
MOST_IN_ALL = 100_000_000
"""The largest number of trials of all cells together."""


@dataclass(frozen=True, eq=False)
class Cell:
    """One point of the grid: an instance, or a family of them, and an algorithm with its parameters.

    Attributes
    ----------
    index
        Its number in the grid.
    instance
        A text such as ``sphere:D=50``, or an instance from a file.
    fresh
        Whether every trial has a new random instance.
    algorithm, parameters
        As for :class:`~gems_engine.running.Run`.
    label
        The name of the algorithm in tables and plots.
    varied
        The parameters that the grid varies, of the instance and of the algorithm, with their values here.
    """

    index: int
    instance: str | Instance
    fresh: bool
    algorithm: str
    parameters: Mapping[str, Value]
    label: str
    varied: Mapping[str, Value]

    @property
    def instance_name(self) -> str:
        """The instance in words."""
        return self.instance if isinstance(self.instance, str) else self.instance.name

    def instance_of(self, seed: int) -> str | Instance:
        """The instance of the trial with this seed."""
        if not self.fresh or isinstance(self.instance, Instance):
            return self.instance
        family, values = parse_spec(self.instance)
        return seeded(family, values, seed)

    def as_dict(self) -> dict[str, Any]:
        """Everything that determines its rows."""
        same = self.instance if isinstance(self.instance, str) else {"digest": self.instance.digest}
        return {
            "instance": same,
            "fresh": self.fresh,
            "algorithm": self.algorithm,
            "parameters": dict(self.parameters),
        }


@dataclass(frozen=True)
class Printed:
    """Numbers printed in the paper, shown next to the measured ones.

    Attributes
    ----------
    metric
        The metric.
    label
        The label of the algorithm.
    values
        The numbers by cell of the grid.
    where
        The table of the paper.
    trials
        The number of trials behind each number; 0 if it is not known, and the numbers are not compared.
    """

    metric: str
    label: str
    values: Mapping[int, float]
    where: str
    trials: int = 0


@dataclass(frozen=True)
class RatioMap:
    """A map over x and a second varied parameter: τ of one algorithm divided by τ of another.

    Attributes
    ----------
    y
        The varied parameter on the y axis.
    of, over
        The labels of the two algorithms.
    cells
        The cells of both at every point.
    """

    y: str
    of: str
    over: str
    cells: tuple[tuple[Cell, Cell], ...]


@dataclass(frozen=True, eq=False)
class Specification:
    """An experiment: a number of trials for every cell of a grid.

    Trials are numbered so that the first of every cell come first: any part of them covers every cell, and more trials
    can be added without renumbering the old ones.

    Attributes
    ----------
    name, title, about
        A short name, one line, and a paragraph.
    trials, seed
        Trials per cell, and the seed of the experiment.
    cells
        The grid.
    x
        The varied parameter on the x axis of results; empty if none is varied.
    symbols
        The symbols of the varied parameters.
    printed
        Numbers printed in the paper.
    files
        Instances from files, by the number of their table.
    text
        The TOML source.
    map
        The map of the ratio of two algorithms, if one is wanted.
    """

    name: str
    title: str
    about: str
    trials: int
    seed: int
    cells: tuple[Cell, ...]
    x: str = ""
    symbols: Mapping[str, str] = field(default_factory=dict)
    printed: tuple[Printed, ...] = ()
    files: Mapping[int, Instance] = field(default_factory=dict, repr=False)
    text: str = field(default="", repr=False)
    map: RatioMap | None = None

    def __len__(self) -> int:
        """All trials."""
        return self.trials * len(self.cells)

    def trial(self, index: int) -> Trial:
        """The trial of that number, which depends only on the grid, the seed and the number."""
        number, place = divmod(index, len(self.cells))
        cell = self.cells[place]
        seed = trial_seed(self.seed, number)  # the same for every cell: comparisons are paired
        return Trial(index, cell.instance_of(seed), cell.algorithm, seed, dict(cell.parameters))

    def missing(self, done: bytearray) -> Iterator[Trial]:
        """The trials that are not marked as done, one by one."""
        for index in range(len(self)):
            if index >= len(done) or not done[index]:
                yield self.trial(index)

    def cell_of(self, index: int) -> Cell:
        """The cell of a trial."""
        return self.cells[index % len(self.cells)]

    def with_(self, trials: int | None = None, seed: int | None = None) -> Specification:
        """The same grid with another number of trials, or another seed."""
        wanted = self.trials if trials is None else trials, self.seed if seed is None else seed
        changed = replace(self, trials=wanted[0], seed=wanted[1])
        changed.require_possible()
        return changed

    def require_possible(self) -> None:
        """Raise InputError if there are too many trials."""
        if len(self) > MOST_IN_ALL:
            raise InputError(
                f"trials = {self.trials} is not allowed: with {len(self.cells)} cells these are {len(self)} trials, "
                f"and at most {MOST_IN_ALL} are allowed."
            )

    @cached_property
    def digest(self) -> str:
        """The digest of the grid: experiments with the same digest and seed have the same rows."""
        grid = json.dumps([cell.as_dict() for cell in self.cells], sort_keys=True, default=str)
        return hashlib.sha256(grid.encode()).hexdigest()[:16]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of the algorithms, in order."""
        return tuple(dict.fromkeys(cell.label for cell in self.cells))

    @cached_property
    def xs(self) -> tuple[Value, ...]:
        """The values of the parameter on the x axis, in order."""
        return tuple(dict.fromkeys(cell.varied[self.x] for cell in self.cells if self.x in cell.varied))

    def group(self, cell: Cell) -> str:
        """The value of x of a cell, in words."""
        return self.setting(self.x, cell.varied[self.x]) if self.x in cell.varied else ""

    def series(self, cell: Cell) -> str:
        """The series of a cell, independent of x: the algorithm, and what else is varied."""
        rest = [self.setting(name, value) for name, value in cell.varied.items() if name != self.x]
        return ", ".join([cell.label, *rest])

    @cached_property
    def all_series(self) -> tuple[str, ...]:
        """Every series, in order; each has the same colour in all plots."""
        return tuple(dict.fromkeys(self.series(cell) for cell in self.cells))

    def setting(self, name: str, value: Value) -> str:
        """A parameter and its value: "ε = 0.01" or "θ flat"."""
        symbol = self.symbols.get(name, name)
        return f"{symbol} {value}" if isinstance(value, str) else f"{symbol} = {shown_value(value)}"


def shown_value(value: Value) -> str:
    """The value of a parameter as tables and plots show it."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, str):
        return value
    if value == 0 or abs(value) >= 1e-3:
        return number(value)
    mantissa, _, exponent = f"{value:e}".partition("e")
    power = power_of_ten(int(exponent))
    return power if float(mantissa) == 1.0 else f"{float(mantissa):g}·{power}"
