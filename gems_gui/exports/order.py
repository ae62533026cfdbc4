"""What the window asks the process that paints for, in plain values; knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gems_gui.exports.frames import Frame, Look, Steps, moment_at
from gems_gui.moment import Moment
from gems_gui.series.status import caption

if TYPE_CHECKING:
    from gems_gui.exports.format import Job


@dataclass(frozen=True)
class Order:
    """An export that somebody wants.

    Attributes
    ----------
    file
        Where it goes; the suffix tells the format.
    what
        A range of steps, or frames one by one.
    look, fps
        As a :class:`gems_gui.exports.format.Job` has them.
    title
        What it is of; empty: what was run.
    """

    file: str
    what: Steps | Sequence[Frame]
    look: Look
    fps: float = 10.0
    title: str = ""

    def job(self, base: Moment) -> Job:
        """What is to be written; ``base`` is any moment of the run."""
        from gems_gui.exports.format import Job

        base = replace(base, truth=self.look.truth)
        frames = self.what.frames(base) if isinstance(self.what, Steps) else self.what
        title = self.title or (caption(moment_at(base, frames[-1])) if frames else "")
        return Job(Path(self.file), frames, self.look, self.fps, title)
