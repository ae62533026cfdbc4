"""The list of problems as it is read: what repeats is one row, which can be opened; knows no Qt."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gems_engine.problems import Problem
from gems_engine.terminal import number

_EACH_ITS_OWN = ("theorem",)
"""Kinds whose sentences have nothing in common but their heading."""
_WORST_FIRST = ("error", "warning", "note")
_INDENT = "      "


@dataclass(frozen=True)
class ProblemRow:
    """One row.

    Attributes
    ----------
    problem
        The one that it is about; of those that it stands for, the first.
    times
        How many it stands for; 0 for one of those below an opened row.
    opened
        Whether all of them are listed below it.
    """

    problem: Problem
    times: int = 1
    opened: bool = False

    @property
    def repeats(self) -> bool:
        """Whether it stands for several."""
        return self.times > 1

    @property
    def words(self) -> str:
        """What stands in the row: how many come before a sentence that may be cut off."""
        if not self.repeats:
            return f"{_INDENT if not self.times else ''}{self.problem.sentence}"
        return f"{'▾' if self.opened else '▸'} {number(self.times)} times. {self.problem.sentence}"


def problem_rows(problems: Sequence[Problem], opened: Collection[str]) -> list[ProblemRow]:
    """Rows for problems in the order of their events: the worst on top, each kind where it shows first.

    Parameters
    ----------
    opened
        The kinds of which every one is listed.
    """
    groups: dict[object, list[Problem]] = {}
    for at, each in enumerate(problems):
        groups.setdefault(at if each.kind in _EACH_ITS_OWN else each.kind, []).append(each)
    rows: list[ProblemRow] = []
    for first, *others in sorted(groups.values(), key=lambda group: _WORST_FIRST.index(group[0].severity)):
        listed = bool(others) and first.kind in opened
        rows.append(ProblemRow(first, 1 + len(others), listed))
        if listed:
            rows += [ProblemRow(each, 0) for each in (first, *others)]
    return rows


def row_of(rows: Sequence[ProblemRow], problem: Problem) -> int:
    """The row in which a problem is found: its own, or that which stands for it."""
    own = [at for at, row in enumerate(rows) if row.problem == problem and not row.repeats]
    return own[0] if own else next(at for at, row in enumerate(rows) if row.problem.kind == problem.kind)
