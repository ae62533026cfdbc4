"""The base of file formats: a format takes one painted frame after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from gems_engine.errors import InputError
from gems_engine.files import atomic_write
from gems_engine.trace import Trace
from gems_gui.painting.frames import Frame, Look
from gems_gui.painting.limits import MOST_FPS

if TYPE_CHECKING:
    from gems_gui.painting.render import PictureSheet


@dataclass(frozen=True)
class ExportJob:
    """What to write.

    Attributes
    ----------
    file
        The path; its suffix determines the format.
    frames
        The content.
    look
        The look of the pictures.
    fps
        Frames per second, of a film.
    title
        Title for readers that show one.
    story
        The story that the frames tell, as in a run file; empty if they tell none.
    traces
        The runs that frames may show; set by the export.
    """

    file: Path
    frames: Sequence[Frame]
    look: Look = field(default_factory=Look)
    fps: float = 10.0
    title: str = ""
    story: bytes = b""
    traces: tuple[Trace, ...] = ()

    def check(self) -> None:
        """Raise an InputError if the job is invalid in every format."""
        self.look.check()
        if not self.frames:
            raise InputError(f"Cannot write {self.file}: there is no step to show.")
        if not 0 < self.fps <= MOST_FPS:
            raise InputError(f"The frames per second must be above 0 and at most {MOST_FPS:g}, not {self.fps:g}.")


Shown = Callable[[Frame], "PictureSheet"]
"""Returns the sheet that shows a frame, at any time and in any order."""


class Writer(ABC):
    """Writes a file. It appears under its name only in :meth:`finish`."""

    def __init__(self, job: ExportJob, shown: Shown) -> None:
        self.job = job
        self.shown = shown

    @abstractmethod
    def add(self, frame: Frame) -> None:
        """Add the next frame."""

    @abstractmethod
    def finish(self) -> None:
        """Write the complete file under its name; an InputError gives the reason if that fails."""

    def cancel(self) -> None:  # noqa: B027 - most have nothing to remove
        """Remove everything written so far."""


class BytesWriter(Writer):
    """A file that is kept in memory until it is complete."""

    @abstractmethod
    def data(self) -> bytes:
        """The complete file."""

    def finish(self) -> None:
        atomic_write(self.job.file, self.data())


class Format:
    """A file format. A subclass has its own module, and a line in the registry.

    It has a ``suffix`` (empty for a folder), a ``title`` for lists, a sentence ``about`` it, and flags: whether it can
    contain ``several`` frames, shows ``all_rounds`` unless one step is requested, plays them as a ``film``, and is
    ``painted`` and so has a size and a theme. ``size`` is the usual size of a view, if each is a picture of its own. A
    new ``writer`` is created for each file.
    """

    suffix: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    several: ClassVar[bool] = False
    all_rounds: ClassVar[bool] = False
    film: ClassVar[bool] = False
    painted: ClassVar[bool] = True
    size: ClassVar[str] = ""
    writer: ClassVar[type[Writer]]

    def adapted(self, job: ExportJob) -> ExportJob:
        """The job as this format writes it."""
        return job

    def check(self, job: ExportJob) -> None:
        """Raise an InputError if the job cannot be written, before anything is painted."""
        job.check()
        if len(job.frames) > 1 and not self.several:
            raise InputError(
                f"Cannot write {job.file}: a {self.suffix} contains one picture. For several steps, use .html, .pdf, "
                ".gif, .mp4, or a name without a suffix for a folder of numbered pictures."
            )
