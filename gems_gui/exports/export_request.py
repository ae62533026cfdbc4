"""What the window asks the process that paints for, in plain values; knows no Qt."""

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
    """An export that somebody wants.

    Attributes
    ----------
    file
        Where it goes; the suffix tells the format.
    what
        A range of steps, or frames one by one.
    look, fps
        As a :class:`gems_gui.painting.format.ExportJob` has them.
    title
        What it is of; empty: what was run.
    """

    file: str
    what: FrameRange | Sequence[Frame]
    look: Look
    fps: float = 10.0
    title: str = ""

    def job(self, base: Snapshot) -> ExportJob:
        """What is to be written; ``base`` is any snapshot of the run."""
        from gems_gui.painting.format import ExportJob  # loaded by the process that exports

        base = replace(base, truth=self.look.truth)
        frames = self.what.frames(base) if isinstance(self.what, FrameRange) else self.what
        title = self.title or (caption(snapshot_at(base, frames[-1])) if frames else "")
        return ExportJob(Path(self.file), frames, self.look, self.fps, title)
