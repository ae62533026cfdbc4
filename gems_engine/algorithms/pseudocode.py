"""The paper's pseudo-code: lines of algorithms, each with its events.

The lines are in the file of their algorithm. They are plain text: ``d_k`` and ``R^{d_k}`` have indices, ``**for**`` is
a keyword, and text after ``▷`` is a remark. :data:`gems_engine.algorithms.symbols.SYMBOLS` defines the symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gems_engine.algorithms.symbols import SYMBOLS, Symbol
from gems_engine.events import Event

RUN, LOOP, SUBROUTINE, ROUND = "run", "loop", "subroutine", "round"
"""Units at whose start a line may be passed: the first subroutine, the first one of a loop, any one, a round."""
REMARK = "▷"


@dataclass(frozen=True)
class Said:
    """Events of a kind that meet a condition."""

    kind: type[Event]
    when: Callable[[Any], bool]

    def __call__(self, event: Event) -> bool:
        """Whether an event is one of them."""
        return isinstance(event, self.kind) and self.when(event)


@dataclass(frozen=True)
class Line:
    """One line of an algorithm.

    Attributes
    ----------
    id
        Its name in its listing.
    text
        The text of the paper.
    indent
        The number of enclosing loops and conditions.
    events
        The events of this line: a kind, or those of a kind that meet a condition.
    alone
        Events that belong to this line only if its listing is the whole run.
    passed
        For a line without events of its own: the unit at whose start it is passed, or the lines before which it is
        passed.
    calls
        The listing that it calls.
    shows
        Symbols whose values are shown at this line.
    numbered
        Whether it has a number; input and output have none.
    ours
        Whether the line is not in the paper; docs/decisions.md says why it is here. It has no number either.
    """

    id: str
    text: str
    indent: int = 0
    events: tuple[type[Event] | Said, ...] = ()
    passed: str | tuple[str, ...] = ()
    calls: Listing | None = None
    shows: tuple[str, ...] = ()
    numbered: bool = True
    ours: bool = False
    alone: tuple[type[Event] | Said, ...] = ()

    @property
    def kinds(self) -> tuple[type[Event], ...]:
        """The kinds of its events."""
        return tuple(each.kind if isinstance(each, Said) else each for each in (*self.events, *self.alone))

    def says(self, event: Event | None, alone: bool = True) -> bool:
        """Whether an event belongs to this line; ``alone``: whether its listing is the whole run."""
        if event is None:
            return False
        said = (*self.events, *self.alone) if alone else self.events
        return any(each(event) if isinstance(each, Said) else isinstance(event, each) for each in said)


@dataclass(frozen=True, eq=False)
class Listing:
    """An algorithm in lines; each is only equal to itself.

    Attributes
    ----------
    name
        The name used by lines that call it.
    title
        A short description.
    lines
        The lines from top to bottom.
    symbols
        Symbols whose meaning differs from :data:`SYMBOLS`.
    folds
        Whether its lines are shown only while it runs; its result is a value at the line that calls it.
    """

    name: str
    title: str
    lines: tuple[Line, ...]
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    folds: bool = False

    def __getitem__(self, line: str) -> Line:
        return next(each for each in self.lines if each.id == line)

    def symbol(self, name: str) -> Symbol:
        """The meaning of a symbol here."""
        return self.symbols.get(name) or SYMBOLS[name]

    def number_of(self, line: str) -> int:
        """The number of a line, from 1; 0 if it has none."""
        numbered = [each.id for each in self.lines if each.numbered and not each.ours]
        return numbered.index(line) + 1 if line in numbered else 0

    def sayers(self, line: Line) -> tuple[Line, ...]:
        """The lines whose events lead to a line: itself, those it is passed with, or the first line it calls."""
        if line.kinds or isinstance(line.passed, str):
            return (line,)
        if line.passed:
            return tuple(self[each] for each in line.passed)
        return line.calls.lines[:1] if line.calls is not None else ()

    def all_called(self) -> Iterator[Listing]:
        """This listing and all that it calls, each once."""
        seen: list[Listing] = [self]
        for listing in seen:
            yield listing
            seen += [line.calls for line in listing.lines if line.calls is not None and line.calls not in seen]

    def path_of(self, event: Event | None, alone: bool = True) -> tuple[tuple[Listing, Line], ...]:
        """The lines of an event from the outermost call to the innermost; empty if it has none.

        A line of the caller comes before those of what it calls.
        """
        for line in self.lines:
            if line.says(event, alone):
                return ((self, line),)
        for line in self.lines:
            deeper = line.calls.path_of(event, False) if line.calls is not None else ()
            if deeper:
                return ((self, line), *deeper)
        return ()


def in_round(event: Event) -> bool:
    """Whether an event belongs to a round, not to a validation."""
    return bool(event.place.k)


def outside_rounds(event: Event) -> bool:
    """Whether an event belongs to no round."""
    return not event.place.k


def before_loops(event: Event) -> bool:
    """Whether an event comes before the first loop."""
    return not event.place.ell


def in_loop(event: Event) -> bool:
    """Whether an event belongs to a loop."""
    return bool(event.place.ell)
