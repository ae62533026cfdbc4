"""A story with its runs: the cursor, the caption and the duration of each moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gems_engine.errors import InputError
from gems_engine.history import History
from gems_engine.state import State
from gems_engine.talk.annotation import Mark, mark_of, placeholders
from gems_engine.talk.captions import PENDING, fill, reveals_truth, value_of
from gems_engine.talk.numbers import Lookup, compute
from gems_engine.talk.story import Story, StoryMoment
from gems_engine.trace import Trace

_LOOK, _READ, _LEAST = 1.5, 15.0, 3.0  # seconds to look at the picture, characters read per second, shortest duration


class BoundStory:
    """A story about a run.

    Parameters
    ----------
    trace
        Its run, which may still grow.
    story
        The story; by default that of the run.
    histories
        Histories of any runs; those of the story's runs are reused instead of being read again.
    """

    def __init__(self, trace: Trace, story: Story | None = None, histories: Iterable[History] = ()) -> None:
        given = trace.story if story is None else story
        if given is None:
            raise InputError("The run has no story.")
        self.story: Story = given
        self.traces = (trace, *(each.trace for each in given.companions))
        self._given = {id(each.trace): each for each in histories}
        self._own: dict[int, History] = {}

    def __len__(self) -> int:
        return len(self.story.moments)

    def __getitem__(self, at: int) -> StoryMoment:
        return self.story.moments[at]

    @property
    def runs(self) -> Mapping[str, Trace]:
        """The runs by their names in captions."""
        return dict(zip(self.story.run_names, self.traces, strict=True))

    def trace_of(self, at: int) -> Trace:
        """The run of a moment."""
        return self.traces[self[at].run]

    @property
    def histories(self) -> tuple[History, ...]:
        """The histories of the story's runs, for another story about the same runs."""
        known = self._given | self._own
        return tuple(known[id(trace)] for trace in self.traces if id(trace) in known)

    def history_of(self, at: int) -> History:
        """The history of the run of a moment."""
        return self.history_of_run(self[at].run)

    def history_of_run(self, run: int) -> History:
        """The history of a run, by its number in the story."""
        trace = self.traces[run]
        if id(trace) in self._given:
            return self._given[id(trace)]
        if id(trace) not in self._own:
            self._own[id(trace)] = History(trace)
        self._own[id(trace)].update()
        return self._own[id(trace)]

    def find(self, at: int) -> tuple[int, bool]:
        """The cursor of a moment, and whether it is exact; otherwise it is the closest one before."""
        where, history = self[at].where, self.history_of(at)
        return (history.events, True) if where.end else where.find(history)

    def second_cursor(self, at: int) -> int:
        """The cursor of the second run of a moment."""
        second = self[at].second
        assert second is not None
        history = self.history_of_run(second.run)
        return history.events if second.where.end else second.where.find(history)[0]

    def cursor(self, at: int) -> int:
        """The cursor of a moment."""
        return self.find(at)[0]

    def state(self, at: int) -> State:
        """The state there."""
        return self.trace_of(at).state_at(self.cursor(at))

    def caption(self, at: int, truth: bool = True, lookup: Lookup = compute) -> str:
        """The caption of a moment with its numbers.

        Raises
        ------
        InputError
            One sentence on the first placeholder that has no meaning here; it names the moment.
        """
        try:
            return fill(self[at].caption, self.trace_of(at), self.state(at), self.runs, truth, lookup)
        except InputError as error:
            raise InputError(f"Moment {at + 1}: {error}") from error

    def marks(self, at: int, truth: bool = True, lookup: Lookup = compute) -> tuple[Mark, ...]:
        """The annotations of a moment with their numbers, without those that are hidden or not computed yet.

        Those in the plot of the second run have the numbers of that run.

        Raises
        ------
        InputError
            One sentence on the first placeholder that has no meaning here; it names the moment.
        """
        try:
            made = [self._mark(at, number, truth, lookup) for number in range(len(self[at].annotations))]
        except InputError as error:
            raise InputError(f"Moment {at + 1}: {error}") from error
        return tuple(each for each in made if each is not None)

    def _mark(self, at: int, number: int, truth: bool, lookup: Lookup) -> Mark | None:
        annotation, second = self[at].annotations[number], self[at].second
        trace, state = self.trace_of(at), self.state(at)
        if annotation.second and second is not None:
            trace = self.traces[second.run]
            state = trace.state_at(self.second_cursor(at))
        if not truth and any(map(reveals_truth, placeholders(annotation))):
            return None

        def words(text: str) -> str | None:
            said = fill(text, trace, state, self.runs, truth, lookup)
            return None if PENDING in said and PENDING not in text else said

        return mark_of(annotation, lambda each: value_of(each, trace, state, self.runs, truth, lookup), words)

    def seconds(self, at: int, truth: bool = True, lookup: Lookup = compute) -> float:
        """The duration of a moment when the story plays automatically."""
        given = self[at].seconds
        return reading_seconds(self.caption(at, truth, lookup)) if given is None else float(given)

    @property
    def duration(self) -> float:
        """The duration of the whole story, without the transitions between moments."""
        return sum(self.seconds(at) for at in range(len(self)))


def reading_seconds(text: str) -> float:
    """The time to read a caption and look at the picture above it."""
    return max(_LEAST, _LOOK + len(text) / _READ)
