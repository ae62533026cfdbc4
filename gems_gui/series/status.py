"""The state of a run in one line."""

from __future__ import annotations

from dataclasses import dataclass

from gems_engine.algorithms import algorithm_title
from gems_engine.events import Place
from gems_engine.state import State
from gems_engine.terminal import number, plural, with_indices
from gems_engine.verdict import verdict
from gems_engine.wording import answer_text, contenders, place_text, recorded_text
from gems_gui.series.wordings import Phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.truth import discreet_name


@dataclass(frozen=True)
class Status:
    """The parts of the status line as texts; empty if there is nothing to show."""

    place: str
    samples: str
    survivors: str
    recommendation: str

    @property
    def after_place(self) -> Phrasings:
        """Everything after the position, with shorter phrasings."""
        samples, name = self.samples.replace("samples ", "N "), self.recommendation.removeprefix("recommends ")
        call, colon, count = self.survivors.rpartition(": ")  # the call, if it is not that at the cursor
        there = f"{call}{colon}{count.replace(' arms ', ' ')}"
        fewest = f"{call}{colon}{count.split()[0]} {count.split()[-1]}"
        # The completed call is said to the last; the strip says what is recommended.
        least = (("", fewest, name), ("", fewest, "")) if call else ((samples, "", name), ("", "", name))
        said = (
            (self.samples, self.survivors, self.recommendation),
            (self.samples, self.survivors, name),
            (self.samples, there, name),
            (samples, there, name),
            (samples, fewest, name),
            *least,
        )
        return tuple(filter(None, dict.fromkeys(" · ".join(filter(None, parts)) for parts in said)))

    def __str__(self) -> str:
        return " · ".join(filter(None, (self.place, self.samples, self.survivors, self.recommendation)))


def status(snapshot: Snapshot) -> Status:
    """ℓ, i, k of n, samples, survivors and the recommendation at the cursor; in a single call, the leader."""
    state, instance = snapshot.state, snapshot.instance
    place = place_text(state.place, state.algorithm)
    if state.place.k and state.subroutine is not None and state.subroutine.rounds:
        place += f" of {number(state.subroutine.rounds)}"
    remain = contenders(state)
    if state.finished is not None:
        place = f"ended: {recorded_text(state.finished.why)}"
        if snapshot.completed >= 0:
            place += f" in {_call(snapshot, snapshot.cut_row)}"
            remain = f"{_call(snapshot, snapshot.completed)}: {remain}"
    elif not place:
        place = _between(state)
    return Status(
        place,
        f"samples {number(state.samples)}",
        remain,
        answer_text(state, instance),
    )


def _call(snapshot: Snapshot, row: int) -> str:
    calls = snapshot.history.subroutines
    return place_text(Place(int(calls.ell[row]), int(calls.i[row])), snapshot.state.algorithm)


def _between(state: State) -> str:
    """The position where no counter applies: in a validation, or around the rounds of a single call."""
    if state.validated is not None:
        return "validation"
    if state.subroutine is None:
        return "start"
    if state.subroutine_finished is None:
        return "before round 1"
    last = state.round_place.k if state.idle is None else state.idle.last
    if not last:
        return "ended before round 1"
    planned = f" of {number(state.subroutine.rounds)}" if state.subroutine.rounds else ""  # RAGE plans no number
    return f"ended in round {number(last)}{planned}"


def outcome(snapshot: Snapshot, promise: str = "") -> str:
    """The verdict at the end of a run, with what theory promised if that is given; the status at every other cursor."""
    judged = verdict(snapshot.history, snapshot.state)
    return str(status(snapshot)) if judged is None else judged.sentence(not snapshot.truth, promise)


def caption(snapshot: Snapshot) -> str:
    """The run, as a caption for a picture."""
    started = snapshot.state.started
    name = (snapshot.instance.name if snapshot.truth else discreet_name(snapshot.instance)) or "an instance"
    return name if started is None else f"{algorithm_title(started.algorithm)} on {name}, seed {started.seed}"


def talk_caption(snapshot: Snapshot) -> str:
    """The run for an audience: its instance without the parameters, with arms and features."""
    started, instance = snapshot.state.started, snapshot.instance
    name = discreet_name(instance) or "an instance"
    about = with_indices(f"{name}, {plural(len(instance.arms), 'arm')} in R^{instance.D}")
    return about if started is None else f"{algorithm_title(started.algorithm)} on {about}, seed {started.seed}"
