"""The rows of the list of problems: repeated problems share a row that can be expanded; does not import Qt."""

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
        Its problem; if it represents several, the first.
    times
        How many it represents; 0 for one below an expanded row.
    opened
        Whether all of them are listed below it.
    """

    problem: Problem
    times: int = 1
    opened: bool = False

    @property
    def repeats(self) -> bool:
        """Whether it represents several."""
        return self.times > 1

    @property
    def words(self) -> str:
        """The text of the row; the count comes before the sentence, which may be elided."""
        if not self.repeats:
            return f"{_INDENT if not self.times else ''}{self.problem.sentence}"
        return f"{'▾' if self.opened else '▸'} {number(self.times)} times. {self.problem.sentence}"


def problem_rows(problems: Sequence[Problem], opened: Collection[str]) -> list[ProblemRow]:
    """Rows for problems in the order of their events: the most severe on top, each kind at its first occurrence.

    Parameters
    ----------
    opened
        The kinds that are expanded.
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
    """The row of a problem: its own, or the one that represents it."""
    own = [at for at, row in enumerate(rows) if row.problem == problem and not row.repeats]
    return own[0] if own else next(at for at, row in enumerate(rows) if row.problem.kind == problem.kind)
