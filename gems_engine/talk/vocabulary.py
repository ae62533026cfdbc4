"""The vocabulary of captions: names, each with a description and a function for its value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from gems_engine.errors import InputError
from gems_engine.events import CAP
from gems_engine.index_text import Labels
from gems_engine.instance import Instance
from gems_engine.parameters import unknown_name
from gems_engine.state import State
from gems_engine.summary import Summary, summarise
from gems_engine.talk.numbers import Lookup, Wanted
from gems_engine.trace import Trace
from gems_engine.wording import listed

Value = int | float | str | None
"""A number, a name, or None if there is no value yet."""
ARM, TARGET, DIMENSION, FEATURE, PARAMETER = "arm", "target", "dimension", "feature", "parameter"
_summaries: WeakKeyDictionary[Trace, tuple[int, Summary]] = WeakKeyDictionary()


@dataclass(eq=False)
class Sight:
    """A run at a state, for a caption."""

    trace: Trace
    state: State
    lookup: Lookup
    waits: bool = False
    """Whether a requested number is still being computed."""

    @property
    def instance(self) -> Instance:
        """The instance of the run."""
        return self.trace.instance

    @property
    def summary(self) -> Summary:
        """The summary of the whole recorded run."""
        known = _summaries.get(self.trace)
        if known is None or known[0] != len(self.trace):
            known = _summaries[self.trace] = (len(self.trace), summarise(self.trace))
        return known[1]

    def look_up(self, quantity: str, d: int, survivors: tuple[int, ...] = ()) -> float | None:
        """A number that needs a solver."""
        value = self.lookup(self.instance, Wanted(quantity, d, survivors))
        self.waits |= value is None
        return value

    def arm(self, index: str) -> int:
        """The arm named in brackets, by its label or its index."""
        return _found(index, ARM, self.instance.arm_labels)

    def target(self, index: str) -> int:
        """The target named in brackets."""
        return _found(index, TARGET, self.instance.target_labels)

    def feature(self, index: str) -> int:
        """The index of the feature named in brackets; d_k is the last one of the round."""
        return self.state.d - 1 if index == "d_k" else _found(index, FEATURE, self.instance.feature_labels)

    def dimension(self, index: str) -> int:
        """The dimension named in brackets."""
        if index == "d_k":
            return self.state.d
        if not (index.isascii() and index.isdigit() and 1 <= int(index[:9]) <= self.instance.D):
            raise InputError(f"[{index[:20]}]: d must be a whole number from 1 to {self.instance.D}, or d_k.")
        return int(index)

    def names(self, targets: object) -> str:
        """A list of targets by label."""
        indices = np.asarray(targets, dtype=np.int64).tolist()
        return listed(indices, self.instance.target_label) if indices else "none"


def _found(index: str, what: str, labels: Labels) -> int:
    found = labels.find(index)
    if found is None:
        raise InputError(
            f"[{index[:40]}]: there is no such {what}. Write its name, or an index from {labels.first} to "
            f"{labels.first + len(labels) - 1}."
        )
    return found


Give = Callable[[Sight, str], Value]


@dataclass(frozen=True)
class Word:
    """A name of the vocabulary.

    Attributes
    ----------
    name, about
        Its spelling, and a description.
    value
        A function of the run and the argument in brackets.
    of
        The kind of argument in brackets; empty if there is none.
    truth
        Whether it reveals d⋆, the best arm or what follows from them.
    """

    name: str
    about: str
    value: Give
    of: str = ""
    truth: bool = False


def _plain(give: Callable[[Sight], Value]) -> Give:
    return lambda sight, index: give(sight)


def _round_samples(sight: Sight) -> Value:
    state = sight.state
    return int(state.allocation.counts.sum()) if state.allocation is not None else None


def _optimum(sight: Sight) -> Value:
    """The optimum of this round's design problem, with its dimension and the survivors when it was solved."""
    state = sight.state
    if state.design is None:
        return None
    there = np.union1d(state.survivors, state.eliminated_now)
    return sight.look_up("iota", state.design.d, tuple(there.tolist()))


def _weight(sight: Sight, index: str) -> Value:
    arm, design = sight.arm(index), sight.state.design
    if design is None:
        return None
    return float(design.weights[design.support == arm].sum())


def _mean(sight: Sight, index: str) -> Value:
    target, validated = sight.target(index), sight.state.validated
    if validated is None or target not in validated.targets:
        return None
    return float(validated.means[validated.targets == target][0])


def _theta(sight: Sight, index: str) -> Value:
    j, theta = sight.feature(index), sight.state.theta
    return float(theta[j]) if theta is not None and 0 <= j < len(theta) else None


def _parameter(sight: Sight, index: str) -> Value:
    started = sight.state.started or sight.trace.started
    given = {} if started is None else started.parameters
    if index not in given:
        raise unknown_name("parameter of the run", index, given)
    value = given[index]
    return value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _smallest_gap(sight: Sight) -> Value:
    gaps = sight.instance.gaps
    return float(gaps[gaps > 0].min()) if (gaps > 0).any() else None


def _stop(sight: Sight) -> Value:
    """The samples of a run that stopped by its own rule."""
    return None if sight.summary.finish in (None, CAP) else sight.summary.samples


def _validation_samples(sight: Sight) -> Value:
    validated = sight.state.validated
    return None if validated is None else int(validated.pulls) * len(validated.targets)


def _verdict(sight: Sight) -> Value:
    target = sight.state.recommendation
    if target is None:
        return None
    from gems_engine.summary import Tally

    tally = Tally(sight.instance)
    started = sight.state.started or sight.trace.started
    if started is not None:
        tally.add(started)
    if not tally.graded:
        return None
    return "right" if tally.right(target) else "wrong"


def _recommendation(sight: Sight) -> Value:
    target = sight.state.recommendation
    if target is None:
        return None
    origin = f" ({sight.state.origin})" if sight.state.origin else ""
    return sight.instance.target_label(target) + origin


def _leader(sight: Sight) -> Value:
    target = sight.state.leader
    return None if target is None else sight.instance.target_label(target)


def _subroutine(field: str) -> Give:
    return _plain(lambda sight: getattr(sight.state.subroutine, field, None) or None)


def _design(field: str) -> Give:
    return _plain(lambda sight: getattr(sight.state.design, field, None))


def _looked_up(quantity: str) -> Give:
    return lambda sight, index: sight.look_up(quantity, sight.dimension(index))


_WORDS = (
    Word("samples", "all samples so far", _plain(lambda s: s.state.samples)),
    Word("round_samples", "the pulls of this round", _plain(_round_samples)),
    Word("d_k", "the dimension of this round", _plain(lambda s: s.state.d or None)),
    Word("left", "the number of arms that remain", _plain(lambda s: len(s.state.survivors))),
    Word("gone", "the number of arms eliminated in this round", _plain(lambda s: len(s.state.eliminated_now))),
    Word("survivors", "the arms that remain, by name", _plain(lambda s: s.names(s.state.survivors))),
    Word(
        "eliminated",
        "the arms eliminated in this round, by name",
        _plain(lambda s: s.names(s.state.eliminated_now)),
    ),
    Word(
        "recommendation",
        "the recommended arm, and whether it is carried over or by validation",
        _plain(_recommendation),
    ),
    Word("leader", "the remaining arm with the largest latest estimate", _plain(_leader)),
    Word("ell", "ℓ, the loop (in a fixed-budget run its i)", _plain(lambda s: s.state.place.ell)),
    Word("i", "i, the call in it (in a fixed-budget run its j)", _plain(lambda s: s.state.place.i)),
    Word("k", "k, the round", _plain(lambda s: s.state.place.k)),
    Word("rounds", "n, the largest number of rounds of this call", _subroutine("rounds")),
    Word("B", "B, the selection budget", _subroutine("selection_budget")),
    Word("T", "T, the samples of this call in a fixed-budget run", _subroutine("budget")),
    Word("T_prime", "T′, the pulls of each round of GEMS-b", _plain(lambda s: getattr(s.state.divided, "pulls", None))),
    Word(
        "D_tilde",
        "D̃, the largest dimension in which T′ pulls can be rounded; 0 for none",
        _plain(lambda s: getattr(s.state.top_dimension, "top", None)),
    ),
    Word("delta", "δ of this call", _subroutine("delta")),
    Word("cost", "gₖ(dₖ), the cost of the chosen dimension", _design("cost")),
    Word("value", "the value ι of this round's design, as computed by the solver", _design("value")),
    Word("lower_bound", "the proven lower bound on the best possible value", _design("lower_bound")),
    Word("optimum", "the best possible value of this round's design, computed with proof", _plain(_optimum)),
    Word("weight", "the weight λ of an arm in this round's design", _weight, ARM),
    Word("pulls", "how often an arm was pulled so far", lambda s, i: int(s.state.counts[s.arm(i)]), ARM),
    Word("theta", "the entry of the estimate θ̂ for a feature", _theta, FEATURE),
    Word("candidates", "the candidates of selection, by name", _plain(lambda s: s.names(s.state.candidates))),
    Word("candidate_count", "the number of candidates", _plain(lambda s: len(s.state.candidates))),
    Word("mean", "the mean of a candidate in the validation", _mean, TARGET),
    Word(
        "validation_pulls",
        "how often each candidate was pulled in the validation",
        _plain(lambda s: getattr(s.state.validated, "pulls", None)),
    ),
    Word("validation_samples", "the samples of the validation, of all candidates", _plain(_validation_samples)),
    Word("stop", "the sample at which the run stopped by its own rule, in the whole run", _plain(_stop)),
    Word("iota", "ι, the value of the best design for all arms in Rᵈ", _looked_up("iota"), DIMENSION),
    Word("D", "D, the number of features", _plain(lambda s: s.instance.D)),
    Word("arms", "the number of arms", _plain(lambda s: len(s.instance.arms))),
    Word("targets", "the number of targets", _plain(lambda s: len(s.instance.targets))),
    Word("algorithm", "the name of the algorithm", _plain(lambda s: getattr(s.trace.started, "algorithm", None))),
    Word("seed", "the seed of the run", _plain(lambda s: getattr(s.trace.started, "seed", None))),
    Word("parameter", "a parameter of the run, such as budget or zeta", _parameter, PARAMETER),
    Word("event", "the number of events shown", _plain(lambda s: s.state.cursor)),
    Word("events", "the number of events of the run", _plain(lambda s: len(s.trace))),
    Word("d_star", "d⋆, the number of features that matter", _plain(lambda s: s.instance.d_star), truth=True),
    Word("best", "the best arm", _plain(lambda s: s.instance.target_label(s.instance.best)), truth=True),
    Word("gap", "the true gap Δ of an arm", lambda s, i: float(s.instance.gaps[s.target(i)]), TARGET, truth=True),
    Word("smallest_gap", "the smallest true gap", _plain(_smallest_gap), truth=True),
    Word("rho_star", "ρ⋆, the complexity of the instance in Rᵈ", _looked_up("rho_star"), DIMENSION, truth=True),
    Word("iota_star", "ι⋆, the same without the gaps", _looked_up("iota_star"), DIMENSION, truth=True),
    Word(
        "gamma",
        "γ̃, the distance of the rewards from every linear model in Rᵈ",
        _looked_up("gamma"),
        DIMENSION,
        truth=True,
    ),
    Word("verdict", '"right" or "wrong", for the recommendation', _plain(_verdict), truth=True),
    Word(
        "tau",
        "τ, the sample after which the recommendation stays right, in the whole run",
        _plain(lambda s: s.summary.tau),
        truth=True,
    ),
)
VOCABULARY: dict[str, Word] = {word.name: word for word in _WORDS}
"""All names, in order of display."""
