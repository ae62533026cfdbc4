"""A story with its runs at hand: where each moment is, what its caption says, how long it stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gems_engine.errors import InputError
from gems_engine.history import History
from gems_engine.state import State
from gems_engine.talk.captions import fill
from gems_engine.talk.numbers import Lookup, compute
from gems_engine.talk.story import Story, StoryMoment
from gems_engine.trace import Trace

_LOOK, _READ, _LEAST = 1.5, 15.0, 3.0  # seconds for a look at the picture, letters read in a second, shortest stay


class Telling:
    """A story about a run.

    Parameters
    ----------
    trace
        The run that it belongs to; it may still grow.
    story
        Its own story if none is given.
    histories
        Of any runs, as far as somebody has read them; those of the story's runs are used and not read again.
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
        """The runs by the names that captions have for them."""
        return dict(zip(self.story.run_names, self.traces, strict=True))

    def trace_of(self, at: int) -> Trace:
        """The run that a moment is of."""
        return self.traces[self[at].run]

    @property
    def histories(self) -> tuple[History, ...]:
        """What was read of the story's runs, for another story of the same ones."""
        known = self._given | self._own
        return tuple(known[id(trace)] for trace in self.traces if id(trace) in known)

    def history_of(self, at: int) -> History:
        """The rounds of that run, all that are known."""
        trace = self.trace_of(at)
        if id(trace) in self._given:
            return self._given[id(trace)]
        if id(trace) not in self._own:
            self._own[id(trace)] = History(trace)
        self._own[id(trace)].update()
        return self._own[id(trace)]

    def find(self, at: int) -> tuple[int, bool]:
        """The cursor of a moment, and whether it is exactly there; else it is the nearest one before."""
        where, history = self[at].where, self.history_of(at)
        return (history.events, True) if where.end else where.find(history)

    def cursor(self, at: int) -> int:
        """The cursor of a moment."""
        return self.find(at)[0]

    def state(self, at: int) -> State:
        """The state there."""
        return self.trace_of(at).state_at(self.cursor(at))

    def caption(self, at: int, truth: bool = True, lookup: Lookup = compute) -> str:
        """What a moment says, with its numbers.

        Raises
        ------
        InputError
            One sentence on the first placeholder that means nothing here; it names the moment.
        """
        try:
            return fill(self[at].caption, self.trace_of(at), self.state(at), self.runs, truth, lookup)
        except InputError as error:
            raise InputError(f"Moment {at + 1}: {error}") from error

    def seconds(self, at: int, truth: bool = True, lookup: Lookup = compute) -> float:
        """How long a moment stays where the story plays by itself."""
        given = self[at].seconds
        return reading_seconds(self.caption(at, truth, lookup)) if given is None else float(given)

    @property
    def duration(self) -> float:
        """How long the whole story stays, without the ways from one moment to the next."""
        return sum(self.seconds(at) for at in range(len(self)))


def reading_seconds(text: str) -> float:
    """How long somebody needs for a caption and a look at the picture above it."""
    return max(_LEAST, _LOOK + len(text) / _READ)
