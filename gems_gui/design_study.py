"""A design problem under study, and its designs side by side; does not import Qt."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.design import Design, DesignProblem, Step, improve, relative_gap, solve_design
from gems_engine.design.examination import Examination, examine, examine_design
from gems_engine.errors import InputError
from gems_engine.events import DesignSolved
from gems_engine.formats.certificate_format import DesignCertificate, certificate_of
from gems_engine.instance import Instance
from gems_engine.rounding import Allocation, allocate
from gems_engine.terminal import number, plural

CERTIFIED, FRANK_WOLFE = "certified", "frank-wolfe"


@dataclass(frozen=True)
class Method:
    """A solver with the relative gap that it has to prove; Frank–Wolfe, as published, ignores it."""

    solver: str = CERTIFIED
    tolerance: float = 1e-6

    @property
    def label(self) -> str:
        """The method as text, for a table."""
        return "Frank–Wolfe, 1 %" if self.solver == FRANK_WOLFE else f"{self.solver}, {number(self.tolerance)}"


@dataclass(frozen=True)
class DesignQuery:
    """A problem and a method; equal queries have the same answer."""

    digest: str
    """Digest of the instance's features; rewards are not part of a design."""
    chosen: tuple[int, ...]
    d: int
    method: Method
    arms: Floats = field(compare=False, repr=False)
    targets: Floats = field(compare=False, repr=False)


@dataclass(frozen=True, eq=False)
class Solved:
    """The answer: a design and its examination."""

    design: Design
    examination: Examination


@lru_cache(maxsize=8)
def features_of(instance: Instance) -> str:
    """A digest of what designs depend on: arms and targets, not rewards."""
    state = hashlib.sha256()
    for table in (instance.arms, instance.targets):
        state.update(f"{table.shape}".encode())
        state.update(table.tobytes())
    return state.hexdigest()


@lru_cache(maxsize=32)
def _problem(question: DesignQuery) -> DesignProblem:
    return DesignProblem(question.arms, targets=question.targets)


def answer(question: DesignQuery) -> Solved:
    """Solve and examine: a query for the analysis worker."""
    import scipy.linalg  # imported before the solver's clock starts
    import scipy.optimize  # noqa: F401  # for the same reason

    problem = _problem(question)
    design = solve_design(problem, question.method.solver, question.method.tolerance)
    if question.method.solver == CERTIFIED:
        return Solved(design, examine_design(problem, design))
    # One direction proves little: search for the best proof, using the directions that the certified solver found to
    # matter.
    return Solved(design, examine(problem, design.weights, (solve_design(problem), design), thorough=True))


@dataclass(frozen=True, eq=False)
class Subject:
    """The problem of a study: targets whose differences are the directions, in R^d, and how the run solved it.

    Attributes
    ----------
    chosen
        The targets, sorted.
    label
        Its origin: a round of the run, or the user.
    recorded
        The design in the run, None for a set or a dimension chosen by the user.
    pulls
        N: that of the round if it has an allocation, else r_d(ζ).
    allocated
        Whether N is that of the round.
    """

    instance: Instance
    chosen: tuple[int, ...]
    d: int
    method: Method
    words: str
    pulls: int
    zeta: float = 1.0
    recorded: DesignSolved | None = None
    allocated: bool = False

    @property
    def key(self) -> tuple[str, tuple[int, ...], int]:
        """Equal for equal problems."""
        return features_of(self.instance), self.chosen, self.d

    @property
    def problem(self) -> DesignProblem:
        """Arms and targets in R^d, with the geometry found for an equal subject."""
        return _problem(self.question(self.method))

    def question(self, method: Method) -> DesignQuery:
        """This problem for a method."""
        arms, targets = self.instance.arms[:, : self.d], self.instance.targets[list(self.chosen), : self.d]
        return DesignQuery(*self.key, method, arms, targets)

    def label(self, position: int) -> str:
        """The label of a target, by its position among the chosen ones."""
        return self.instance.target_label(self.chosen[position])

    def pair(self, pair: tuple[int, int] | None) -> str:
        """The labels of two targets."""
        return "none" if pair is None else f"{self.label(pair[0])} – {self.label(pair[1])}"


@dataclass(frozen=True, eq=False)
class DesignEntry:
    """A design in the table: solved, or custom weights, which have no `design`."""

    label: str
    examination: Examination
    design: Design | None = None

    @property
    def tolerance(self) -> float:
        """The tolerance of the equivalence theorem."""
        return self.design.tolerance if self.design is not None else 1e-6


@dataclass(frozen=True, eq=False)
class CustomWeights:
    """Weights entered by the user or read from a file.

    Attributes
    ----------
    examination
        With the best proof found for them, for the problem with this `key`; None before the search.
    step
        The step of *Improve* that led to them; None for all others.
    """

    label: str
    weights: Floats
    key: tuple[str, tuple[int, ...], int] | None = None
    examination: Examination | None = None
    step: Step | None = None


@dataclass(frozen=True, eq=False)
class Study:
    """Everything that the design debugger shows.

    Attributes
    ----------
    solved
        By the subject's own method.
    compared
        By another method, for comparison.
    reference
        A certified design if neither of the two is: it shows how far they are from the optimum.
    custom
        Weights given by the user; if present, the plots show them.
    pulls
        N of the rounding.
    waits
        What is still being computed, as text; empty for nothing.
    """

    subject: Subject
    solved: DesignEntry
    compared: DesignEntry | None = None
    reference: DesignEntry | None = None
    custom: DesignEntry | None = None
    pulls: int = 1
    waits: str = ""

    @property
    def main(self) -> DesignEntry:
        """The design shown in the plots."""
        return self.custom or self.solved

    @property
    def other(self) -> DesignEntry | None:
        """The design drawn for comparison."""
        return self.compared or (self.solved if self.custom is not None else None)

    @property
    def entries(self) -> list[DesignEntry]:
        """All designs, the main one first."""
        every = (self.custom, self.solved, self.compared, self.reference)
        return [each for each in every if each is not None]

    @property
    def bound(self) -> float:
        """The best lower bound on the optimum that any of the designs proves."""
        return max(each.examination.lower_bound for each in self.entries)

    def excess(self, entry: DesignEntry) -> float:
        """The largest relative distance of an entry's value from that bound."""
        return max(0.0, relative_gap(entry.examination.upper_bound, self.bound))

    @property
    def proof(self) -> str:
        """The arithmetic by which the bounds are proven."""
        return self.solved.design.proof if self.solved.design is not None else ""

    def certificate(self) -> DesignCertificate:
        """The main weights with the best lower bound on the optimum that a solved design proves."""
        designs = [each.design for each in self.entries if each.design is not None]
        best, seen = max(designs, key=lambda each: each.lower_bound), self.main.examination
        if self.main.design is best:
            return certificate_of(self.subject.problem, best)
        within = relative_gap(seen.upper_bound, best.lower_bound) <= best.tolerance
        shown = replace(
            best,
            weights=seen.weights,
            value=seen.value,
            upper_bound=seen.upper_bound,
            status="certified" if within else "uncertified",
            solver=self.main.label,
        )
        return certificate_of(self.subject.problem, shown)

    @cached_property
    def rounding(self) -> Allocation | None:
        """The main weights as whole pulls; None if they cannot be rounded."""
        seen = self.main.examination
        try:
            return allocate(self.subject.problem, seen.weights, self.pulls, self.subject.zeta, seen.value)
        except InputError:
            return None


def searched(question: DesignQuery, weights: Floats, designs: tuple[Design, ...]) -> Examination:
    """Examine weights with the best proof found for them: a query for the analysis worker."""
    return examine(_problem(question), weights, designs, thorough=True)


def improved(question: DesignQuery, weights: Floats) -> Step | None:
    """One step to better weights: a query for the analysis worker."""
    return improve(_problem(question), weights)


def step_text(step: Step) -> str:
    """A text about a step, with the predicted and the measured slope."""
    count = int((step.gains > 1e-9).sum())
    arms = plural(count, "arm")
    done = f"Improve moved {number(100.0 * float(step.gains.sum()), 3)} % of the weight to {arms}"
    values = f"value {number(step.before, 6)} → {number(step.value, 6)}"
    if not np.isfinite(step.before):
        return f"{done}: {values}."
    slopes = f"slope predicted {number(step.predicted, 5)}, measured {number(step.measured, 5)}"
    return f"{done}: {values}; {slopes}."


def entry_of(method: Method, solved: Solved) -> DesignEntry:
    """The table entry of a solved design."""
    return DesignEntry(method.label, solved.examination, solved.design)


def custom_entry(subject: Subject, hand: CustomWeights, designs: tuple[Design, ...]) -> DesignEntry:
    """The table entry of custom weights, proven as well as solved designs of the same problem allow."""
    if hand.examination is not None and hand.key == subject.key:
        return DesignEntry(hand.label, hand.examination)
    return DesignEntry(hand.label, examine(subject.problem, hand.weights, designs))


def needs(method: Method, compared: Method | None) -> dict[str, Method]:
    """The methods that a study needs, by their part in it."""
    wanted = {"solved": method}
    if compared is not None and compared != method:
        wanted["compared"] = compared
    if all(each.solver != CERTIFIED for each in wanted.values()):
        wanted["reference"] = Method()
    return wanted
