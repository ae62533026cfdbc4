"""What is exported: frames, each a position in a run with the views that show it, and their look; does not import Qt.

A film, a PDF or a set of numbered pictures is made of a list of frames: a range of steps, listed here, or the moments
of a talk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from gems_engine.errors import InputError
from gems_engine.history import UNITS, History
from gems_engine.parameters import unknown_name
from gems_engine.terminal import number, plural
from gems_gui.painting.limits import DPI, LEAST_SIDE, MOST_FRAMES, MOST_PIXELS, MOST_SCALE
from gems_gui.painting.picture_size import in_pixels, paper_size
from gems_gui.series.event_list import words_of
from gems_gui.series.status import outcome, status
from gems_gui.snapshot import NOTHING, Selection, Snapshot, at_rest

if TYPE_CHECKING:
    from gems_engine.talk.annotation import Mark

DIFFERENCE = "difference"
"""The view that compares two runs, which may be on different instances."""
WINDOW, PAPER = "window", "paper"
"""The styles of pictures: as in the window, or figures for print."""
PRINT_SCALE = 300 / DPI
"""The scale at which a picture on paper has 300 pixels per inch."""
SEVERAL = ("race", "compare-table", "compare-counts", "seeds")
"""The views that show several runs."""


@dataclass(frozen=True)
class Frame:
    """One picture: a position in a run and the views that show it.

    Attributes
    ----------
    cursor
        The number of events that have happened.
    views
        Names of views; one fills the picture, several are arranged as on the board, none means those of the first
        layout.
    caption
        A sentence or two below them.
    selection
        The marked arm and target.
    run
        0 for the exported run, n for the n-th of the other runs.
    seconds
        Duration in a film; None for one frame.
    options
        Options of its views, in addition to those of the look: the view, the option and its value.
    moment
        Its number among the moments of a story, from 1; 0 for any other step.
    second
        The number and the cursor of another run: each view is shown for both, and a view of several runs shows both.
    names
        The names of both runs, in the titles of their views.
    lock
        The frames with which its views share their axes, itself included; empty if each fits its own.
    marks
        Arrows and brackets in its views.
    panel
        The only one of its panels to paint; empty for all.
    """

    cursor: int
    views: tuple[str, ...] = ()
    caption: str = ""
    selection: Selection = NOTHING
    run: int = 0
    seconds: float | None = None
    options: tuple[tuple[str, str, str], ...] = ()
    moment: int = 0
    second: tuple[int, int] | None = None
    names: tuple[str, str] = ("", "")
    lock: tuple[Frame, ...] = ()
    marks: tuple[Mark, ...] = ()
    panel: str = ""

    @property
    def panels(self) -> tuple[str, ...]:
        """What is painted: its views, each twice if it is shown for two runs; see :func:`view_of`."""
        return (self.panel,) if self.panel else panels_of(self.views, self.second is not None)


SECOND = "@2"  # ends the name of a panel of the second run


def panels_of(views: Iterable[str], two: bool) -> tuple[str, ...]:
    """Views by name, each twice if there are two runs, unless it shows several runs itself."""
    both = [(name, name + SECOND) if two and not shows_several((name,)) else (name,) for name in views]
    return tuple(panel for pair in both for panel in pair)


def view_of(panel: str) -> tuple[str, bool]:
    """The view of a panel, and whether it shows the second run."""
    return panel.removesuffix(SECOND), panel.endswith(SECOND)


@dataclass(frozen=True)
class Look:
    """The look of all pictures of an export.

    Attributes
    ----------
    size
        Width and height in pixels, before the scale.
    scale
        Factor for the pixels in each direction: 2 for print.
    theme
        ``light`` or ``dark``.
    text
        Scale of all text, 1 is normal.
    captions
        Whether to reserve space for a caption below every picture, even if it has none: pictures of a film must not
        jump.
    truth
        Whether d⋆, the best arm and what follows from them are shown.
    options
        The options of each view, by name; all others have their default.
    projector
        As in a talk: large text, more contrast, views in the rows of a stage, no line about the run.
    colors
        The numbers of the runs that determine their colours in a comparison; empty: they are counted.
    inches
        Width and height on paper, for the style of print: no cards and titles, roles told apart without colour. The
        size is then that in pixels of 1/96 inch, and the scale applies to formats in pixels.
    live_text
        Whether text in an SVG is text, instead of outlines.
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
    inches: tuple[float, float] | None = None
    live_text: bool = False

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height of a picture."""
        if self.inches is not None:
            return round(self.inches[0] * DPI * self.scale), round(self.inches[1] * DPI * self.scale)
        return round(self.size[0] * self.scale), round(self.size[1] * self.scale)

    def check(self) -> None:
        """Raise an InputError if such a picture cannot be painted."""
        width, height = self.size
        if self.inches is None and min(width, height) < LEAST_SIDE:
            raise InputError(f"A picture must be at least {LEAST_SIDE} pixels wide and high, not {width} × {height}.")
        if not 0 < self.scale <= MOST_SCALE:
            raise InputError(f"The scale must be a number above 0 and at most {MOST_SCALE:g}, not {self.scale:g}.")
        if (many := self.pixels[0] * self.pixels[1]) > MOST_PIXELS:
            raise InputError(
                f"{width} × {height} at scale {self.scale:g} has {number(many)} pixels; the limit is "
                f"{MOST_PIXELS // 10**6} million."
            )


def print_scale(suffix: str) -> float:
    """The scale of a picture on paper: 300 pixels per inch, or 1 for a format of lines and shapes."""
    return 1.0 if suffix in (".svg", ".pdf") else PRINT_SCALE


def paper_look(
    size: str,
    scale: float = PRINT_SCALE,
    truth: bool = True,
    options: Mapping[str, Mapping[str, str]] | None = None,
    live_text: bool = False,
    colors: tuple[int, ...] = (),
    what: str = "--size",
) -> Look:
    """The look for print at a size such as 3.25x2.2in; raises an InputError if it is not valid.

    The scale is 1 for a format that is not in pixels.
    """
    inches = paper_size(size, what)
    look = Look(in_pixels(inches), scale, "light", 1.0, False, truth, options or {}, False, colors, inches, live_text)
    look.check()
    return look


def steps(history: History, first: int, last: int, every: str = "event") -> list[int]:
    """The cursors of a range of steps: its start, every stop of a unit inside, and its end.

    Parameters
    ----------
    first, last
        Cursors, both included.
    every
        ``event``, ``round``, ``subroutine`` or ``loop``, as in the transport.
    """
    if every not in UNITS:
        raise unknown_name("step", every, UNITS)
    if not 0 <= first <= last <= history.events:
        raise InputError(
            f"The steps go from {number(first)} to {number(last)}. They must go forwards, and the run has "
            f"{plural(history.events, 'event')}."
        )
    if every == "event":
        inside = np.arange(first + 1, last)
    else:
        stops = history.stops(every)
        inside = stops[(stops > first) & (stops < last)]
    cursors = [first, *inside.tolist(), last] if last > first else [first]
    if len(cursors) > MOST_FRAMES:
        raise InputError(
            f"These are {number(len(cursors))} steps; the limit is {number(MOST_FRAMES)}. Use larger steps or part "
            "of the run."
        )
    return cursors


def step_caption(snapshot: Snapshot) -> str:
    """The position in the run and what has just happened, as text; at the end of a run its verdict."""
    if snapshot.state.finished is not None:
        return outcome(snapshot)
    happened = words_of(snapshot.trace, snapshot.trace[snapshot.cursor - 1]) if snapshot.cursor else ""
    return " — ".join(filter(None, (str(status(snapshot)), happened)))


def shows_several(views: Iterable[str]) -> bool:
    """Whether one of these views shows several runs."""
    return any(name in SEVERAL or name == DIFFERENCE for name in views)


def look_at(look: Look, frame: Frame) -> Look:
    """The look of a frame."""
    if not frame.options:
        return look
    options = {name: dict(chosen) for name, chosen in look.options.items()}
    for view, option, value in frame.options:
        options.setdefault(view, {})[option] = value
    return replace(look, options=options)


def snapshot_at(base: Snapshot, frame: Frame) -> Snapshot:
    """The snapshot of a frame; everything but the cursor and the selection is as in another snapshot of its run."""
    state = base.trace.state_at(frame.cursor)
    # A race has no clock here, as `gems render` paints a run file.
    return at_rest(replace(base, state=state, selection=frame.selection, completed=-1, clock=None))


def snapshots_at(
    run: Callable[[int], Snapshot], count: int, frame: Frame, colors: tuple[int, ...] = ()
) -> tuple[Snapshot, Snapshot | None]:
    """The snapshots of a frame: of its run, and of its second run if it has one.

    Parameters
    ----------
    run
        Returns any snapshot of a run, by its number.
    count
        The number of runs; a frame without a second run compares all of them.
    colors
        As in :class:`Look`.
    """
    base = run(frame.run)
    if shows_several(frame.views):
        pair = None if frame.second is None else sorted({frame.run, frame.second[0]})
        chosen = list(range(count)) if pair is None else pair
        base = base.with_runs([run(each) for each in chosen], colors)
    first = snapshot_at(base, frame)
    if frame.second is None:
        return first, None
    other, cursor = frame.second
    return first, snapshot_at(run(other), replace(frame, cursor=cursor))


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
        The same below all; None for a description of each step.
    """

    first: int
    last: int
    every: str = "round"
    views: tuple[str, ...] = ()
    caption: str | None = ""
    selection: Selection = NOTHING

    def frames(self, base: Snapshot) -> list[Frame]:
        """A frame for each step; captions show the truth if the snapshot does."""
        cursors = steps(base.history, self.first, self.last, self.every)
        frames = [Frame(cursor, self.views, self.caption or "", self.selection) for cursor in cursors]
        if self.caption is None:
            frames = [replace(frame, caption=step_caption(snapshot_at(base, frame))) for frame in frames]
        return frames
