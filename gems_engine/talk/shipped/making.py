"""Parts of the shipped stories: a run without timings, a position in it, a moment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gems_engine.blas import one_blas_thread
from gems_engine.bookmark import Bookmark
from gems_engine.events import EVENTS, Place
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.talk.story import StoryMoment
from gems_engine.trace import Trace

END = Bookmark(end=True)


def recorded(instance: Instance, algorithm: str, seed: int, **parameters: Any) -> Trace:
    """A finished run without its timings, so that two builds are the same."""
    trace = Trace(instance)
    with one_blas_thread():
        for event in Run(instance, algorithm, seed, **parameters):
            trace.append(replace(event, seconds=0.0) if hasattr(event, "seconds") else event)  # type: ignore[call-arg]
    return trace


def at(kind: str, ell: int = 0, i: int = 0, k: int = 0) -> Bookmark:
    """The first event of a kind at a position."""
    return Bookmark(Place(ell, i, k), EVENTS[kind])


def moment(
    where: Bookmark, views: str, caption: str, notes: str, options: tuple[str, ...] = (), **rest: Any
) -> StoryMoment:
    """A moment; ``views`` are separated by blanks, and an option is written as in `gems render`: "race.scale=log".

    Survivors are shown for one subroutine: a run is too long.
    """
    usual = ("survivors.scope=subroutine",) if "survivors" in views else ()
    chosen = [each.replace("=", ".").split(".") for each in (*usual, *options)]
    made = tuple((view, option, value) for view, option, value in chosen)
    return StoryMoment(where, tuple(views.split()), caption, notes, options=made, **rest)
