"""A story as frames of an export: its moments, or a film with the transitions in between; does not import Qt."""

from __future__ import annotations

from dataclasses import replace

from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.numbers import Lookup, compute
from gems_engine.talk.story import StoryMoment
from gems_engine.wording import place_text
from gems_gui.painting.frames import Frame, steps
from gems_gui.painting.rows import ALONE
from gems_gui.painting.transition import Transition
from gems_gui.snapshot import Selection


def story_frames(
    bound_story: BoundStory,
    truth: bool = True,
    film: float | None = None,
    lookup: Lookup = compute,
    every: str | None = None,
) -> list[Frame]:
    """A frame for each moment.

    Parameters
    ----------
    truth
        Whether captions may show the truth.
    film
        Frames per second: moments are shown as long as it takes to read them, and the cursor moves from one to the
        next, as in a talk. None: only the moments, as pages or pictures.
    every
        A unit of steps: the steps between two moments of a run are included, without captions.

    Raises
    ------
    InputError
        Names the first moment whose caption is invalid.
    """
    frames: list[Frame] = []
    for at in range(len(bound_story)):
        frame = moment_frame(bound_story, at, truth, lookup)
        if film is not None:
            if frames and frames[-1].run == frame.run:
                frames += _transition_frames(bound_story, at, frames[-1], frame, film)
            frame = replace(frame, seconds=bound_story.seconds(at, truth, lookup))
        elif every is not None and frames and frames[-1].run == frame.run and frames[-1].cursor < frame.cursor:
            between = steps(bound_story.history_of(at), frames[-1].cursor, frame.cursor, every)[1:-1]
            frames += [replace(frame, cursor=cursor, caption="", moment=0, marks=()) for cursor in between]
        frames.append(frame)
    return frames


def moment_frame(bound_story: BoundStory, at: int, truth: bool = True, lookup: Lookup = compute) -> Frame:
    """The frame of a moment."""
    return replace(
        picture_frame(bound_story, at),
        caption=bound_story.caption(at, truth, lookup),
        moment=at + 1,
        marks=bound_story.marks(at, truth, lookup),
    )


def picture_frame(bound_story: BoundStory, at: int) -> Frame:
    """The frame of a moment without its texts: its views, and those with which they share their axes."""
    together = bound_story.story.locked_with(at)
    lock = tuple(_plain_frame(bound_story, each) for each in together)
    return replace(_plain_frame(bound_story, at), lock=lock)


def _plain_frame(bound_story: BoundStory, at: int) -> Frame:
    """What the views of a moment show, without its texts."""
    moment: StoryMoment = bound_story[at]
    second = moment.second
    return Frame(
        bound_story.cursor(at),
        moment.views or ALONE,
        selection=Selection.as_far_as(bound_story.trace_of(at).instance, moment.arm, moment.target, moment.dimension),
        run=moment.run,
        options=moment.options,
        second=None if second is None else (second.run, bound_story.second_cursor(at)),
        names=_panel_names(bound_story, moment),
    )


def _panel_names(bound_story: BoundStory, moment: StoryMoment) -> tuple[str, str]:
    """The names of two runs, or of two positions in one, for the titles of their views; empty for one."""
    if moment.second is None:
        return "", ""
    if moment.second.run != moment.run:
        names = bound_story.story.run_names
        return names[moment.run], names[moment.second.run]
    started = bound_story.traces[moment.run].started
    algorithm = "" if started is None else started.algorithm
    first, second = (
        "end" if where.end else place_text(where.place, algorithm) or "start"
        for where in (moment.where, moment.second.where)
    )
    return first, second


def _transition_frames(bound_story: BoundStory, at: int, before: Frame, after: Frame, fps: float) -> list[Frame]:
    """The transition to the next moment, with its views; neither caption is true on the way."""
    transition = Transition.between(bound_story.history_of(at), before.cursor, after.cursor)
    cursors = (transition.at(step / fps) for step in range(1, int(transition.seconds * fps)))
    on_the_way = replace(after, caption="", selection=before.selection, moment=0, marks=())
    return [replace(on_the_way, cursor=cursor) for cursor in cursors]
