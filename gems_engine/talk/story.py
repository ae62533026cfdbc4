"""What a story is: moments of a run, and perhaps of others beside it, in the order in which they are told."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gems_engine.bookmark import Bookmark
from gems_engine.errors import InputError
from gems_engine.parameters import shown
from gems_engine.trace import Trace

MOST_MOMENTS = 500
MOST_VIEWS = 8
MOST_OPTIONS = 40
MOST_COMPANIONS = 8
MOST_CAPTION = 600
MOST_NOTES = 5000
MOST_TITLE = 200
LONGEST = 3600.0
"""Most seconds that a moment may stay."""
RUN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_VIEW = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_OPTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,39}")
ViewOption = tuple[str, str, str]
"""A view, an option of it, and the value that is chosen."""


@dataclass(frozen=True)
class StoryMoment:
    """One moment of a story.

    Attributes
    ----------
    where
        The event that it shows last, by what it is: found again when the run is computed again.
    views
        Names of the views that are shown, in their order.
    caption
        What stands below them; ``{samples}`` and the like are filled from the run, see
        :data:`gems_engine.talk.captions.VOCABULARY`.
    notes
        For the speaker alone.
    arm, target, dimension
        What is marked in every view that shows it; None: nothing.
    run
        0 for the run that the story belongs to, n for its n-th companion.
    seconds
        How long it stays where the story plays by itself; None: as long as it takes to read.
    options
        What is chosen about its views: the view, the option and its value; the rest is as it is by default.
    """

    where: Bookmark
    views: tuple[str, ...] = ()
    caption: str = ""
    notes: str = ""
    arm: int | None = None
    target: int | None = None
    dimension: int | None = None
    run: int = 0
    seconds: float | None = None
    options: tuple[ViewOption, ...] = ()

    def __post_init__(self) -> None:
        _line(self.caption, "caption", MOST_CAPTION)
        _line(self.notes, "notes", MOST_NOTES, several=True)
        if len(self.views) > MOST_VIEWS or len(set(self.views)) != len(self.views):
            raise InputError(f"A moment shows at most {MOST_VIEWS} views, each once.")
        for view in self.views:
            if not isinstance(view, str) or not _VIEW.fullmatch(view):
                raise InputError(f"{shown(view)} is no name of a view.")
        for name, least in (("arm", 0), ("target", 0), ("dimension", 1)):
            _whole(getattr(self, name), name, least)
        if self.seconds is not None and not (_real(self.seconds) and 0.0 < self.seconds <= LONGEST):
            raise InputError(f"seconds is {shown(self.seconds)}: a moment stays above 0 and at most {LONGEST:g}.")
        if len(self.options) > MOST_OPTIONS:
            raise InputError(f"A moment chooses at most {MOST_OPTIONS} options of its views.")
        for word in (word for option in self.options for word in option):
            if not isinstance(word, str) or not _OPTION.fullmatch(word):
                raise InputError(
                    f"{shown(word)} is no part of an option of a view, as in survivors, scope, subroutine."
                )


@dataclass(frozen=True, eq=False)
class Companion:
    """Another run of a story, with the name by which captions speak of it."""

    name: str
    trace: Trace

    def __post_init__(self) -> None:
        check_run_name(self.name)


@dataclass(frozen=True)
class Story:
    """Moments in their order. It never changes: every change gives another story.

    Attributes
    ----------
    title, about
        A few words, and what there is to see.
    moments
        In the order in which they are told.
    run_name
        How captions call the run that the story belongs to.
    companions
        Other runs that moments may be of.
    """

    title: str = "A story"
    moments: tuple[StoryMoment, ...] = ()
    about: str = ""
    run_name: str = "run"
    companions: tuple[Companion, ...] = ()

    def __post_init__(self) -> None:
        if not _line(self.title, "title", MOST_TITLE).strip():
            raise InputError("A story has a title: some words by which it is found.")
        _line(self.about, "about", MOST_CAPTION)
        check_run_name(self.run_name)
        names = [self.run_name, *(each.name for each in self.companions)]
        if len(names) > MOST_COMPANIONS + 1 or len(set(names)) != len(names):
            raise InputError(f"A story has at most {MOST_COMPANIONS} other runs, each with a name of its own.")
        if len(self.moments) > MOST_MOMENTS:
            raise InputError(f"A story has at most {MOST_MOMENTS} moments, not {len(self.moments)}.")
        for number, moment in enumerate(self.moments, start=1):
            if _whole(moment.run, "run", 0) is None or moment.run > len(self.companions):
                raise InputError(f"Moment {number} is of run {shown(moment.run)}: the story has {len(names)}.")

    @property
    def run_names(self) -> tuple[str, ...]:
        """How captions call the runs, that of the story first."""
        return (self.run_name, *(each.name for each in self.companions))

    def with_moment(self, at: int, moment: StoryMoment) -> Story:
        """With one more, at this place."""
        return self._of([*self.moments[:at], moment, *self.moments[at:]])

    def with_changed(self, at: int, moment: StoryMoment) -> Story:
        """With another one in the place of one."""
        return self._of([*self.moments[:at], moment, *self.moments[at + 1 :]])

    def without(self, at: int) -> Story:
        """Without one."""
        return self._of([*self.moments[:at], *self.moments[at + 1 :]])

    def with_moved(self, at: int, to: int) -> Story:
        """With one at another place."""
        rest = [*self.moments[:at], *self.moments[at + 1 :]]
        return self._of([*rest[:to], self.moments[at], *rest[to:]])

    def _of(self, moments: Sequence[StoryMoment]) -> Story:
        return replace(self, moments=tuple(moments))


def check_run_name(name: Any) -> str:
    """A name that a placeholder can have: letters, digits, - and _."""
    if not isinstance(name, str) or not RUN_NAME.fullmatch(name):
        raise InputError(
            f"{shown(name)} cannot name a run of a story: a letter, then at most 39 letters, digits, - and _."
        )
    return name


def _line(text: Any, what: str, most: int, several: bool = False) -> str:
    if not isinstance(text, str):
        raise InputError(f"{what} is {shown(text)}: it must be text.")
    plain = text.replace("\n", " ").replace("\t", " ") if several else text
    if len(text) > most or not plain.isprintable():
        lines = "printable text" if several else "one printable line"
        raise InputError(f"{what} {shown(text)} must be {lines} of at most {most} characters.")
    return text


def _whole(value: Any, what: str, least: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**31:
        raise InputError(f"{what} is {shown(value)}: it must be a whole number from {least} on.")
    return value


def _real(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
