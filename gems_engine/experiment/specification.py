"""What an experiment is: instances and algorithms over a grid, so many trials of each pair."""

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
"""Of one cell."""
MOST_IN_ALL = 100_000_000
"""Of all cells together."""


@dataclass(frozen=True, eq=False)
class Cell:
    """One point of the grid: an instance, or a family of them, and an algorithm with its parameters.

    Attributes
    ----------
    index
        Its number in the grid.
    instance
        A text like ``sphere:D=50``, or an instance that was read from a file.
    fresh
        Whether every trial has a random instance of its own.
    algorithm, parameters
        As :class:`~gems_engine.running.Run` takes them.
    label
        The algorithm as tables and plots call it.
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
        """Everything that decides its rows."""
        same = self.instance if isinstance(self.instance, str) else {"digest": self.instance.digest}
        return {
            "instance": same,
            "fresh": self.fresh,
            "algorithm": self.algorithm,
            "parameters": dict(self.parameters),
        }


@dataclass(frozen=True)
class Printed:
    """Numbers that the paper prints, to stand beside what is measured.

    Attributes
    ----------
    metric
        Of which measure.
    label
        Of which algorithm.
    values
        By cell of the grid.
    where
        In which table of the paper.
    """

    metric: str
    label: str
    values: Mapping[int, float]
    where: str


@dataclass(frozen=True, eq=False)
class Specification:
    """An experiment: so many trials of every cell of a grid.

    Trials are numbered so that the first of every cell come first: whatever part of them is done says something about
    every cell, and more trials are asked for without a new number for the old ones.

    Attributes
    ----------
    name, title, about
        A short name, one line, and a paragraph.
    trials, seed
        Of every cell; of the experiment.
    cells
        The grid.
    x
        The varied parameter along which results are laid out; empty where none is varied.
    symbols
        The varied parameters as the paper writes them.
    printed
        What the paper prints.
    files
        Instances that were read from files, by the number of their table.
    text
        The TOML that it was read from.
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

    def __len__(self) -> int:
        """All trials."""
        return self.trials * len(self.cells)

    def trial(self, index: int) -> Trial:
        """The trial of that number: a function of the grid, the seed and the number alone."""
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
        """Refuse more trials than can be kept track of."""
        if len(self) > MOST_IN_ALL:
            raise InputError(
                f"trials = {self.trials} is not allowed: with {len(self.cells)} cells these are {len(self)} trials, "
                f"and at most {MOST_IN_ALL} are possible."
            )

    @cached_property
    def digest(self) -> str:
        """Of the grid: two experiments with the same one and the same seed have the same rows."""
        grid = json.dumps([cell.as_dict() for cell in self.cells], sort_keys=True, default=str)
        return hashlib.sha256(grid.encode()).hexdigest()[:16]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The algorithms as they are called, in order."""
        return tuple(dict.fromkeys(cell.label for cell in self.cells))

    @cached_property
    def xs(self) -> tuple[Value, ...]:
        """The values of the parameter along which results are laid out, in order."""
        return tuple(dict.fromkeys(cell.varied[self.x] for cell in self.cells if self.x in cell.varied))

    def group(self, cell: Cell) -> str:
        """Where a cell belongs along x, in words."""
        return self.setting(self.x, cell.varied[self.x]) if self.x in cell.varied else ""

    def series(self, cell: Cell) -> str:
        """Which cells it belongs with, whatever their x: the algorithm, and what else is varied."""
        rest = [self.setting(name, value) for name, value in cell.varied.items() if name != self.x]
        return ", ".join([cell.label, *rest])

    @cached_property
    def all_series(self) -> tuple[str, ...]:
        """Every series, in order: each has one colour in all plots."""
        return tuple(dict.fromkeys(self.series(cell) for cell in self.cells))

    def setting(self, name: str, value: Value) -> str:
        """A parameter and its value, as in «ε = 0.01» or «θ flat»."""
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
