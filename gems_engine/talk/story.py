"""A story: moments of a run, and possibly of other runs, in order."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gems_engine.bookmark import Bookmark
from gems_engine.errors import InputError
from gems_engine.parameters import shown
from gems_engine.talk.annotation import MOST_ANNOTATIONS, Annotation, Arrow, Bracket
from gems_engine.trace import Trace

MOST_MOMENTS = 500
MOST_VIEWS = 8
MOST_OPTIONS = 40
MOST_COMPANIONS = 8
MOST_CAPTION = 600
MOST_NOTES = 5000
MOST_TITLE = 200
LONGEST = 3600.0
"""The longest time of a moment in seconds."""
RUN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_VIEW = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_GROUP = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,39}")
_OPTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,39}")
ViewOption = tuple[str, str, str]
"""A view, an option of it, and the value that is chosen."""


@dataclass(frozen=True)
class SecondRun:
    """What a moment shows next to its own run: a run by its number in the story, or the same one, and a position."""

    run: int
    where: Bookmark

    def __post_init__(self) -> None:
        if _whole(self.run, "the second run", 0) is None:
            raise InputError("The second run of a moment needs its number.")


@dataclass(frozen=True)
class StoryMoment:
    """One moment of a story.

    Attributes
    ----------
    where
        A bookmark of its last event, which can be found again when the run is repeated.
    views
        Names of the visible views, in order.
    caption
        The text below them; placeholders such as ``{samples}`` are filled from the run, see
        :data:`gems_engine.talk.captions.VOCABULARY`.
    notes
        Notes for the speaker only.
    arm, target, dimension
        What is highlighted in every view that shows it; None for nothing.
    run
        0 for the run of the story, n for its n-th companion.
    seconds
        Its duration when the story plays automatically; None for the time that it takes to read.
    options
        Options of its views: the view, the option and its value; others have their defaults.
    second
        Another run, or another position of the same one, that is shown next to this one: each view twice with the same
        axes. A view of several runs shows both in one plot.
    lock
        The name of a group of moments: a view has the same axes in all moments of a group. Empty for none.
    annotations
        Arrows and brackets in its views.
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
    second: SecondRun | None = None
    lock: str = ""
    annotations: tuple[Annotation, ...] = ()

    def __post_init__(self) -> None:
        _line(self.caption, "caption", MOST_CAPTION)
        _line(self.notes, "notes", MOST_NOTES, several=True)
        if len(self.views) > MOST_VIEWS or len(set(self.views)) != len(self.views):
            raise InputError(f"A moment shows at most {MOST_VIEWS} views, each once.")
        for view in self.views:
            if not isinstance(view, str) or not _VIEW.fullmatch(view):
                raise InputError(f"{shown(view)} is not the name of a view.")
        for name, least in (("arm", 0), ("target", 0), ("dimension", 1)):
            _whole(getattr(self, name), name, least)
        if self.seconds is not None and not (_real(self.seconds) and 0.0 < self.seconds <= LONGEST):
            raise InputError(f"seconds is {shown(self.seconds)}: it must be above 0 and at most {LONGEST:g}.")
        if len(self.options) > MOST_OPTIONS:
            raise InputError(f"A moment has at most {MOST_OPTIONS} options of its views.")
        for word in (word for option in self.options for word in option):
            if not isinstance(word, str) or not _OPTION.fullmatch(word):
                raise InputError(
                    f"{shown(word)} is not part of an option of a view, such as survivors, scope, subroutine."
                )
        if not isinstance(self.lock, str) or (self.lock and not _GROUP.fullmatch(self.lock)):
            raise InputError(
                f"{shown(self.lock)} cannot be the name of a group of axes: use at most 40 letters, digits, blanks, - "
                "and _."
            )
        if self.second is not None and not isinstance(self.second, SecondRun):
            raise InputError(f"The second run of a moment is {shown(self.second)}: it must be a run with a position.")
        if len(self.annotations) > MOST_ANNOTATIONS:
            raise InputError(f"A moment has at most {MOST_ANNOTATIONS} annotations.")
        for each in self.annotations:
            if not isinstance(each, Arrow | Bracket):
                raise InputError(f"{shown(each)} is not an annotation: it must be an arrow or a bracket.")


@dataclass(frozen=True, eq=False)
class Companion:
    """Another run of a story, with its name in captions."""

    name: str
    trace: Trace

    def __post_init__(self) -> None:
        check_run_name(self.name)


@dataclass(frozen=True)
class Story:
    """Moments in order. A story is immutable: every change returns a new one.

    Attributes
    ----------
    title, about
        A title, and a description.
    moments
        The moments in order.
    run_name
        The name in captions of the run of the story.
    companions
        Other runs of the story.
    """

    title: str = "A story"
    moments: tuple[StoryMoment, ...] = ()
    about: str = ""
    run_name: str = "run"
    companions: tuple[Companion, ...] = ()

    def __post_init__(self) -> None:
        if not _line(self.title, "title", MOST_TITLE).strip():
            raise InputError("A story needs a title.")
        _line(self.about, "about", MOST_CAPTION)
        check_run_name(self.run_name)
        names = [self.run_name, *(each.name for each in self.companions)]
        if len(names) > MOST_COMPANIONS + 1 or len(set(names)) != len(names):
            raise InputError(f"A story has at most {MOST_COMPANIONS} other runs, each with its own name.")
        if len(self.moments) > MOST_MOMENTS:
            raise InputError(f"A story has at most {MOST_MOMENTS} moments, not {len(self.moments)}.")
        for number, moment in enumerate(self.moments, start=1):
            if _whole(moment.run, "run", 0) is None or moment.run > len(self.companions):
                raise InputError(f"Moment {number} belongs to run {shown(moment.run)}, but the story has {len(names)}.")
            second = moment.second
            if second is not None and second.run > len(self.companions):
                raise InputError(f"The second run of moment {number} is {second.run}, but the story has {len(names)}.")

    @property
    def run_names(self) -> tuple[str, ...]:
        """The names of the runs in captions, that of the story first."""
        return (self.run_name, *(each.name for each in self.companions))

    def locked_with(self, at: int) -> tuple[int, ...]:
        """The moments whose axes are locked with those of a moment, itself included; none if they are not."""
        group = self.moments[at].lock
        if group:
            return tuple(number for number, moment in enumerate(self.moments) if moment.lock == group)
        return (at,) if self.moments[at].second is not None else ()

    def with_moment(self, at: int, moment: StoryMoment) -> Story:
        """The story with a moment inserted at this index."""
        return self._of([*self.moments[:at], moment, *self.moments[at:]])

    def with_changed(self, at: int, moment: StoryMoment) -> Story:
        """The story with a moment replaced."""
        return self._of([*self.moments[:at], moment, *self.moments[at + 1 :]])

    def without(self, at: int) -> Story:
        """The story without a moment."""
        return self._of([*self.moments[:at], *self.moments[at + 1 :]])

    def with_moved(self, at: int, to: int) -> Story:
        """The story with a moment moved to another index."""
        rest = [*self.moments[:at], *self.moments[at + 1 :]]
        return self._of([*rest[:to], self.moments[at], *rest[to:]])

    def _of(self, moments: Sequence[StoryMoment]) -> Story:
        return replace(self, moments=tuple(moments))


def check_run_name(name: Any) -> str:
    """Check the name of a run in placeholders: letters, digits, - and _."""
    if not isinstance(name, str) or not RUN_NAME.fullmatch(name):
        raise InputError(
            f"{shown(name)} cannot be the name of a run of a story: use a letter, then at most 39 letters, digits, - "
            "and _."
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
