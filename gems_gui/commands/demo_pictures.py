"""The pictures of `gems demo` without a display."""

from __future__ import annotations

from pathlib import Path

from gems_engine.talk.bound_story import BoundStory
from gems_engine.trace import Trace
from gems_gui.painting.export import export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.frames import Look
from gems_gui.painting.offscreen import start_painting
from gems_gui.painting.story_frames import story_frames

SIZE = (1600, 900)
"""The size of the pictures in pixels."""


def paint_story(trace: Trace, folder: Path) -> int:
    """Paint the moments of a run's story as numbered pictures in a new folder; returns their number."""
    start_painting()
    bound_story = BoundStory(trace)
    frames = story_frames(bound_story)
    export(
        trace, ExportJob(folder, frames, Look(SIZE, captions=True, projector=True)), companions=bound_story.traces[1:]
    )
    return len(frames)
