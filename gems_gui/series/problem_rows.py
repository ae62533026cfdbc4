"""The rows of the list of problems: repeated problems share a row that can be expanded; does not import Qt."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gems_engine.problems import KINDS, Problem, Severity
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


@dataclass(eq=False)
class ProblemGroup:
    """Problems of one kind, in the order of their events."""

    kind: str
    problems: list[Problem] = field(default_factory=list)

    @property
    def severity(self) -> Severity:
        """Their severity."""
        return KINDS[self.kind][0]


class ProblemRows:
    """Rows for problems: the most severe on top, each kind at its first occurrence.

    A row is made when it is read, because there may be many problems; there are few groups.

    Attributes
    ----------
    groups
        The groups from the top.
    opened
        The kinds that are expanded.
    """

    def __init__(self) -> None:
        self.groups: list[ProblemGroup] = []
        self.opened: set[str] = set()

    def __len__(self) -> int:
        return sum(self.height(group, len(group.problems)) for group in self.groups)

    def __iter__(self) -> Iterator[ProblemRow]:
        return (self[at] for at in range(len(self)))

    def __getitem__(self, at: int) -> ProblemRow:
        for group in self.groups:
            height = self.height(group, len(group.problems))
            if at < height:
                own = group.problems[max(at - 1, 0)]
                return ProblemRow(own, 0) if at else ProblemRow(own, len(group.problems), height > 1)
            at -= height
        raise IndexError(at)

    def height(self, group: ProblemGroup, problems: int) -> int:
        """The rows of a group with this number of problems."""
        return 1 + problems if problems > 1 and group.kind in self.opened else min(problems, 1)

    def start(self, group: ProblemGroup) -> int:
        """The first row of a group."""
        above = self.groups[: self.groups.index(group)]
        return sum(self.height(each, len(each.problems)) for each in above)

    def with_new(self, problems: Iterable[Problem]) -> list[tuple[ProblemGroup, list[Problem]]]:
        """The groups to which these problems belong, new ones included, each with those of them."""
        new: dict[ProblemGroup, list[Problem]] = {}
        known = {group.kind: group for group in self.groups if group.kind not in _EACH_ITS_OWN}
        for each in problems:
            group = known.get(each.kind) or self._add(each.kind)
            if each.kind not in _EACH_ITS_OWN:
                known[each.kind] = group
            new.setdefault(group, []).append(each)
        return list(new.items())

    def _add(self, kind: str) -> ProblemGroup:
        group = ProblemGroup(kind)
        rank = _WORST_FIRST.index(group.severity)
        self.groups.insert(sum(_WORST_FIRST.index(each.severity) <= rank for each in self.groups), group)
        return group

    def row_of(self, problem: Problem) -> int:
        """The row of a problem: its own, or the one that represents it."""
        for group in self.groups:
            at = problems_before(group.problems, problem.event)
            if problem in group.problems[at : problems_before(group.problems, problem.event + 1)]:
                at = group.problems.index(problem, at)
                return self.start(group) + (1 + at if self.height(group, len(group.problems)) > 1 else 0)
        raise ValueError(problem)


def problems_before(problems: Sequence[Problem], event: int) -> int:
    """How many of these problems, which are in order, are before an event."""
    return bisect_left(problems, event, key=lambda each: each.event)
