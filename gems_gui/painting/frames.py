"""What is exported: frames, each a place in a run with what is shown of it, and how they look; knows no Qt.

A film, a PDF or a row of numbered pictures is made of a list of frames, whoever has listed them: a range of steps here,
the moments of a talk elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from gems_engine.errors import InputError
from gems_engine.history import UNITS, History
from gems_engine.parameters import unknown_name
from gems_engine.terminal import number
from gems_gui.painting.limits import LEAST_SIDE, MOST_FRAMES, MOST_PIXELS, MOST_SCALE
from gems_gui.series.event_list import words_of
from gems_gui.series.status import status
from gems_gui.snapshot import NOTHING, Selection, Snapshot

DIFFERENCE = "difference"
"""The view of two runs that may be of any instances."""
SEVERAL = ("compare", "compare-table", "compare-counts")
"""The views that show several runs."""


@dataclass(frozen=True)
class Frame:
    """One picture: a place in a run and what is shown of it.

    Attributes
    ----------
    cursor
        How many events have happened.
    views
        By their names; one fills the picture, several are arranged as on the board, none means those of the first
        layout.
    caption
        A sentence or two under them.
    selection
        The arm and the target that are marked.
    run
        0 for the run that is exported, n for the n-th of those beside it.
    seconds
        How long it stays in a film; None: as long as one frame does.
    options
        What is chosen about its views, over what the look says: the view, the option and its value.
    """

    cursor: int
    views: tuple[str, ...] = ()
    caption: str = ""
    selection: Selection = NOTHING
    run: int = 0
    seconds: float | None = None
    options: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Look:
    """How all pictures of an export look.

    Attributes
    ----------
    size
        Width and height in pixels, before the scale.
    scale
        So many times the pixels in each direction: 2 for a print.
    theme
        ``light`` or ``dark``.
    text
        Size of all text, 1 is normal.
    captions
        Whether there is room for a caption under every picture, also under one that has none: pictures of a film must
        not jump.
    truth
        Whether d⋆, the best arm and what follows from them are shown.
    options
        For each view by name, what was chosen about it; the rest is as it is by default.
    projector
        As in a talk: text for the last row, more contrast, views in the rows of a stage, no line about the run.
    colors
        The numbers that give the runs their colours where several stand side by side; none: they are counted.
    """

    size: tuple[int, int] = (1600, 1000)
    scale: float = 1.0
    theme: str = "light"
    text: float = 1.0
    captions: bool = False
    truth: bool = True
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    projector: bool = False
    colors: tuple[int, ...] = ()

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height of a picture."""
        return round(self.size[0] * self.scale), round(self.size[1] * self.scale)

    def check(self) -> None:
        """An InputError where such a picture cannot be painted."""
        width, height = self.size
        if min(width, height) < LEAST_SIDE:
            raise InputError(f"A picture must be at least {LEAST_SIDE} pixels wide and high, not {width} × {height}.")
        if not 0 < self.scale <= MOST_SCALE:
            raise InputError(f"The scale must be a number above 0 and at most {MOST_SCALE:g}, not {self.scale:g}.")
        if (many := self.pixels[0] * self.pixels[1]) > MOST_PIXELS:
            raise InputError(
                f"{width} × {height} at the scale {self.scale:g} makes {number(many)} pixels: at most "
                f"{MOST_PIXELS // 10**6} million are allowed."
            )


def steps(history: History, first: int, last: int, every: str = "event") -> list[int]:
    """The cursors of a range of steps: its beginning, every stop of a unit inside, and its end.

    Parameters
    ----------
    first, last
        Cursors, both included.
    every
        ``event``, ``round``, ``subroutine`` or ``loop``, as the transport steps through them.
    """
    if every not in UNITS:
        raise unknown_name("step", every, UNITS)
    if not 0 <= first <= last <= history.events:
        raise InputError(
            f"The steps go from {number(first)} to {number(last)}: they must go forwards, and the run has "
            f"{number(history.events)} events."
        )
    if every == "event":
        inside = np.arange(first + 1, last)
    else:
        stops = history.stops(every)
        inside = stops[(stops > first) & (stops < last)]
    cursors = [first, *inside.tolist(), last] if last > first else [first]
    if len(cursors) > MOST_FRAMES:
        raise InputError(
            f"These are {number(len(cursors))} steps: at most {number(MOST_FRAMES)} are allowed. Take larger steps or "
            "a part of the run."
        )
    return cursors


def step_caption(snapshot: Snapshot) -> str:
    """Where the run stands and what has just happened, in words."""
    happened = words_of(snapshot.trace, snapshot.trace[snapshot.cursor - 1]) if snapshot.cursor else ""
    return " — ".join(filter(None, (str(status(snapshot)), happened)))


def shows_several(views: Iterable[str]) -> bool:
    """Whether one of these views shows other runs beside the one that it is of."""
    return any(name in SEVERAL or name == DIFFERENCE for name in views)


def look_at(look: Look, frame: Frame) -> Look:
    """How a frame looks."""
    if not frame.options:
        return look
    options = {name: dict(chosen) for name, chosen in look.options.items()}
    for view, option, value in frame.options:
        options.setdefault(view, {})[option] = value
    return replace(look, options=options)


def snapshot_at(base: Snapshot, frame: Frame) -> Snapshot:
    """What a frame shows; everything but the cursor and what is marked is as in another snapshot of its run."""
    return replace(base, state=base.trace.state_at(frame.cursor), selection=frame.selection)


@dataclass(frozen=True)
class FrameRange:
    """A range of steps that all show the same views.

    Attributes
    ----------
    first, last
        Cursors, both included.
    every
        As in :func:`steps`.
    views, selection
        As in :class:`Frame`.
    caption
        The same under all; None for what has happened at each step.
    """

    first: int
    last: int
    every: str = "round"
    views: tuple[str, ...] = ()
    caption: str | None = ""
    selection: Selection = NOTHING

    def frames(self, base: Snapshot) -> list[Frame]:
        """A frame for each step; the truth is shown in captions if it is in a snapshot of the run."""
        cursors = steps(base.history, self.first, self.last, self.every)
        frames = [Frame(cursor, self.views, self.caption or "", self.selection) for cursor in cursors]
        if self.caption is None:
            frames = [replace(frame, caption=step_caption(snapshot_at(base, frame))) for frame in frames]
        return frames
