"""A request to the process that paints, in plain values. Does not import Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gems_gui.painting.frames import Frame, FrameRange, Look, snapshot_at
from gems_gui.series.status import caption
from gems_gui.snapshot import Snapshot

if TYPE_CHECKING:
    from gems_gui.painting.format import ExportJob


@dataclass(frozen=True)
class ExportRequest:
    """A requested export.

    Attributes
    ----------
    file
        The output file; its suffix determines the format.
    what
        A range of steps, or a list of frames.
    look, fps
        As in :class:`gems_gui.painting.format.ExportJob`.
    title
        The title; if empty, that of the run.
    story
        The story that the frames tell, as in a run file; empty if they tell none.
    """

    file: str
    what: FrameRange | Sequence[Frame]
    look: Look
    fps: float = 10.0
    title: str = ""
    story: bytes = b""

    def job(self, base: Snapshot) -> ExportJob:
        """The job to write; ``base`` is any snapshot of the run."""
        from gems_gui.painting.format import ExportJob  # loaded in the process that exports

        base = replace(base, truth=self.look.truth)
        frames = self.what.frames(base) if isinstance(self.what, FrameRange) else self.what
        title = self.title or (caption(snapshot_at(base, frames[-1])) if frames else "")
        return ExportJob(Path(self.file), frames, self.look, self.fps, title, self.story)
