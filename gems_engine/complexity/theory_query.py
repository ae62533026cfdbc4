"""The theory of a run: what to compute, as a value, and the answers that are already known."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from gems_engine.complexity.run_theory import RunTheory, run_theory
from gems_engine.events import RunStarted
from gems_engine.instance import Instance

_REMEMBERED = 32
_COUNTS = ("delta", "zeta", "rounding", "base", "epsilon", "budget", "solver", "tolerance")
"""Parameters that enter a bound or one of its conditions."""


@dataclass(frozen=True, eq=False)
class TheoryQuery:
    """The theory to compute: a pure function of these, on the analysis worker."""

    instance: Instance
    algorithm: str
    parameters: dict[str, Any]
    forced: dict[str, Any] = field(default_factory=dict)
    rewards: str = ""

    @property
    def key(self) -> Hashable:
        """Equal for queries with the same answer."""
        given, forced = (tuple(sorted(each.items(), key=str)) for each in (self.parameters, self.forced))
        return self.instance.digest, self.algorithm, given, forced, self.rewards


def query_of(started: RunStarted, instance: Instance) -> TheoryQuery:
    """The query about a run with these settings."""
    given = {name: started.parameters[name] for name in _COUNTS if started.parameters.get(name) is not None}
    return TheoryQuery(instance, started.algorithm, given, dict(started.forced), started.rewards)


def answer(question: TheoryQuery) -> RunTheory:
    """Compute the theory of a query."""
    return run_theory(question.instance, question.algorithm, question.parameters, question.forced, question.rewards)


class Known:
    """The last known answers."""

    def __init__(self) -> None:
        self._answers: OrderedDict[Hashable, RunTheory] = OrderedDict()

    def get(self, question: TheoryQuery | None) -> RunTheory | None:
        """The answer, if it is known."""
        return None if question is None else self._answers.get(question.key)

    def put(self, question: TheoryQuery, theory: RunTheory) -> None:
        """Remember an answer."""
        self._answers[question.key] = theory
        while len(self._answers) > _REMEMBERED:
            self._answers.popitem(last=False)

    def find(self, question: TheoryQuery | None) -> RunTheory | None:
        """The answer, computed now if it is not known."""
        found = self.get(question)
        if found is None and question is not None:
            found = answer(question)
            self.put(question, found)
        return found


KNOWN = Known()
"""Shared by all views, commands and pages."""
