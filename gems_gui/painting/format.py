"""What a format of files is to an export: something that takes one painted frame after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from gems_engine.errors import InputError
from gems_engine.files import atomic_write
from gems_gui.painting.frames import Frame, Look
from gems_gui.painting.limits import MOST_FPS

if TYPE_CHECKING:
    from gems_gui.painting.render import PictureSheet


@dataclass(frozen=True)
class ExportJob:
    """What is to be written.

    Attributes
    ----------
    file
        Where; its suffix tells the format.
    frames
        What is in it.
    look
        How that looks.
    fps
        Frames per second, of a film.
    title
        What it is of, for a reader that shows titles.
    """

    file: Path
    frames: Sequence[Frame]
    look: Look = field(default_factory=Look)
    fps: float = 10.0
    title: str = ""

    def check(self) -> None:
        """An InputError where it makes no sense in any format."""
        self.look.check()
        if not self.frames:
            raise InputError(f"{self.file}: there is no step to show.")
        if not 0 < self.fps <= MOST_FPS:
            raise InputError(f"A film has from 0 to {MOST_FPS:g} frames per second, not {self.fps:g}.")


Shown = Callable[[Frame], "PictureSheet"]
"""Gives the sheet that shows a frame, at any time and in any order."""


class Writer(ABC):
    """A file on its way. Nothing of it is seen under its name before :meth:`finish`."""

    def __init__(self, job: ExportJob, shown: Shown) -> None:
        self.job = job
        self.shown = shown

    @abstractmethod
    def add(self, frame: Frame) -> None:
        """The next frame."""

    @abstractmethod
    def finish(self) -> None:
        """Put the whole file under its name; an InputError says why that cannot be."""

    def cancel(self) -> None:  # noqa: B027 - most have nothing that would stay
        """Leave nothing behind."""


class BytesWriter(Writer):
    """A file that is kept in memory until it is whole."""

    @abstractmethod
    def data(self) -> bytes:
        """The whole file."""

    def finish(self) -> None:
        """Write it at once."""
        atomic_write(self.job.file, self.data())


class Format:
    """One format of files. A subclass is in a file of its own, and in the registry.

    It has a ``suffix`` (empty for a folder), a ``title`` for lists, ``about`` in a sentence, and says whether it can
    hold ``several`` frames, plays them as a ``film``, and whether it is ``painted`` and so has a size and a theme. Its
    ``writer`` is made for each file.
    """

    suffix: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    several: ClassVar[bool] = False
    film: ClassVar[bool] = False
    painted: ClassVar[bool] = True
    writer: ClassVar[type[Writer]]

    def check(self, job: ExportJob) -> None:
        """An InputError where this cannot be written, before anything is painted."""
        job.check()
        if len(job.frames) > 1 and not self.several:
            raise InputError(
                f"{job.file}: a {self.suffix} has one picture. Several steps make a .pdf, a .gif, an .mp4, or a folder "
                "of numbered pictures (a name without a suffix)."
            )
